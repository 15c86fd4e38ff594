//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What one promotion has to do because of a compaction filter: leave out what
// the filter would not keep, and what a compaction is about to change, and
// protect the rest from compactions (FilterRegister). Does nothing in a column
// family without a filter.
//
// Not thread-safe.

#pragma once

#include <memory>
#include <vector>

#include "plugin/hotrap/promotion/filter_register.h"
#include "plugin/hotrap/promotion/promotion_record.h"

namespace ROCKSDB_NAMESPACE {

class Compaction;
class TierState;

class FilteredPromotion {
 public:
  // To be created before the promotion takes records from the cache, and
  // destroyed when they are installed. `state` must outlive this object.
  explicit FilteredPromotion(TierState* state);

  // Removes the records, which are in key order, that the filter does not keep
  // as they are. `compaction` is the one that promotes; nullptr for a promotion
  // by flush.
  void DropUnkept(const Compaction* compaction,
                  std::vector<PromotionRecordPtr>* records);
  // From now on compactions do not change the records. Removes those that they
  // may have changed already. May be called at most once.
  void Publish(std::vector<PromotionRecordPtr>* records);

 private:
  template <typename Drops>
  void Drop(std::vector<PromotionRecordPtr>* records, const Drops& drops);

  TierState* const state_;
  std::unique_ptr<FilterRegister::Promotion> promotion_;  // nullptr: no filter
};

}  // namespace ROCKSDB_NAMESPACE
