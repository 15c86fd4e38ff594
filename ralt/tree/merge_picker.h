//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Chooses what to do next with RALT's levels. Given numbers, and nothing else.
//
// Thread safety: const functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugin/hotrap/ralt/tree/flush_figures.h"

namespace ROCKSDB_NAMESPACE::ralt {

class MergePicker {
 public:
  struct Level {
    size_t runs = 0;
    uint64_t bytes = 0;
  };

  struct State {
    std::vector<Level> levels;
    FlushFigures flushed;
    // Share of records above the deepest level whose keys are not in it.
    double new_share = 1;
    // Whether a hot set is being learned (Ralt::SetLearning).
    bool learning = false;
    // Set if a caller of Flush() waits: no run stays in level 0.
    bool merge_all_runs = false;
    // Whether the next flush needs room (SpaceBudget::IsShort).
    bool space_is_short = false;
    // Set if records have been evicted already. The estimates below may still
    // be too high, and an eviction that frees nothing must not be repeated at
    // once.
    bool evicted = false;
    // Estimates that count each key once: further records of known keys
    // disappear in the next merge, and an eviction would free nothing there.
    uint64_t physical_bytes = 0;
    uint64_t hot_bytes = 0;
    // Their limits.
    uint64_t record_limit_bytes = 0;
    uint64_t hot_set_limit_bytes = 0;
    // Whether stable records need a score to be hot.
    bool hot_by_score = false;
  };

  enum class Work {
    kNone,
    kMergeDown,  // merge the level into the next one
    kEvict,
    kFindScore,  // find the score to be hot, within the limits as they are
    kMoveUp,     // make the level the one above
  };
  struct Choice {
    Work work = Work::kNone;
    size_t level = 0;
  };

  // See RaltOptions.
  MergePicker(uint32_t level_ratio, uint32_t level0_runs)
      : level_ratio_(level_ratio), level0_runs_(level0_runs) {}

  Choice Pick(const State& state) const;

 private:
  uint64_t LevelCapacity(const State& state, size_t level) const;
  // Returns the number of runs in level 0 that start a merge.
  size_t Level0Runs(const State& state) const;
  // Returns the first level that is due to be merged into the next one.
  size_t FullLevel(const State& state) const;
  // Returns the deepest level if it is the only one and would fit one level
  // further up, because an eviction has shrunk it.
  size_t LevelWithTooMuchRoom(const State& state) const;

  const uint32_t level_ratio_;
  const uint32_t level0_runs_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
