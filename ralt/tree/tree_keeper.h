//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/ralt_stats.h"
#include "plugin/hotrap/ralt/tree/eviction.h"
#include "plugin/hotrap/ralt/tree/flush_figures.h"
#include "plugin/hotrap/ralt/tree/merge_job.h"
#include "plugin/hotrap/ralt/tree/merge_picker.h"
#include "plugin/hotrap/ralt/tree/run_store.h"
#include "plugin/hotrap/ralt/tree/space_budget.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The part of RALT's background job that merges levels and evicts records, and
// so keeps the tree within its limits.
//
// Thread safety: SetLearning(), learning(), new_share() and AddTo() may be
// called from any thread, the others by the background job.
class TreeKeeper {
 public:
  // All must outlive the keeper. `cancelled` is polled regularly.
  // `between_steps` is called during long work, for flushes.
  TreeKeeper(const RaltOptions& options, const Scoring& scoring,
             const FlushFigures& flushed, RunStore* store, SpaceBudget* space,
             std::function<bool()> cancelled,
             std::function<Status()> between_steps);

  TreeKeeper(const TreeKeeper&) = delete;
  TreeKeeper& operator=(const TreeKeeper&) = delete;

  // See Ralt::SetLearning().
  void SetLearning(bool learning) {
    learning_.store(learning, std::memory_order_relaxed);
  }
  bool learning() const { return learning_.load(std::memory_order_relaxed); }

  // Until it is taken back, Settle() leaves no run in level 0.
  void MergeAllRuns(bool all) { merge_all_runs_ = all; }

  // Merges levels and evicts until neither is due.
  Status Settle();

  // Share of records above the deepest level whose keys are not in it.
  double new_share() const {
    return new_share_.load(std::memory_order_relaxed);
  }
  void AddTo(RaltStats* stats) const;

 private:
  MergePicker::State StateOf(const Version& version, bool evicted) const;
  MergeContext MakeContext() const;
  // Runs a merge to its end, step by step.
  Status RunMerge(MergeJob* job);
  Status MergeLevel(size_t level);
  Status MoveLevel(size_t from, size_t to);
  // `tunes`: see EvictionPlanner::MakePlan().
  Status Evict(bool tunes);
  // Passes every record to the planner.
  Status ScanVersion(const Version& version, EvictionPlanner* planner);
  // Records how many keys of the upper levels were new in the deepest level, as
  // found by a merge into it.
  void LearnNewShare(uint64_t upper_records, uint64_t deepest_records,
                     uint64_t merged_records);

  const RaltOptions& options_;
  const Scoring& scoring_;
  const FlushFigures& flushed_;
  RunStore* const store_;
  SpaceBudget* const space_;
  const std::function<bool()> cancelled_;
  const std::function<Status()> between_steps_;
  const MergePicker picker_;
  Random64 random_;
  bool merge_all_runs_ = false;

  std::atomic<bool> learning_{false};
  // Written by the background job, read by anyone.
  std::atomic<double> new_share_{1};
  std::atomic<uint64_t> merges_{0};
  std::atomic<uint64_t> evictions_{0};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
