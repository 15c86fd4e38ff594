//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/merge_picker.h"

#include <functional>
#include <vector>

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kMiB = 1 << 20;
constexpr uint32_t kLevelRatio = 10;
constexpr uint32_t kLevel0Runs = 8;

using Level = MergePicker::Level;
using State = MergePicker::State;
using Work = MergePicker::Work;

// Nothing is over its limit, nothing new is found, and a flushed run is as
// large as the smallest level.
State Calm(std::vector<Level> levels) {
  State state;
  state.levels = std::move(levels);
  state.flushed.run_bytes = kMiB;
  state.new_share = 0;
  state.record_limit_bytes = UINT64_MAX;
  state.hot_set_limit_bytes = UINT64_MAX;
  return state;
}

struct Case {
  const char* name;
  std::vector<Level> levels;
  std::function<void(State*)> change;
  Work work;
  size_t level;
};

const auto kNothing = [](State*) {};
const auto kShort = [](State* s) { s->space_is_short = true; };
const auto kTooManyRecords = [](State* s) {
  s->physical_bytes = 101;
  s->record_limit_bytes = 100;
};

const Case kCases[] = {
    {"no level", {}, kNothing, Work::kNone, 0},
    {"no level, no space", {}, kShort, Work::kNone, 0},
    {"empty levels", {{}, {}, {}}, kTooManyRecords, Work::kEvict, 0},
    {"few runs wait", {{7, 7 * kMiB}}, kNothing, Work::kNone, 0},
    {"as many runs as wait", {{8, 8 * kMiB}}, kNothing, Work::kMergeDown, 0},
    {"a caller of Flush() waits",
     {{1, 1}, {9, 10 * kMiB}},
     [](State* s) { s->merge_all_runs = true; },
     Work::kMergeDown,
     0},
    {"a waiting run, no space", {{1, 1}}, kShort, Work::kMergeDown, 0},
    {"no run to merge, no space", {{}, {1, 1}}, kShort, Work::kEvict, 0},
    {"the same after an eviction",
     {{}, {1, 1}},
     [](State* s) { s->space_is_short = s->evicted = true; },
     Work::kNone,
     0},
    {"the score to be hot keeps too many out",
     {{}, {1, 1}},
     [](State* s) {
       s->hot_by_score = true;
       s->hot_bytes = 79;
       s->hot_set_limit_bytes = 100;
     },
     Work::kFindScore,
     0},
    {"and a limit is exceeded",
     {{}, {1, 1}},
     [](State* s) {
       s->hot_by_score = true;
       s->hot_bytes = 79;
       s->hot_set_limit_bytes = 100;
       s->physical_bytes = 2;
       s->record_limit_bytes = 1;
     },
     Work::kEvict,
     0},
    {"no second time at once",
     {{}, {1, 1}},
     [](State* s) {
       s->hot_by_score = s->evicted = true;
       s->hot_bytes = 79;
       s->hot_set_limit_bytes = 100;
     },
     Work::kNone,
     0},
    {"not too many",
     {{}, {1, 1}},
     [](State* s) {
       s->hot_by_score = true;
       s->hot_bytes = 80;
       s->hot_set_limit_bytes = 100;
     },
     Work::kNone,
     0},
    {"no score is needed",
     {{}, {1, 1}},
     [](State* s) {
       s->hot_bytes = 10;
       s->hot_set_limit_bytes = 100;
     },
     Work::kNone,
     0},

    // While a hot set is learned, a merge waits only for what it is worth.
    {"new keys at the last merge",
     {{1, kMiB}, {9, 9 * kMiB}},
     [](State* s) { s->new_share = 0.25; },
     Work::kMergeDown,
     0},
    {"new keys in the last flush",
     {{1, kMiB}, {9, 9 * kMiB}},
     [](State* s) { s->flushed.new_share = 0.25; },
     Work::kMergeDown,
     0},
    {"known keys",
     {{1, kMiB}, {9, 9 * kMiB}},
     [](State* s) { s->new_share = s->flushed.new_share = 0.24; },
     Work::kNone,
     0},
    {"level 1 is 9 times as large as a run",
     {{1, kMiB}, {9, 9 * kMiB}},
     [](State* s) { s->learning = true; },
     Work::kMergeDown,
     0},
    {"level 1 is 40 times as large as a run",
     {{1, kMiB / 4}, {9, 10 * kMiB}},
     [](State* s) {
       s->learning = true;
       s->flushed.run_bytes = kMiB / 4;
     },
     Work::kNone,
     0},
    {"and two runs wait",
     {{2, kMiB / 2}, {9, 10 * kMiB}},
     [](State* s) {
       s->learning = true;
       s->flushed.run_bytes = kMiB / 4;
     },
     Work::kMergeDown,
     0},
    {"few accesses to the slow tier",
     {{1, kMiB}, {9, 9 * kMiB}},
     [](State* s) {
       s->learning = true;
       s->flushed.slow_share = 0.01;
     },
     Work::kNone,
     0},
    {"no access to the slow tier",
     {{7, 7 * kMiB}, {1, 1}},
     [](State* s) {
       s->learning = true;
       s->flushed.slow_share = 0;
     },
     Work::kNone,
     0},
    {"nothing known of the runs",
     {{7, 7 * kMiB}},
     [](State* s) {
       s->learning = true;
       s->flushed.run_bytes = 0;
     },
     Work::kNone,
     0},

    // Capacities: 10 MiB in level 1, 100 MiB in level 2.
    {"level 1 at its capacity", {{}, {1, 10 * kMiB}}, kNothing, Work::kNone, 0},
    {"level 1 over its capacity",
     {{}, {1, 10 * kMiB + 1}},
     kNothing,
     Work::kMergeDown,
     1},
    {"level 2 over its capacity",
     {{}, {1, 1}, {1, 100 * kMiB + 1}},
     kNothing,
     Work::kMergeDown,
     2},
    {"larger runs make larger levels",
     {{}, {1, 20 * kMiB}},
     [](State* s) { s->flushed.run_bytes = 2 * kMiB; },
     Work::kNone,
     0},
    {"smaller runs do not make smaller levels",
     {{}, {1, 10 * kMiB}},
     [](State* s) { s->flushed.run_bytes = 1; },
     Work::kNone,
     0},
    {"the last level that there may be",
     {{}, {}, {}, {}, {}, {}, {}, {}, {}, {1, UINT64_MAX}},
     kNothing,
     Work::kNone,
     0},

    // Merges come before evictions, evictions before moves.
    {"too many records",
     {{7, 7 * kMiB}, {1, 1}},
     kTooManyRecords,
     Work::kEvict,
     0},
    {"too many records and runs",
     {{8, 8 * kMiB}, {1, 1}},
     kTooManyRecords,
     Work::kMergeDown,
     0},
    {"too large a hot set",
     {{}, {1, 1}},
     [](State* s) {
       s->hot_bytes = 101;
       s->hot_set_limit_bytes = 100;
     },
     Work::kEvict,
     0},
    {"an eviction is not repeated",
     {{}, {1, 1}},
     [](State* s) {
       s->physical_bytes = 101;
       s->record_limit_bytes = 100;
       s->evicted = true;
     },
     Work::kNone,
     0},
    {"a shrunk level moves up",
     {{}, {}, {1, 5 * kMiB}},
     kNothing,
     Work::kMoveUp,
     2},
    {"but not if it would soon be too large again",
     {{}, {}, {1, 5 * kMiB + 1}},
     kNothing,
     Work::kNone,
     0},
    {"nor over another level", {{}, {1, 1}, {1, 1}}, kNothing, Work::kNone, 0},
    {"nor into level 0", {{}, {1, 1}}, kNothing, Work::kNone, 0},
    {"an eviction may shrink it more",
     {{}, {}, {1, 1}},
     kTooManyRecords,
     Work::kEvict,
     0},
};
}  // namespace

TEST(MergePickerTest, Picks) {
  const MergePicker picker(kLevelRatio, kLevel0Runs);
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    State state = Calm(c.levels);
    c.change(&state);
    const MergePicker::Choice choice = picker.Pick(state);
    EXPECT_EQ(c.work, choice.work);
    EXPECT_EQ(c.level, choice.level);
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
