//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/format.h"
#include "rocksdb/slice.h"
#include "util/bloom_impl.h"
#include "util/hash.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The Bloom filter over a run's hot keys: RocksDB's cache-local one.
class HotFilter {
 public:
  static uint64_t HashKey(const Slice& key) { return GetSliceHash64(key); }

  // `bits` is a multiple of a cache line, or empty: nothing is hot then.
  HotFilter() = default;
  HotFilter(std::string bits, uint32_t probes)
      : bits_(std::move(bits)), probes_(static_cast<int>(probes)) {}

  static HotFilter Build(const std::vector<uint64_t>& key_hashes,
                         double bits_per_key) {
    constexpr size_t kLineBytes = 64;
    HotFilter filter;
    if (key_hashes.empty()) {
      return filter;
    }
    const double wanted_bytes = key_hashes.size() * bits_per_key / 8;
    const size_t lines =
        static_cast<size_t>(std::ceil(wanted_bytes / kLineBytes));
    filter.bits_.assign(lines * kLineBytes, '\0');
    filter.probes_ = FastLocalBloomImpl::ChooseNumProbes(
        static_cast<int>(bits_per_key * 1000));
    for (uint64_t hash : key_hashes) {
      FastLocalBloomImpl::AddHash(Lower32of64(hash), Upper32of64(hash),
                                  static_cast<uint32_t>(filter.bits_.size()),
                                  filter.probes_, filter.bits_.data());
    }
    return filter;
  }

  bool MayContain(uint64_t key_hash) const {
    return !bits_.empty() &&
           FastLocalBloomImpl::HashMayMatch(
               Lower32of64(key_hash), Upper32of64(key_hash),
               static_cast<uint32_t>(bits_.size()), probes_, bits_.data());
  }

  const std::string& bits() const { return bits_; }
  uint32_t probes() const { return static_cast<uint32_t>(probes_); }

 private:
  std::string bits_;
  int probes_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
