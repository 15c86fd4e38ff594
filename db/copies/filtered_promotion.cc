//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/filtered_promotion.h"

#include <algorithm>

#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/copy_marks.h"
#include "plugin/hotrap/db/copies/promotion_filter.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

FilteredPromotion::FilteredPromotion(TierState* state) : state_(state) {
  ColumnFamilyData* const cfd = state->cfd();
  if (HasFilter(cfd->ioptions())) {
    promotion_ = std::make_unique<FilterRegister::Promotion>(
        &cfd->hotrap.filter_register(), cfd->user_comparator());
  }
}

template <typename Drops>
void FilteredPromotion::Drop(std::vector<PromotionRecordPtr>* records,
                             const Drops& drops) {
  const auto end = std::remove_if(records->begin(), records->end(), drops);
  state_->stats().Count(HotRapCounter::kDroppedFiltered, records->end() - end);
  records->erase(end, records->end());
}

void FilteredPromotion::DropUnkept(const Compaction* compaction,
                                   std::vector<PromotionRecordPtr>* records) {
  if (promotion_ == nullptr) {
    return;
  }
  const PromotionFilter filter = compaction != nullptr
                                     ? PromotionFilter(*compaction)
                                     : PromotionFilter(*state_->cfd());
  Drop(records, [&](const PromotionRecordPtr& record) {
    if (filter.Keeps(*record)) {
      return false;
    }
    state_->filter_refusals().Add(record->user_key, record->seq);
    return true;
  });
}

void FilteredPromotion::Publish(std::vector<PromotionRecordPtr>* records) {
  if (promotion_ == nullptr) {
    return;
  }
  promotion_->Publish(*records);
  Drop(records, [this](const PromotionRecordPtr& record) {
    return state_->cfd()->hotrap.filter_register().Claimed(record->user_key);
  });
}

}  // namespace ROCKSDB_NAMESPACE
