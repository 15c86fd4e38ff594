//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The promotion cache lies between the fast tier's levels and the slow tier's:
// it holds records that reads found in the slow tier, until the hot ones among
// them are promoted. It has a mutable part, which reads fill, and at most one
// immutable part, which is being checked and promoted.
//
//      reads that reach the slow tier
//          | Lookup         | Insert (what was found there)
//          v                v
//      +--------------------------+  Seal   +---------------------------+
//      | mutable                  | ------> | immutable                 |
//      +--------------------------+         +---------------------------+
//          ^ Insert (hot, but too few)           | checker: RALT, newer
//          +-------------------------------------+ versions; then to L0
//
// Invariants:
// 1. A record in the cache is the newest version of its key in the levels
//    >= FS of every version from the one it was read from up to the current
//    one: who changes that calls Invalidate before the version is visible.
// 2. A lookup is served only at a read sequence >= visible_from, in a version
//    no older than the one the record was read from, and with the same FS.
//
// Thread safety: Lookup, Insert and the figures from any thread; the other
// methods, where not said otherwise, with the DB mutex held. Lock order: DB
// mutex, a batch's shard, ring or TakenRecords.

#pragma once

#include <atomic>
#include <vector>

#include "plugin/hotrap/promotion/invalidation_ring.h"
#include "plugin/hotrap/promotion/promotion_batch.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/promotion/taken_records.h"

namespace ROCKSDB_NAMESPACE {

class PromotionCache {
 public:
  explicit PromotionCache(const Comparator* ucmp);

  // The record of the key for a read at `read_seq` on the levels >= FS of
  // version `version_number`, or nullptr.
  PromotionRecordPtr Lookup(const Slice& user_key, SequenceNumber read_seq,
                            uint64_t version_number,
                            int first_slow_level) const;

  enum class InsertResult {
    kInserted,
    kPresent,  // there already
    kFull,     // the mutable part has reached the capacity
    kStale,    // the slow tier changed for the key since the version it was
               // read from, or FS did
  };
  // The record was the newest in the slow tier in version `version_number`:
  // the one that it was read from, or a later one.
  InsertResult Insert(const PromotionRecordPtr& record,
                      uint64_t version_number);
  // Likewise for a record that was taken from here.
  InsertResult Return(const PromotionRecordPtr& record,
                      const TakenRecords& taken);

  // Whether the mutable part has reached the capacity.
  bool Full() const {
    return batches_[mutable_index()].memory_bytes() >= capacity_bytes();
  }

  // Makes the mutable part the immutable one. REQUIRES: no immutable part.
  void Seal();
  // Its records in key order. Takes time: not to be called with the DB mutex
  // held, and by the sealing thread only.
  std::vector<PromotionRecordPtr> SealedRecords() const;
  // Drops the immutable part. Likewise.
  void Unseal();

  // The records of the mutable part, and of the immutable one if asked for,
  // between the two user keys, both inclusive, in key order. Takes time: not to
  // be called with the DB mutex held.
  std::vector<PromotionRecordPtr> RecordsBetween(const Slice& smallest,
                                                 const Slice& largest,
                                                 bool immutable_too) const;
  // Drops these records, if they are still there.
  void Erase(const std::vector<PromotionRecordPtr>& records);

  // The entry is about to come into force. Returns how many records it erased.
  size_t Invalidate(InvalidationRing::Entry entry);

  // From now on the cache serves reads with this FS. Drops everything, and
  // will refuse what was read from a version before `version_number`, the
  // current one.
  void Reset(int first_slow_level, uint64_t version_number);

  void SetCapacity(size_t bytes) {
    capacity_bytes_.store(bytes, std::memory_order_relaxed);
  }
  size_t capacity_bytes() const {
    return capacity_bytes_.load(std::memory_order_relaxed);
  }

  // Where who takes records to promote them registers.
  TakenRecords::Registry* taken() { return &taken_; }
  size_t memory_bytes() const {
    return batches_[0].memory_bytes() + batches_[1].memory_bytes();
  }
  size_t num_records() const {
    return batches_[0].num_records() + batches_[1].num_records();
  }

 private:
  int mutable_index() const {
    return mutable_index_.load(std::memory_order_acquire);
  }
  template <typename StillValid>
  InsertResult InsertIf(const PromotionRecordPtr& record,
                        const StillValid& still_valid);

  const Comparator* const ucmp_;
  InvalidationRing ring_;
  TakenRecords::Registry taken_;
  std::atomic<size_t> capacity_bytes_{0};
  std::atomic<int> first_slow_level_{-1};
  // Sealing flips the index. An insert that loses the race with a seal lands
  // in the immutable part, unseen by the checker, and is dropped with it.
  PromotionBatch batches_[2];
  std::atomic<int> mutable_index_{0};
  std::atomic<bool> sealed_{false};
};

}  // namespace ROCKSDB_NAMESPACE
