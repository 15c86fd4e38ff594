//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/merge_picker.h"

#include <algorithm>

#include "plugin/hotrap/ralt/run/format.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// Small levels are cheap to rewrite. Merging keeps the records of a key
// together, so that it becomes hot sooner.
constexpr uint64_t kMinLevelUnitBytes = 1 << 20;
constexpr size_t kNoLevel = SIZE_MAX;
// If at least this share of the flushed keys is new, RALT assumes that a hot
// set is being learned, and that each merge finds keys that were accessed
// twice.
constexpr double kLearningShare = 0.25;
// Bounds the cost of such merges: if level 1 is larger than this many flushed
// runs, a merge waits for several runs. (While hot sets of 1 to 5 % of the data
// are learned, level 1 is 4 to 22 times as large as a run. It is larger only
// with small fast tiers, whose runs are small compared with
// kMinLevelUnitBytes.) The benefit is fewer reads of the slow tier, so the
// bound shrinks in proportion if less than kSlowShareToMergeAtOnce of the
// accesses went there.
constexpr double kRunsToMergeAtOnce = 24;
constexpr double kSlowShareToMergeAtOnce = 1.0 / 10;

// A score that records must reach to be hot was right when it was found. While
// a hot set moves, old records fade below it sooner than new ones reach it.
// Once less than this share of the hot set limit is hot, it is found anew.
constexpr double kMinHotShare = 0.8;

using State = MergePicker::State;

bool IsEmpty(const State& state, size_t level) {
  return level >= state.levels.size() || state.levels[level].runs == 0;
}

uint64_t LevelBytes(const State& state, size_t level) {
  return level < state.levels.size() ? state.levels[level].bytes : 0;
}

// Returns the deepest non-empty level, or 0.
size_t DeepestLevel(const State& state) {
  size_t level = state.levels.size();
  while (level > 0 && IsEmpty(state, level - 1)) {
    --level;
  }
  return level > 0 ? level - 1 : 0;
}

bool ScoreIsTooHigh(const State& state) {
  return state.hot_by_score &&
         static_cast<double>(state.hot_bytes) <
             kMinHotShare * static_cast<double>(state.hot_set_limit_bytes);
}

bool IsOverLimits(const State& state) {
  if (state.physical_bytes > state.record_limit_bytes ||
      state.hot_bytes > state.hot_set_limit_bytes) {
    return true;
  }
  const bool only_deeper_levels =
      IsEmpty(state, 0) && !IsEmpty(state, DeepestLevel(state));
  return only_deeper_levels && state.space_is_short;
}
}  // namespace

MergePicker::Choice MergePicker::Pick(const State& state) const {
  const size_t full = FullLevel(state);
  if (full != kNoLevel) {
    return {Work::kMergeDown, full};
  }
  if (!state.evicted && IsOverLimits(state)) {
    return {Work::kEvict, 0};
  }
  if (!state.evicted && ScoreIsTooHigh(state)) {
    return {Work::kFindScore, 0};
  }
  const size_t roomy = LevelWithTooMuchRoom(state);
  if (roomy != kNoLevel) {
    return {Work::kMoveUp, roomy};
  }
  return {};
}

uint64_t MergePicker::LevelCapacity(const State& state, size_t level) const {
  uint64_t capacity = std::max(state.flushed.run_bytes, kMinLevelUnitBytes);
  for (size_t i = 0; i < level && capacity < UINT64_MAX / level_ratio_; ++i) {
    capacity *= level_ratio_;
  }
  return capacity;
}

size_t MergePicker::Level0Runs(const State& state) const {
  if (state.merge_all_runs) {
    return 1;
  }
  // If merges are rare, their findings are old, and the hot set may have moved.
  const bool learning =
      state.learning ||
      std::max(state.new_share, state.flushed.new_share) >= kLearningShare;
  if (!learning) {
    return level0_runs_;
  }
  const double worth =
      kRunsToMergeAtOnce *
      std::min(1.0, state.flushed.slow_share / kSlowShareToMergeAtOnce) *
      static_cast<double>(state.flushed.run_bytes);
  const double runs = 1 + static_cast<double>(LevelBytes(state, 1)) / worth;
  // Also if `worth` is zero and `runs` infinite or NaN.
  return runs < level0_runs_ ? static_cast<size_t>(runs) : level0_runs_;
}

size_t MergePicker::FullLevel(const State& state) const {
  if (!IsEmpty(state, 0) &&
      (state.levels[0].runs >= Level0Runs(state) || state.space_is_short)) {
    return 0;
  }
  const size_t deepest = DeepestLevel(state);
  for (size_t level = 1; level <= deepest && level + 1 < kMaxLevels; ++level) {
    if (LevelBytes(state, level) > LevelCapacity(state, level)) {
      return level;
    }
  }
  return kNoLevel;
}

size_t MergePicker::LevelWithTooMuchRoom(const State& state) const {
  const size_t deepest = DeepestLevel(state);
  if (deepest < 2) {
    return kNoLevel;
  }
  for (size_t level = 0; level < deepest; ++level) {
    if (!IsEmpty(state, level)) {
      return kNoLevel;
    }
  }
  // Half the capacity, so that the level does not move down again at once.
  return LevelBytes(state, deepest) <= LevelCapacity(state, deepest - 1) / 2
             ? deepest
             : kNoLevel;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
