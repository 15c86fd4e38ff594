//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/promotion_filter.h"

#include <string>
#include <utility>
#include <vector>

#include "db/compaction/compaction.h"
#include "db/wide/wide_column_serialization.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/access/rocksdb_compat.h"

namespace ROCKSDB_NAMESPACE {

PromotionFilter::PromotionFilter(const ColumnFamilyData& cfd)
    : ucmp_(cfd.user_comparator()), level_(0) {
  const ImmutableOptions& ioptions = cfd.ioptions();
  filter_ = ioptions.compaction_filter;
  CompactionFilterFactory* const factory =
      ioptions.compaction_filter_factory.get();
  // What compactions would do with the records is asked, so this is the reason.
  const TableFileCreationReason reason = TableFileCreationReason::kCompaction;
  if (filter_ == nullptr && factory != nullptr &&
      factory->ShouldFilterTableFileCreation(reason)) {
    CompactionFilter::Context context;
    context.is_full_compaction = false;
    context.is_manual_compaction = false;
    context.column_family_id = cfd.GetID();
    context.reason = reason;
    from_factory_ = factory->CreateCompactionFilter(context);
    filter_ = from_factory_.get();
  }
}

PromotionFilter::PromotionFilter(const Compaction& compaction)
    : ucmp_(compaction.column_family_data()->user_comparator()),
      level_(compaction.level()) {
  filter_ = compaction.immutable_options().compaction_filter;
  if (filter_ == nullptr) {
    from_factory_ = compaction.CreateCompactionFilter();
    filter_ = from_factory_.get();
  }
}

bool PromotionFilter::Keeps(const PromotionRecord& record) const {
  if (filter_ == nullptr) {
    return true;
  }
  if (!filter_->IgnoreSnapshots()) {
    // RocksDB refuses to compact with such a filter.
    return false;
  }
  const bool is_entity = record.type == kTypeWideColumnEntity;
  WideColumns columns;
  const Slice value = record.value;
  Slice input = value;
  if (is_entity && !WideColumnSerialization::Deserialize(
                        input, columns HOTRAP_DESERIALIZE_ARGS)
                        .ok()) {
    return false;
  }
  std::string new_value;
  std::vector<std::pair<std::string, std::string>> new_columns;
  std::string skip_until;
  const CompactionFilter::Decision decision = filter_->HOTRAP_FILTER(
      level_, record.user_key,
      is_entity ? CompactionFilter::ValueType::kWideColumnEntity
                : CompactionFilter::ValueType::kValue,
      is_entity ? nullptr : &value, is_entity ? &columns : nullptr, &new_value,
      &new_columns, &skip_until HOTRAP_FILTER_ARGS);
  // RocksDB also keeps what is skipped up to no greater key.
  return decision == CompactionFilter::Decision::kKeep ||
         (decision == CompactionFilter::Decision::kRemoveAndSkipUntil &&
          ucmp_->Compare(skip_until, record.user_key) <= 0);
}

}  // namespace ROCKSDB_NAMESPACE
