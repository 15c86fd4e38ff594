//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "plugin/hotrap/ralt/run/run_env.h"
#include "plugin/hotrap/ralt/run/run_writer.h"
#include "plugin/hotrap/ralt/tree/merging_cursor.h"
#include "plugin/hotrap/ralt/tree/version.h"

namespace ROCKSDB_NAMESPACE::ralt {

// How a merge treats records.
struct MergePolicy {
  LogicalTime now;
  // Records of a lower rank are dropped.
  Rank drop_threshold = Rank::Lowest();
  // Records of a lower rank are not hot.
  Rank hot_threshold = Rank::LowestStable();
};

// How often MergeContext::cancelled is polled.
constexpr uint64_t kRecordsBetweenPolls = 1024;

// The parts of a Ralt that merges and flushes need.
struct MergeContext {
  const RunEnv* env;
  const Scoring* scoring;
  uint64_t file_bytes;  // outputs are cut at this size
  std::function<uint64_t()> new_file_number;
  // Polled regularly; if true, the job fails with ShutdownInProgress.
  std::function<bool()> cancelled;
};

// Merges slices of a version into one of its levels, one output file per step,
// so that each step frees the inputs that it has consumed. Not thread-safe.
class MergeJob {
 public:
  // `inputs` are slices by level, as in the version that they come from. They
  // include all of `output_level`, unless that is 0. `context` must outlive the
  // job.
  MergeJob(const MergeContext& context,
           const std::vector<std::vector<RunSlice>>& inputs,
           size_t output_level, const MergePolicy& policy);

  // Writes the next output file. After a failure the job cannot continue, but
  // the results of earlier steps remain valid.
  Status Step();
  bool done() const { return done_; }

  // Returns the version after the last step. `before` is the current version,
  // which may have new runs added since the previous step.
  std::shared_ptr<Version> Apply(const Version& before) const;

 private:
  const MergeContext& context_;
  const size_t output_level_;
  const MergePolicy policy_;
  std::unordered_set<uint64_t> input_numbers_;
  MergingCursor cursor_;

  bool started_ = false;
  bool done_ = false;
  // The output of the last step; nullptr if every record was dropped.
  std::shared_ptr<RunFile> output_;
  // The last key that the steps have written.
  std::string last_key_;
  // The first key that the steps have not processed yet. If the merge ends
  // early, dropped records between last_key_ and next_key_ come back.
  std::string next_key_;
};

// Writes records from the cursor into one file, until the file is full or the
// cursor ends. *file is nullptr if the policy dropped all records. *last_key is
// the last key of the previous run in the same level, or empty, and receives
// that of this run.
Status WriteRun(const MergeContext& context, const MergePolicy& policy,
                RecordCursor* cursor, std::string* last_key,
                std::shared_ptr<RunFile>* file);

}  // namespace ROCKSDB_NAMESPACE::ralt
