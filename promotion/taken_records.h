//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Records that a promotion has taken from the promotion cache and is about to
// write to the fast tier, together with the version changes since then that
// make some of them stale. The registry reports each change as it happens, so
// that the answer is always exact; there is no bounded history as in
// InvalidationRing.
//
// Thread-safe, except for construction, destruction and SetRecords(), which
// only the owner may call. Its lock is taken while a shard of the promotion
// cache is locked.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "plugin/hotrap/promotion/invalidation_ring.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "port/port.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE {

class TakenRecords {
 public:
  // All TakenRecords of one cache: those of running compactions and of the
  // promotion by flush.
  class Registry {
   public:
    explicit Registry(const Comparator* ucmp) : ucmp_(ucmp) {}
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    // Reports an entry that is about to take effect. Costs two searches for
    // each registered object.
    void OnChange(const InvalidationRing::Entry& entry);
    // Reports that every record is stale.
    void OnAnyChange();

   private:
    friend class TakenRecords;
    const Comparator* const ucmp_;
    mutable port::Mutex mutex_;
    std::vector<TakenRecords*> registered_;
  };

  // Registers for changes. Construct it before taking the records, with the DB
  // mutex held. `registry` must outlive it.
  explicit TakenRecords(Registry* registry);
  ~TakenRecords();
  TakenRecords(const TakenRecords&) = delete;
  TakenRecords& operator=(const TakenRecords&) = delete;

  // Sets the records that were taken, in key order. May be called at most once.
  void SetRecords(std::vector<PromotionRecordPtr> records);
  const std::vector<PromotionRecordPtr>& records() const { return records_; }

  // Returns whether the slow tier has changed for any of the records.
  bool AnyOvertaken() const;
  // Returns whether the slow tier has changed for `record`, which is one of the
  // records. With `fast_too`, also whether a file that may hold the key entered
  // the fast tier without passing through a memtable.
  bool Overtaken(const PromotionRecord& record, bool fast_too) const;
  // A counter that grows with each change, of either kind, that affects a
  // record not yet affected.
  uint64_t num_changes() const;

 private:
  // Disjoint ranges of record indices: from the map's key to its value, which
  // is exclusive.
  using Ranges = std::map<size_t, size_t>;

  // Returns whether it added anything.
  static bool Add(size_t begin, size_t end, Ranges* ranges);
  static bool Contains(const Ranges& ranges, size_t index);
  size_t LowerBound(const Slice& user_key) const;
  // REQUIRES: the registry's lock held
  void Apply(const InvalidationRing::Entry& entry);
  void ApplyToAll();

  Registry* const registry_;
  std::vector<PromotionRecordPtr> records_;

  // Protected by the registry's lock.
  bool has_records_ = false;
  // Changes that were reported before SetRecords().
  std::vector<InvalidationRing::Entry> early_;
  bool early_all_ = false;
  Ranges slow_changed_;
  Ranges fast_added_;
  uint64_t num_changes_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
