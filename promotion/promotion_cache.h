//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The promotion cache sits between the levels of the fast tier and those of the
// slow tier. It holds records that reads found on the slow tier, until the hot
// ones among them are promoted. It has a mutable part, which reads fill, and at
// most one immutable part, which is being checked and promoted.
//
//      reads that reach the slow tier
//          | Lookup         | Insert (what was found there)
//          v                v
//      +--------------------------+  Seal   +---------------------------+
//      | mutable                  | ------> | immutable                 |
//      +--------------------------+         +---------------------------+
//          ^ Return (hot, but too few)           | checker: RALT, newer
//          +-------------------------------------+ versions; then to L0
//
// Invariants:
// 1. A record in the cache is the newest version of its key in the levels >= FS
//    of every version from the one it was read from up to the current one.
//    Whoever changes that calls Invalidate before the new version becomes
//    visible.
// 2. A lookup is served only at a read sequence >= visible_from, in a version
//    no older than the one the record was read from, and with the same FS.
//
// Thread safety: Lookup, Insert, Return and the size getters may be called from
// any thread. The other methods require the DB mutex unless they say otherwise.
// Lock order: DB mutex, a shard of a batch, the ring or TakenRecords.

#pragma once

#include <atomic>
#include <vector>

#include "plugin/hotrap/promotion/filter_register.h"
#include "plugin/hotrap/promotion/invalidation_ring.h"
#include "plugin/hotrap/promotion/promotion_batch.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/promotion/taken_records.h"

namespace ROCKSDB_NAMESPACE {

class PromotionCache {
 public:
  // `filters` may be nullptr if there is no compaction filter, and must outlive
  // this object.
  explicit PromotionCache(const Comparator* ucmp,
                          const FilterRegister* filters = nullptr);

  // Returns the record of the key for a read at `read_seq` in the levels >= FS
  // of version `version_number`, or nullptr.
  PromotionRecordPtr Lookup(const Slice& user_key, SequenceNumber read_seq,
                            uint64_t version_number,
                            int first_slow_level) const;

  enum class InsertResult {
    kInserted,
    kPresent,   // the key is already cached
    kFull,      // the mutable part has reached its capacity
    kTooLarge,  // see IsTooLarge()
    kStale,     // the slow tier changed for the key since the record was read,
                // or is about to because of a compaction filter; or FS changed
  };
  // Adds a record that was the newest of its key on the slow tier in version
  // `version_number`, which is the version it was read from or a later one.
  InsertResult Insert(const PromotionRecordPtr& record,
                      uint64_t version_number);
  // Adds back a record that was taken from this cache.
  InsertResult Return(const PromotionRecordPtr& record,
                      const TakenRecords& taken);

  // Whether a record of so many key and value bytes is never admitted. Records
  // of up to 1 MiB are, however small the capacity is.
  bool IsTooLarge(size_t user_bytes) const {
    return user_bytes > kAlwaysAdmittedBytes && user_bytes > capacity_bytes();
  }

  // Whether the mutable part has reached the capacity.
  bool Full() const {
    return batches_[mutable_index()].memory_bytes() >= capacity_bytes();
  }

  // Makes the mutable part the immutable one. REQUIRES: no immutable part.
  void Seal();
  // Returns the records of the immutable part in key order. Slow: call it from
  // the sealing thread only, without the DB mutex.
  std::vector<PromotionRecordPtr> SealedRecords() const;
  // Drops the immutable part. Slow, with the same restrictions.
  void Unseal();

  // Returns the records of the mutable part, and with `immutable_too` of the
  // immutable part, in [smallest, largest], in key order. Slow: call it without
  // the DB mutex.
  std::vector<PromotionRecordPtr> RecordsBetween(const Slice& smallest,
                                                 const Slice& largest,
                                                 bool immutable_too) const;
  // Drops those of the records that are still present.
  void Erase(const std::vector<PromotionRecordPtr>& records);

  // Erases the records in the range of `entry`, which is about to take effect.
  // Returns their number.
  size_t Invalidate(InvalidationRing::Entry entry);

  // Erase the records in [smallest, largest], or that of the key: a compaction
  // filter changes what they were read from, in a compaction that is not
  // installed yet. Until it is, FilterRegister refuses them. Any thread.
  void EraseClaimed(const Slice& smallest, const Slice& largest);
  void EraseClaimed(const Slice& user_key);
  // Refuses the records in the range of `entry` that were read before this
  // version, in which such a compaction has taken effect.
  void RefuseClaimed(InvalidationRing::Entry entry);

  // Drops everything, and serves only reads with this FS from now on. Records
  // read from a version before `version_number`, the current one, will be
  // refused.
  void Reset(int first_slow_level, uint64_t version_number);

  void SetCapacity(size_t bytes) {
    capacity_bytes_.store(bytes, std::memory_order_relaxed);
  }
  size_t capacity_bytes() const {
    return capacity_bytes_.load(std::memory_order_relaxed);
  }

  // The registry for those who take records to promote them.
  TakenRecords::Registry* taken() { return &taken_; }
  size_t memory_bytes() const {
    return batches_[0].memory_bytes() + batches_[1].memory_bytes();
  }
  size_t num_records() const {
    return batches_[0].num_records() + batches_[1].num_records();
  }

 private:
  static constexpr size_t kAlwaysAdmittedBytes = 1 << 20;

  int mutable_index() const {
    return mutable_index_.load(std::memory_order_acquire);
  }
  template <typename StillValid>
  InsertResult InsertIf(const PromotionRecordPtr& record,
                        const StillValid& still_valid);

  const Comparator* const ucmp_;
  const FilterRegister* const filters_;
  InvalidationRing ring_;
  TakenRecords::Registry taken_;
  std::atomic<size_t> capacity_bytes_{0};
  std::atomic<int> first_slow_level_{-1};
  // Sealing flips mutable_index_. An insert that loses the race against a seal
  // lands in the immutable part, where the checker does not see it, and is
  // dropped with it.
  PromotionBatch batches_[2];
  std::atomic<int> mutable_index_{0};
  std::atomic<bool> sealed_{false};
};

}  // namespace ROCKSDB_NAMESPACE
