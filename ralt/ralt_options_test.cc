//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_options.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kBudget = 1 << 30;

RaltOptions MakeOptions() {
  RaltOptions options;
  options.path = "unused";
  options.fast_budget_bytes = kBudget;
  return options;
}

struct Case {
  const char* field;
  std::function<void(RaltOptions*)> change;
};

const Case kInvalid[] = {
    {"Env", [](RaltOptions* o) { o->env = nullptr; }},
    {"Comparator", [](RaltOptions* o) { o->comparator = nullptr; }},
    {"path", [](RaltOptions* o) { o->path.clear(); }},
    {"fast_budget_bytes", [](RaltOptions* o) { o->fast_budget_bytes = 0; }},
    {"alpha", [](RaltOptions* o) { o->alpha = 1; }},
    {"slice_fraction", [](RaltOptions* o) { o->slice_fraction = 0; }},
    {"eviction_fraction", [](RaltOptions* o) { o->eviction_fraction = 1; }},
    {"eviction_samples", [](RaltOptions* o) { o->eviction_samples = 0; }},
    {"counter_step", [](RaltOptions* o) { o->counter_step = 0; }},
    {"counter_max", [](RaltOptions* o) { o->counter_max = 1; }},
    {"hot_set_min_fraction",
     [](RaltOptions* o) { o->hot_set_min_fraction = 0.8; }},
    {"hot_set_max_fraction",
     [](RaltOptions* o) { o->hot_set_max_fraction = 1.1; }},
    {"unstable_fraction", [](RaltOptions* o) { o->unstable_fraction = -1; }},
    {"bloom_bits_per_key", [](RaltOptions* o) { o->bloom_bits_per_key = 0; }},
    {"level_ratio", [](RaltOptions* o) { o->level_ratio = 1; }},
    {"level0_runs", [](RaltOptions* o) { o->level0_runs = 0; }},
    {"block_bytes", [](RaltOptions* o) { o->block_bytes = 10000; }},
    {"buffer_bytes", [](RaltOptions* o) { o->buffer_bytes = 0; }},
};
}  // namespace

TEST(RaltOptionsTest, NamesTheInvalidField) {
  for (const Case& c : kInvalid) {
    SCOPED_TRACE(c.field);
    RaltOptions options = MakeOptions();
    c.change(&options);
    const Status s = options.Sanitize();
    EXPECT_TRUE(s.IsInvalidArgument());
    EXPECT_NE(std::string::npos, s.ToString().find(c.field)) << s.ToString();
  }
}

TEST(RaltOptionsTest, LimitsFollowTheBudget) {
  RaltOptions options = MakeOptions();
  ASSERT_TRUE(options.Sanitize().ok());
  EXPECT_EQ(kBudget / 2, options.hot_set_limit_bytes);
  EXPECT_EQ(kBudget / 100 * 15, options.physical_limit_bytes);
  EXPECT_EQ(kBudget, options.counter_period_bytes);
  EXPECT_EQ(kBudget / 20, options.seal_accessed_bytes);
  EXPECT_EQ(options.buffer_bytes / 4, options.seal_bytes);
  EXPECT_NE(nullptr, options.fs);
  EXPECT_NE(nullptr, options.clock);
}

TEST(RaltOptionsTest, ASmallBudgetHasRoomForARun) {
  RaltOptions options = MakeOptions();
  options.fast_budget_bytes = 1;
  ASSERT_TRUE(options.Sanitize().ok());
  EXPECT_EQ(32u << 10, options.physical_limit_bytes);
}

// All files stay open.
TEST(RaltOptionsTest, ALargeBudgetHasNotTooManyFiles) {
  RaltOptions options = MakeOptions();
  options.fast_budget_bytes = uint64_t{1} << 42;
  ASSERT_TRUE(options.Sanitize().ok());
  EXPECT_LE(options.physical_limit_bytes / options.file_bytes, 512u);
}

// Crossings would free nothing in a level that is all hot.
TEST(RaltOptionsTest, TheLevelBoundsTheHotSet) {
  RaltOptions options = MakeOptions();
  ASSERT_TRUE(options.Sanitize().ok());
  const double all = 2.0 * kBudget;
  EXPECT_EQ(static_cast<uint64_t>(0.7 * kBudget), options.InHotSetBounds(all));
  options.hot_level_bytes = kBudget / 2;
  EXPECT_EQ(static_cast<uint64_t>(0.85 * (kBudget / 2)),
            options.InHotSetBounds(all));
  EXPECT_EQ(kBudget / 20, options.InHotSetBounds(0));
  // Nor is the budget exceeded, which may have been lowered since.
  options.hot_level_bytes = 2 * kBudget;
  EXPECT_EQ(static_cast<uint64_t>(0.7 * kBudget), options.InHotSetBounds(all));
  // Never below the lower bound.
  options.hot_level_bytes = 1;
  EXPECT_EQ(kBudget / 20, options.InHotSetBounds(all));
}

TEST(RaltOptionsTest, RoomToLearn) {
  RaltOptions options = MakeOptions();
  options.hot_set_max_fraction = 0.5;
  ASSERT_TRUE(options.Sanitize().ok());
  // A record of 1000 bytes takes 25.
  const uint64_t room = options.RoomToLearn(1000, 25);
  EXPECT_EQ(kBudget / 2 / 40, room);
  EXPECT_EQ(0u, options.RoomToLearn(0, 0));
  const uint64_t share = RaltOptions::RecordShare(options.physical_limit_bytes);
  ASSERT_LT(2 * room, share);
  EXPECT_EQ(room + 7, options.RecordLimit(7, room));
  // At most the initial limit; a tuned limit may be larger.
  EXPECT_EQ(share, options.RecordLimit(share - 1, room));
  EXPECT_EQ(share + 1, options.RecordLimit(share + 1, room));
  options.auto_tune = false;
  EXPECT_EQ(0u, options.RoomToLearn(1000, 25));
}

}  // namespace ROCKSDB_NAMESPACE::ralt
