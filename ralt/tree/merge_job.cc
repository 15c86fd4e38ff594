//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/merge_job.h"

#include <algorithm>
#include <cassert>

#include "plugin/hotrap/ralt/run/short_keys.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kReadaheadBytes = 256 << 10;

// Applies a policy to records.
class RecordFilter {
 public:
  RecordFilter(const Scoring& scoring, const MergePolicy& policy)
      : scoring_(scoring),
        policy_(policy),
        ranks_matter_(Rank::Lowest() < policy.drop_threshold ||
                      Rank::LowestStable() < policy.hot_threshold) {}

  // Returns false to drop the record. Otherwise sets its `hot` flag.
  bool Pass(uint64_t key_hash, AccessRecord* record) const {
    if (!ranks_matter_) {
      record->hot = scoring_.IsStable(policy_.now, *record);
      return true;
    }
    const Rank rank =
        scoring_.RankAt(policy_.now, *record, Upper32of64(key_hash));
    record->hot = !(rank < policy_.hot_threshold);
    return !(rank < policy_.drop_threshold);
  }

 private:
  const Scoring& scoring_;
  const MergePolicy& policy_;
  // False if the records' counters decide all thresholds, which is usual
  // between two evictions.
  const bool ranks_matter_;
};

// A single record may be larger than the target size of a file.
bool HasRoom(const RunWriter& writer, const Slice& key, uint64_t file_bytes) {
  return writer.records() == 0 ||
         writer.data_bytes() + key.size() -
                 key.difference_offset(writer.last_key()) <
             file_bytes;
}

Status CopyRecords(const MergeContext& context, const MergePolicy& policy,
                   RecordCursor* cursor, RunWriter* writer) {
  const RecordFilter filter(*context.scoring, policy);
  uint64_t records = 0;
  for (; cursor->Valid() &&
         HasRoom(*writer, cursor->record().key, context.file_bytes);
       cursor->Next()) {
    if (++records % kRecordsBetweenPolls == 0 && context.cancelled()) {
      return Status::ShutdownInProgress();
    }
    AccessRecord record = cursor->record();
    const uint64_t key_hash = RunFilter::HashKey(record.key);
    if (filter.Pass(key_hash, &record)) {
      const Status s = writer->Add(record, key_hash);
      if (!s.ok()) {
        return s;
      }
    }
  }
  return cursor->status();
}
}  // namespace

Status WriteRun(const MergeContext& context, const MergePolicy& policy,
                RecordCursor* cursor, std::string* last_key,
                std::shared_ptr<RunFile>* file) {
  file->reset();
  const RunEnv& env = *context.env;
  const uint64_t number = context.new_file_number();
  RunWriter writer(env, number, policy.now, *last_key);
  Status s = writer.Open();
  if (s.ok()) {
    s = CopyRecords(context, policy, cursor, &writer);
  }
  const bool keep = s.ok() && writer.records() > 0;
  if (keep) {
    Slice below;
    if (cursor->Valid()) {
      below = cursor->record().key;
    }
    s = writer.Finish(cursor->Valid() ? &below : nullptr);
    *last_key = writer.last_key();
  }
  if (keep && s.ok()) {
    s = RunFile::Open(env, number, writer.file_bytes(), writer.tail_bytes(),
                      file);
  }
  if (!keep || !s.ok()) {
    env.DeleteRun(RunFileName(env.path, number));
  }
  return s;
}

MergeJob::MergeJob(const MergeContext& context,
                   const std::vector<std::vector<RunSlice>>& inputs,
                   size_t output_level, const MergePolicy& policy)
    : context_(context),
      output_level_(output_level),
      policy_(policy),
      cursor_(MakeLevelCursors(inputs, kReadaheadBytes,
                               /*release_passed=*/true),
              context.env->order, *context.scoring, policy.now) {
  for (const auto& level : inputs) {
    for (const RunSlice& slice : level) {
      input_numbers_.insert(slice.file->number());
    }
  }
}

Status MergeJob::Step() {
  assert(!done_);
  TEST_SYNC_POINT("MergeJob::Step");
  if (!started_) {
    cursor_.SeekToFirst();
    started_ = true;
  }
  const Status s = WriteRun(context_, policy_, &cursor_, &last_key_, &output_);
  if (!s.ok()) {
    return s;
  }
  done_ = !cursor_.Valid();
  if (!done_) {
    const Slice next = cursor_.record().key;
    next_key_ = last_key_.empty()
                    ? next.ToString()
                    : ShortLowerBound(context_.env->order, last_key_, next);
  }
  return s;
}

std::shared_ptr<Version> MergeJob::Apply(const Version& before) const {
  const KeyOrder& order = context_.env->order;
  auto after = std::make_shared<Version>();
  after->levels.resize(std::max(before.levels.size(), output_level_ + 1));
  size_t output_position = 0;
  for (size_t level = 0; level < before.levels.size(); ++level) {
    for (const RunSlice& slice : before.levels[level]) {
      const bool is_input = input_numbers_.count(slice.file->number()) > 0;
      if (!is_input) {
        after->levels[level].push_back(slice);
        if (level == output_level_) {
          // An output of an earlier step.
          output_position = after->levels[level].size();
        }
      } else if (!done_ &&
                 !order.Less(slice.file->properties().largest, next_key_)) {
        // An earlier, unfinished merge may have trimmed the input further
        // already.
        const bool trimmed =
            !slice.begin.empty() && order.Less(next_key_, slice.begin);
        after->levels[level].push_back(
            {slice.file, trimmed ? slice.begin : next_key_});
      }
    }
  }
  if (output_ != nullptr) {
    auto& outputs = after->levels[output_level_];
    outputs.insert(outputs.begin() + static_cast<ptrdiff_t>(output_position),
                   RunSlice{output_, std::string()});
  }
  return after;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
