//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/run/format.h"
#include "rocksdb/slice.h"
#include "util/bloom_impl.h"
#include "util/hash.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The Bloom filter over a run's keys, in RocksDB's cache-local format. Hot keys
// are added by their hash, other keys by its complement, so that one filter
// tells them apart.
class RunFilter {
 public:
  static uint64_t HashKey(const Slice& key) { return GetSliceHash64(key); }
  static uint64_t EntryOf(uint64_t key_hash, bool hot) {
    return hot ? key_hash : ~key_hash;
  }

  // The length of `bits` is a multiple of a cache line; if empty, the filter
  // contains no key.
  RunFilter() = default;
  RunFilter(std::string bits, uint32_t probes)
      : bits_(std::move(bits)), probes_(static_cast<int>(probes)) {}

  static RunFilter Build(const std::vector<uint64_t>& entries,
                         double bits_per_key) {
    constexpr size_t kLineBytes = 64;
    RunFilter filter;
    if (entries.empty()) {
      return filter;
    }
    const double wanted_bytes = entries.size() * bits_per_key / 8;
    const size_t lines =
        static_cast<size_t>(std::ceil(wanted_bytes / kLineBytes));
    filter.bits_.assign(lines * kLineBytes, '\0');
    filter.probes_ = FastLocalBloomImpl::ChooseNumProbes(
        static_cast<int>(bits_per_key * 1000));
    for (uint64_t hash : entries) {
      FastLocalBloomImpl::AddHash(Lower32of64(hash), Upper32of64(hash),
                                  static_cast<uint32_t>(filter.bits_.size()),
                                  filter.probes_, filter.bits_.data());
    }
    return filter;
  }

  bool HasHot(uint64_t key_hash) const {
    return MayContain(EntryOf(key_hash, /*hot=*/true));
  }
  // Returns whether the key is in the run, hot or not.
  bool Has(uint64_t key_hash) const {
    return HasHot(key_hash) || MayContain(EntryOf(key_hash, /*hot=*/false));
  }

  const std::string& bits() const { return bits_; }
  uint32_t probes() const { return static_cast<uint32_t>(probes_); }

 private:
  bool MayContain(uint64_t entry) const {
    return !bits_.empty() &&
           FastLocalBloomImpl::HashMayMatch(
               Lower32of64(entry), Upper32of64(entry),
               static_cast<uint32_t>(bits_.size()), probes_, bits_.data());
  }

  std::string bits_;
  int probes_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
