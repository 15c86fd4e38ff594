//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/hotrap_subcompaction.h"

#include <algorithm>
#include <utility>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_iterator.h"
#include "db/compaction/subcompaction_state.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/compaction/hotrap_compaction.h"
#include "plugin/hotrap/db/copies/compaction_copies.h"
#include "plugin/hotrap/db/copies/operand_filter.h"
#include "plugin/hotrap/table/promotion_merging_iterator.h"
#include "plugin/hotrap/table/promotion_record_iterator.h"

namespace ROCKSDB_NAMESPACE {

namespace {
bool IsValue(ValueType type) {
  return type == kTypeValue || type == kTypeWideColumnEntity;
}

class OwningMerge : public PromotionMergingIterator {
 public:
  OwningMerge(std::unique_ptr<InternalIterator> files,
              std::unique_ptr<InternalIterator> promoted,
              const InternalKeyComparator* icmp)
      : PromotionMergingIterator(files.get(), promoted.get(), icmp),
        files_(std::move(files)),
        promoted_(std::move(promoted)) {}

 private:
  const std::unique_ptr<InternalIterator> files_;
  const std::unique_ptr<InternalIterator> promoted_;
};
}  // namespace

HotRapSubcompaction::HotRapSubcompaction(const SubcompactionState& state)
    : shared_(state.compaction->hotrap.get()),
      copies_(state.compaction->hotrap_copies.get()),
      icmp_(state.compaction->column_family_data()->internal_comparator()) {
  if (shared_ == nullptr) {
    return;
  }
  for (const auto& record : shared_->promoted()) {
    const Comparator* const ucmp = icmp_.user_comparator();
    if ((!state.start.has_value() ||
         ucmp->Compare(record->user_key, *state.start) >= 0) &&
        (!state.end.has_value() ||
         ucmp->Compare(record->user_key, *state.end) < 0)) {
      promoted_.push_back(record);
    }
  }
}

std::unique_ptr<InternalIterator> HotRapSubcompaction::Input(
    std::unique_ptr<InternalIterator> files) {
  if (promoted_.empty()) {
    return files;
  }
  return std::make_unique<OwningMerge>(
      std::move(files), std::make_unique<PromotionRecordIterator>(&promoted_),
      &icmp_);
}

InternalIterator* HotRapSubcompaction::WithoutCopies(InternalIterator* input) {
  if (copies_ == nullptr || !copies_->removes_any()) {
    return input;
  }
  without_copies_ = std::make_unique<SkippingIterator>(
      input, [copies = copies_](const ParsedInternalKey& ikey) {
        return copies->Removes(ikey);
      });
  return without_copies_.get();
}

const CompactionFilter* HotRapSubcompaction::FilterOfOperands(
    const CompactionFilter* filter) {
  if (filter == nullptr || copies_ == nullptr) {
    return filter;
  }
  operand_filter_ = std::make_unique<OperandFilter>(filter, copies_);
  return operand_filter_.get();
}

const PromotionRecord* HotRapSubcompaction::Promoted(
    const ParsedInternalKey& ikey) {
  const Comparator* const ucmp = icmp_.user_comparator();
  while (next_promoted_ < promoted_.size() &&
         ucmp->Compare(promoted_[next_promoted_]->user_key, ikey.user_key) <
             0) {
    next_promoted_++;
  }
  // The record at hand may be a newer version of the key; it is as hot as the
  // promoted one.
  return next_promoted_ < promoted_.size() &&
                 ucmp->Compare(promoted_[next_promoted_]->user_key,
                               ikey.user_key) == 0
             ? promoted_[next_promoted_].get()
             : nullptr;
}

bool HotRapSubcompaction::Retain(const CompactionIterator& iterator) {
  if (shared_ == nullptr || !shared_->retains() ||
      iterator.IsDeleteRangeSentinelKey()) {
    return false;
  }
  const ParsedInternalKey& ikey = iterator.ikey();
  if (seen_any_ &&
      icmp_.user_comparator()->Compare(ikey.user_key, last_user_key_) == 0) {
    return false;
  }
  seen_any_ = true;
  last_user_key_.assign(ikey.user_key.data(), ikey.user_key.size());
  if (!IsValue(ikey.type) || !shared_->fast_range().Contains(ikey.user_key)) {
    return false;
  }
  const uint64_t bytes = ikey.user_key.size() + iterator.value().size();
  return shared_->Keeps(ikey, bytes, Promoted(ikey));
}

uint64_t HotRapSubcompaction::FromFiles(uint64_t scanned) const {
  const uint64_t skipped =
      without_copies_ != nullptr ? without_copies_->num_skipped() : 0;
  return scanned - std::min<uint64_t>(scanned, promoted_.size()) + skipped;
}

}  // namespace ROCKSDB_NAMESPACE
