//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The user's compaction filter, as MergeHelper sees it. It may not skip a range
// that may hold promoted copies or their originals: one of the two could be
// skipped, while the other stays readable. In that case the merge operand is
// kept, and the filter decides again in a later compaction.
//
// CompactionIterator asks the filter about all other records, and has a hook
// for the same purpose (HotRapCopies::HidesRangeFromFilter).

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/db/copies/compaction_copies.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class OperandFilter : public CompactionFilter {
 public:
  // Both must outlive this object.
  OperandFilter(const CompactionFilter* target, const CompactionCopies* copies)
      : target_(target), copies_(copies) {}

  const char* Name() const override { return target_->Name(); }

  // What MergeHelper calls: another function in each release of RocksDB. The
  // target's default of FilterV4() calls its FilterV3(), not the reverse.
#if ROCKSDB_MAJOR >= 11
  Decision FilterV4(
      int level, const Slice& key, ValueType value_type,
      const Slice* existing_value, const WideColumns* existing_columns,
      std::string* new_value,
      std::vector<std::pair<std::string, std::string>>* new_columns,
      std::string* skip_until,
      WideColumnBlobResolver* resolver) const override {
    return Checked(key, *skip_until,
                   target_->FilterV4(level, key, value_type, existing_value,
                                     existing_columns, new_value, new_columns,
                                     skip_until, resolver));
  }
  bool SupportsFilterV4() const override { return target_->SupportsFilterV4(); }
#else
  Decision FilterV3(
      int level, const Slice& key, ValueType value_type,
      const Slice* existing_value, const WideColumns* existing_columns,
      std::string* new_value,
      std::vector<std::pair<std::string, std::string>>* new_columns,
      std::string* skip_until) const override {
    return Checked(key, *skip_until,
                   target_->FilterV3(level, key, value_type, existing_value,
                                     existing_columns, new_value, new_columns,
                                     skip_until));
  }
#endif

 private:
  // `skip_until` is what the target has set.
  Decision Checked(const Slice& key, const std::string& skip_until,
                   Decision decision) const {
    return decision == Decision::kRemoveAndSkipUntil &&
                   !copies_->MaySkip(key, skip_until)
               ? Decision::kKeep
               : decision;
  }

  const CompactionFilter* const target_;
  const CompactionCopies* const copies_;
};

}  // namespace ROCKSDB_NAMESPACE
