//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/pinning/pinned_scan.h"

#include <algorithm>
#include <memory>

#include "db/wide/wide_column_serialization.h"
#include "memory/arena.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/access/rocksdb_compat.h"
#include "plugin/hotrap/db/promotion/newer_version_check.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "plugin/hotrap/table/promotion_record_iterator.h"
#include "table/merging_iterator.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Whether the whole record is here: no column of it is in a blob file.
bool IsWhole(ValueType type, const Slice& value) {
  if (type != kTypeWideColumnEntity) {
    return type == kTypeValue;
  }
  Slice input = value;
  WideColumns columns;
  return WideColumnSerialization::Deserialize(input,
                                              columns HOTRAP_DESERIALIZE_ARGS)
      .ok();
}

}  // namespace

PinnedScan::PinnedScan(TierState* state, SuperVersion* sv, int first_slow_level)
    : state_(state),
      sv_(sv),
      first_slow_level_(first_slow_level),
      visible_from_(state->db()->GetLatestSequenceNumber()) {
  const VersionStorageInfo& storage = *sv->current->storage_info();
  const Comparator* const ucmp = sv->cfd->user_comparator();
  for (int level = 0; level < storage.num_levels(); level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      const Slice first = file->smallest.user_key();
      const Slice last = file->largest.user_key();
      if (!smallest_.has_value() || ucmp->Compare(last, largest_) > 0) {
        largest_ = last;
      }
      if (!smallest_.has_value() || ucmp->Compare(first, *smallest_) < 0) {
        smallest_ = first;
      }
    }
  }
}

TierBytes PinnedScan::Measure(const RangeOfKeys& range) const {
  const VersionStorageInfo& storage = *sv_->current->storage_info();
  TierBytes result;
  if (!smallest_.has_value()) {
    return result;
  }
  const InternalKey begin(
      range.begin.has_value() ? Slice(*range.begin) : *smallest_,
      kMaxSequenceNumber, kValueTypeForSeek);
  // Before the range's end, or behind the last key.
  const InternalKey end =
      range.end.has_value()
          ? InternalKey(*range.end, kMaxSequenceNumber, kValueTypeForSeek)
          : InternalKey(largest_, 0, kTypeDeletion);
  if (sv_->cfd->internal_comparator().Compare(begin, end) >= 0) {
    return result;
  }
  ReadOptions read_options;
  read_options.fill_cache = false;
  read_options.rate_limiter_priority = Env::IO_LOW;
  VersionSet* const versions = DbAccess(state_->db()).versions();
  const auto measure = [&](int from_level, int to_level) -> uint64_t {
    return from_level >= to_level
               ? 0
               : versions->ApproximateSize(
                     SizeApproximationOptions(), read_options, sv_->current,
                     begin.Encode(), end.Encode(), from_level, to_level,
                     TableReaderCaller::kUserApproximateSize);
  };
  const int fs = std::min(first_slow_level_, storage.num_levels());
  result.fast = measure(0, fs);
  result.slow = measure(fs, storage.num_levels());
  return result;
}

std::vector<std::string> PinnedScan::Boundaries(
    const RangeOfKeys& range) const {
  const VersionStorageInfo& storage = *sv_->current->storage_info();
  const Comparator* const ucmp = sv_->cfd->user_comparator();
  const KeyRangeSet set(ucmp, {range});
  std::vector<std::string> keys;
  for (int level = 0; level < storage.num_levels(); level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      if (set.Contains(file->smallest.user_key())) {
        keys.push_back(file->smallest.user_key().ToString());
      }
    }
  }
  std::sort(keys.begin(), keys.end(),
            [&](const std::string& a, const std::string& b) {
              return ucmp->Compare(a, b) < 0;
            });
  return keys;
}

Status PinnedScan::Read(const RangeOfKeys& range,
                        const std::optional<std::string>& from,
                        uint64_t max_bytes, Batch* batch) const {
  const VersionStorageInfo& storage = *sv_->current->storage_info();
  const InternalKeyComparator& icmp = sv_->cfd->internal_comparator();
  const Comparator* const ucmp = icmp.user_comparator();
  ReadOptions read_options;
  read_options.fill_cache = false;
  read_options.total_order_seek = true;
  read_options.rate_limiter_priority = Env::IO_LOW;
  Arena arena;
  MergeIteratorBuilder builder(&icmp, &arena);
  bool any = false;
  for (int level = first_slow_level_; level < storage.num_levels(); level++) {
    if (storage.NumLevelFiles(level) > 0) {
      any = true;
      sv_->current->AddIteratorsForLevel(
          read_options, DbAccess(state_->db()).file_options(), &builder, level,
          /*allow_unprepared_value=*/false HOTRAP_LEVEL_ITERATOR_ARGS);
    }
  }
  if (!any) {
    return Status::OK();
  }
  ScopedArenaPtr<InternalIterator> it(builder.Finish());
  const std::optional<std::string>& start =
      from.has_value() ? from : range.begin;
  if (start.has_value()) {
    it->Seek(
        InternalKey(*start, kMaxSequenceNumber, kValueTypeForSeek).Encode());
  } else {
    it->SeekToFirst();
  }

  const NewerVersionCheck newer(sv_, first_slow_level_);
  std::string last_key;
  bool has_last = false;
  for (; it->Valid(); it->Next()) {
    ParsedInternalKey ikey;
    const Status s = ParseInternalKey(it->key(), &ikey, /*log_err_key=*/false);
    if (!s.ok()) {
      return s;
    }
    const bool older = has_last && ucmp->Compare(ikey.user_key, last_key) == 0;
    if (!older) {
      if (range.end.has_value() &&
          ucmp->Compare(ikey.user_key, *range.end) >= 0) {
        return Status::OK();
      }
      if (batch->bytes_read >= max_bytes) {
        batch->next = ikey.user_key.ToString();
        return Status::OK();
      }
      last_key.assign(ikey.user_key.data(), ikey.user_key.size());
      has_last = true;
    }
    batch->bytes_read += it->key().size() + it->value().size();
    // A copy at sequence number 1 would hide the DB's first write.
    if (older || !IsWhole(ikey.type, it->value()) ||
        visible_from_ < PromotedSequenceNumber(ikey.sequence) ||
        state_->rules().Of(ikey.user_key) != KeyRules::Rule::kPinned ||
        state_->filter_refusals().Contains(ikey.user_key, ikey.sequence) ||
        newer.InFastLevels(ikey.user_key)) {
      continue;
    }
    auto record = std::make_shared<PromotionRecord>();
    record->user_key = ikey.user_key.ToString();
    record->value = it->value().ToString();
    record->seq = ikey.sequence;
    record->type = ikey.type;
    record->visible_from = visible_from_;
    record->version_number = sv_->current->GetVersionNumber();
    record->first_slow_level = first_slow_level_;
    batch->records.push_back(std::move(record));
  }
  return it->status();
}

}  // namespace ROCKSDB_NAMESPACE
