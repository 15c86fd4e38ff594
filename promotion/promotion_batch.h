//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A set of records in key order, sharded by key. The mutable and the immutable
// part of the promotion cache are one batch each.
//
// Thread-safe, except for destruction.

#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/ralt/access/lazy_zeroed_array.h"
#include "port/port.h"
#include "rocksdb/comparator.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

class PromotionBatch {
 public:
  explicit PromotionBatch(const Comparator* ucmp);
  PromotionBatch(const PromotionBatch&) = delete;
  PromotionBatch& operator=(const PromotionBatch&) = delete;

  // Returns nullptr if the key is absent. May miss a record that is being
  // inserted concurrently.
  PromotionRecordPtr Find(const Slice& user_key) const;

  // Adds the record unless the key is present. `still_valid` runs under the
  // lock that Erase takes, so that a later Erase cannot miss a record that it
  // found valid.
  enum class InsertResult { kInserted, kPresent, kInvalid };
  template <typename StillValid>
  InsertResult Insert(const PromotionRecordPtr& record,
                      const StillValid& still_valid) {
    const uint64_t hash = Hash(record->user_key);
    Shard& shard = *shards_[ShardOf(hash)];
    MutexLock lock(&shard.mutex);
    if (!still_valid()) {
      return InsertResult::kInvalid;
    }
    if (!shard.records.emplace(record->user_key, record).second) {
      return InsertResult::kPresent;
    }
    FilterWord(hash).fetch_or(FilterBit(hash), std::memory_order_relaxed);
    memory_bytes_.fetch_add(record->MemoryBytes(), std::memory_order_relaxed);
    num_records_.fetch_add(1, std::memory_order_relaxed);
    return InsertResult::kInserted;
  }

  // Erases the records in [smallest, largest] and returns their number.
  size_t Erase(const Slice& smallest, const Slice& largest);
  void Erase(const Slice& user_key);
  // Erases this record object; another record of the same key stays.
  void Erase(const PromotionRecordPtr& record);
  void Clear();

  // All records in key order, or those in [smallest, largest].
  std::vector<PromotionRecordPtr> Records() const;
  std::vector<PromotionRecordPtr> RecordsBetween(const Slice& smallest,
                                                 const Slice& largest) const;

  size_t memory_bytes() const {
    return memory_bytes_.load(std::memory_order_relaxed);
  }
  size_t num_records() const {
    return num_records_.load(std::memory_order_relaxed);
  }

 private:
  struct Less {
    const Comparator* ucmp;
    bool operator()(const Slice& a, const Slice& b) const {
      return ucmp->Compare(a, b) < 0;
    }
  };
  // The keys point into the records.
  using Map = std::map<Slice, PromotionRecordPtr, Less>;
  struct Shard {
    explicit Shard(const Comparator* ucmp) : records(Less{ucmp}) {}
    mutable port::Mutex mutex;
    Map records;
  };
  static constexpr size_t kNumShards = 16;
  // A filter with one bit per hash. Most lookups find nothing, and the filter
  // tells them so without taking the lock. It has 32 KiB, so that it stays in
  // the CPU caches; 64 Ki records set 22 % of its bits.
  static constexpr size_t kFilterBits = size_t{1} << 18;
  static constexpr size_t kFilterWords = kFilterBits / 64;

  void SortByKey(std::vector<PromotionRecordPtr>* records) const;
  static uint64_t Hash(const Slice& user_key);
  static size_t ShardOf(uint64_t hash) { return hash % kNumShards; }
  // Uses the upper bits of the hash, because the shards use the lower ones.
  std::atomic<uint64_t>& FilterWord(uint64_t hash) const {
    return filter_[(hash >> 32) % kFilterWords];
  }
  static uint64_t FilterBit(uint64_t hash) {
    return uint64_t{1} << (hash >> 58);
  }
  size_t Remove(Shard* shard, Map::iterator begin, Map::iterator end);

  const Comparator* const ucmp_;
  std::array<std::unique_ptr<Shard>, kNumShards> shards_;
  // Insertions set bits, and only Clear() clears them. A missing or superfluous
  // bit costs only time: a lookup that misses a record here finds it on the
  // slow tier.
  LazyZeroedArray<uint64_t> filter_;
  std::atomic<size_t> memory_bytes_{0};
  std::atomic<size_t> num_records_{0};
};

}  // namespace ROCKSDB_NAMESPACE
