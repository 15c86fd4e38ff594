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

#include "plugin/hotrap/ralt/merging_cursor.h"
#include "plugin/hotrap/ralt/run_env.h"
#include "plugin/hotrap/ralt/run_writer.h"
#include "plugin/hotrap/ralt/version.h"

namespace ROCKSDB_NAMESPACE::ralt {

// What a merge does to the records that pass through it.
struct MergePolicy {
  LogicalTime now;
  // Records of a lower rank are dropped.
  Rank drop_threshold = Rank::Lowest();
  // Records of a lower rank are not hot.
  Rank hot_threshold = Rank::LowestStable();
};

// What merges and flushes need of their Ralt.
struct MergeContext {
  const RunEnv* env;
  const Scoring* scoring;
  uint64_t file_bytes;  // outputs are cut at this size
  std::function<uint64_t()> new_file_number;
  // Polled now and then; true: give up with ShutdownInProgress.
  std::function<bool()> cancelled;
};

// Merges some slices of a version into one of its levels, an output file at a
// time, so that each step frees what it has consumed. Not thread safe.
class MergeJob {
 public:
  // `inputs`: slices by level as in the version they come from. They include
  // all of `output_level`, if it is not 0. `context` outlives the job.
  MergeJob(const MergeContext& context,
           const std::vector<std::vector<RunSlice>>& inputs,
           size_t output_level, const MergePolicy& policy);

  // Writes the next output file. A failed job can't go on, but what its
  // steps have done so far stands.
  Status Step();
  bool done() const { return done_; }

  // The version after the last step, given the one before it, to which other
  // runs may have been added since.
  std::shared_ptr<Version> Apply(const Version& before) const;

 private:
  const MergeContext& context_;
  const size_t output_level_;
  const MergePolicy policy_;
  std::unordered_set<uint64_t> input_numbers_;
  MergingCursor cursor_;

  bool started_ = false;
  bool done_ = false;
  // Of the last step. nullptr: every record was dropped.
  std::shared_ptr<RunFile> output_;
  // Of what the steps have written.
  std::string last_key_;
  // What the steps have not come to yet begins here. Between the two, records
  // that were dropped come back if the merge is cut short.
  std::string next_key_;
};

// Writes records from the cursor on into one file, until it is full or the
// cursor at its end. *file is nullptr if the policy dropped all of them.
// *last_key: that of the run before in the same level, or empty; then its own.
Status WriteRun(const MergeContext& context, const MergePolicy& policy,
                RecordCursor* cursor, std::string* last_key,
                std::shared_ptr<RunFile>* file);

}  // namespace ROCKSDB_NAMESPACE::ralt
