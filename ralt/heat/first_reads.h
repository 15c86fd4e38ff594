//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides whether records are hot from their first access on. A second access
// is proof, but at a price: a hotspot must be read almost five times before
// nine of ten of its records have been read twice.
//
// What a first access is worth is measured. Of the keys that no run knew, a
// sample is watched: how many of them are accessed again, in the same flush or
// the next one? That gives the rate at which such a key is accessed, per byte
// that is accessed. First accesses count while the rate is so high that
//  - the record is likely to be accessed again before as many bytes are
//    accessed as hot records have room for, since by then it has made way for
//    others,
//  - and it is clearly more than the average over all data, which uniform
//    accesses have.
//
//   flush n      new keys, by their hash  --> the sample      exposed: half of
//   n flush n + 1  how many of them are in it?                  exposed: n + 1
//
// Accesses that memory answers are sampled, and so are hardly seen here: they
// are not what a promotion would save.
//
// Thread safety: count() may be called from any thread, the others by the
// background job.

#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_set>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE::ralt {

class FirstReads {
 public:
  // Begins a flush of accesses to so many HotRAP bytes.
  void Begin(uint64_t accessed_bytes);

  // Whether Add() wants to know if the key is new.
  static bool IsSampled(uint64_t key_hash) {
    return (key_hash >> kSampleShift) % kKeysASample == 0;
  }
  // A key of the flush. `repeated`: accessed more than once in it; one sampled
  // access, whatever its weight, is one. `is_new`: no run knows the key.
  // REQUIRES: IsSampled(key_hash)
  void Add(uint64_t key_hash, bool repeated, bool is_new);

  // Decides. `room_bytes` is what hot records may take. `data_bytes` is all
  // data; while it is unknown, 0, first accesses do not count.
  void End(uint64_t room_bytes, uint64_t data_bytes);

  bool count() const { return count_.load(std::memory_order_relaxed); }

 private:
  // One in this many keys is watched, by bits that choose neither a slot of
  // RecentKeys nor a fingerprint.
  static constexpr uint64_t kKeysASample = 8;
  static constexpr int kSampleShift = 32;

  std::unordered_set<uint64_t> new_keys_;
  std::unordered_set<uint64_t> previous_new_keys_;
  double flush_bytes_ = 0;
  // Sums over this flush and, faded, those before: of watched keys, of the
  // bytes accessed while each of them was watched, and of those accessed again.
  double watched_ = 0;
  double exposure_bytes_ = 0;
  double accessed_again_ = 0;
  std::atomic<bool> count_{false};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
