//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Records that somebody has taken from the promotion cache and is about to
// write to the fast tier, and what has come into force meanwhile that overtakes
// them. It is told of each change as it happens and keeps no history: it never
// has to say that it does not know.
//
// Thread safe, but for construction, destruction and SetRecords(), which are
// the owner's. Its lock is taken under a shard's of the promotion cache.

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
  // All that are taken from one cache: some compactions' and a promotion's.
  class Registry {
   public:
    explicit Registry(const Comparator* ucmp) : ucmp_(ucmp) {}
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    // The entry is about to come into force. Takes two searches for each that
    // is registered.
    void OnChange(const InvalidationRing::Entry& entry);
    // Everything is overtaken.
    void OnAnyChange();

   private:
    friend class TakenRecords;
    const Comparator* const ucmp_;
    mutable port::Mutex mutex_;
    std::vector<TakenRecords*> registered_;
  };

  // From here on it is told of changes. To be called before the records are
  // taken, with the DB mutex held. `registry` must outlive it.
  explicit TakenRecords(Registry* registry);
  ~TakenRecords();
  TakenRecords(const TakenRecords&) = delete;
  TakenRecords& operator=(const TakenRecords&) = delete;

  // These, in key order, were taken. At most once.
  void SetRecords(std::vector<PromotionRecordPtr> records);
  const std::vector<PromotionRecordPtr>& records() const { return records_; }

  // Whether the slow tier has changed for one of them.
  bool AnyOvertaken() const;
  // Whether it has for this one, which is one of them, or, with `fast_too`,
  // whether a file came into the fast tier past the memtables.
  bool Overtaken(const PromotionRecord& record, bool fast_too) const;
  // Grows with each change, of either kind, that concerns one more of them.
  uint64_t num_changes() const;

 private:
  // Of indices of records: from the key up to the value, which is exclusive.
  // Disjoint.
  using Ranges = std::map<size_t, size_t>;

  // Whether that adds anything.
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
  // What came before the records.
  std::vector<InvalidationRing::Entry> early_;
  bool early_all_ = false;
  Ranges slow_changed_;
  Ranges fast_added_;
  uint64_t num_changes_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
