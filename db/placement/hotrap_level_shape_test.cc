//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/hotrap_level_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plugin/hotrap/ralt/ralt_options.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kGiB = 1 << 30;

ColumnFamilyOptions WithHotRap() {
  ColumnFamilyOptions options;
  options.hotrap.enabled = true;
  options.level_compaction_dynamic_level_bytes = false;
  options.hotrap.extra_level = false;
  return options;
}

// The example in hotrap_level_shape.h.
ColumnFamilyOptions OptionsOfTheExample() {
  ColumnFamilyOptions options = WithHotRap();
  options.max_bytes_for_level_base = 256 * kMiB;
  options.target_file_size_base = 64 * kMiB;
  options.write_buffer_size = 64 * kMiB;
  return options;
}

HotRapLevelShape Shape(uint64_t budget_bytes,
                       const ColumnFamilyOptions& options,
                       const LevelFeedback& feedback = {}) {
  return ComputeLevelShape(budget_bytes, options.num_levels,
                           options.min_write_buffer_number_to_merge,
                           MutableCFOptions(options), feedback);
}

uint64_t FastBytes(const HotRapLevelShape& shape) {
  uint64_t bytes = shape.ralt_bytes + shape.compaction_bytes;
  for (int level = 0; level < shape.first_slow_level; level++) {
    bytes += shape.target_bytes[level];
  }
  return bytes;
}

}  // namespace

TEST(HotRapLevelShapeTest, TheExample) {
  const ColumnFamilyOptions options = OptionsOfTheExample();
  const HotRapLevelShape shape = Shape(10 * kGiB, options);
  EXPECT_EQ(3, shape.first_slow_level);
  EXPECT_EQ(DefaultRaltPhysicalLimit(10 * kGiB), shape.ralt_bytes);
  EXPECT_EQ(256 * kMiB, shape.level0_bytes);
  EXPECT_NEAR(1.65 * kGiB, shape.compaction_bytes, 0.01 * kGiB);
  ASSERT_EQ(7, shape.target_bytes.size());
  EXPECT_EQ(256 * kMiB, shape.target_bytes[1]);
  EXPECT_NEAR(6.35 * kGiB, shape.target_bytes[2], 0.01 * kGiB);
  EXPECT_EQ(shape.target_bytes[2], shape.last_fast_target_bytes());
  EXPECT_EQ(10 * shape.target_bytes[2], shape.target_bytes[3]);
  EXPECT_EQ(100 * shape.target_bytes[2], shape.target_bytes[4]);
}

TEST(HotRapLevelShapeTest, TheLastFastLevelGetsWhatRaltDoesNotUse) {
  const ColumnFamilyOptions options = OptionsOfTheExample();
  const uint64_t budget = 10 * kGiB;
  const HotRapLevelShape all = Shape(budget, options);
  HotRapLevelShape before = Shape(budget, options, {1, 0});
  EXPECT_GT(before.last_fast_target_bytes(),
            all.last_fast_target_bytes() + budget / 10);
  int changes = 0;
  for (uint64_t used = 0; used <= all.ralt_bytes; used += kMiB) {
    const HotRapLevelShape shape = Shape(budget, options, {1, used});
    ASSERT_EQ(all.first_slow_level, shape.first_slow_level);
    ASSERT_LE(FastBytes(shape), budget);
    ASSERT_GE(FastBytes(shape), budget / 100 * 99);
    ASSERT_GE(shape.ralt_bytes, std::min(all.ralt_bytes, used + budget / 100));
    ASSERT_LE(shape.ralt_bytes, used + budget / 50 + 2);
    ASSERT_EQ(all.target_bytes[1], shape.target_bytes[1]);
    ASSERT_LE(shape.last_fast_target_bytes(), before.last_fast_target_bytes());
    changes += shape.last_fast_target_bytes() < before.last_fast_target_bytes();
    before = shape;
  }
  EXPECT_EQ(all.target_bytes, before.target_bytes);
  EXPECT_LE(changes, 15);
  EXPECT_GE(changes, 10);
}

// If records are small, RALT may take more than 15 % of the budget. The last
// fast level shrinks, at most to the size of the level above it.
TEST(HotRapLevelShapeTest, TheLastFastLevelGivesWayToRalt) {
  const ColumnFamilyOptions options = OptionsOfTheExample();
  const uint64_t budget = 10 * kGiB;
  const HotRapLevelShape all = Shape(budget, options);
  for (const double part : {0.16, 0.3, 0.41, 0.6, 0.9}) {
    const auto used = static_cast<uint64_t>(part * budget);
    const HotRapLevelShape shape = Shape(budget, options, {1, used});
    ASSERT_EQ(all.first_slow_level, shape.first_slow_level);
    EXPECT_GE(shape.ralt_bytes, used);
    EXPECT_LT(shape.ralt_bytes, used + budget / 50);
    EXPECT_LE(FastBytes(shape), budget);
    EXPECT_EQ(all.target_bytes[1], shape.target_bytes[1]);
    EXPECT_GE(shape.target_bytes[2], shape.target_bytes[1]);
  }
  for (const uint64_t used : {budget, 3 * budget}) {
    const HotRapLevelShape shape = Shape(budget, options, {1, used});
    ASSERT_EQ(all.first_slow_level, shape.first_slow_level);
    EXPECT_EQ(shape.target_bytes[1], shape.target_bytes[2]);
  }
}

TEST(HotRapLevelShapeTest, TheBudgetHoldsWhateverTheOptions) {
  int shapes = 0;
  for (const uint64_t budget : {kMiB, 20 * kMiB, 410 * kMiB, 10 * kGiB,
                                1000 * kGiB, uint64_t{1} << 60}) {
    for (const uint64_t base :
         {64 * kMiB / 1024, kMiB / 2, 4 * kMiB, 34 * kMiB, 256 * kMiB}) {
      for (const double multiplier : {1.5, 2.0, 4.0, 10.0, 30.0}) {
        for (const uint64_t file : {base / 32, base / 4, base, 64 * kMiB}) {
          for (const uint64_t buffer : {base / 4, 64 * kMiB}) {
            for (const int num_levels : {3, 5, 7}) {
              ColumnFamilyOptions options = WithHotRap();
              options.max_bytes_for_level_base = base;
              options.max_bytes_for_level_multiplier = multiplier;
              options.target_file_size_base = file;
              options.write_buffer_size = buffer;
              options.num_levels = num_levels;
              options.hotrap.extra_level = true;
              options.max_bytes_for_level_multiplier_additional = {1, 1, 2};
              SCOPED_TRACE(::testing::Message()
                           << "budget " << budget << " base " << base << " x "
                           << multiplier << " file " << file << " buffer "
                           << buffer << " levels " << num_levels);
              const HotRapLevelShape shape = Shape(budget, options);
              if (budget < 2 * base) {
                ASSERT_LT(shape.first_slow_level, 2);
                ASSERT_TRUE(shape.target_bytes.empty());
                continue;
              }
              ASSERT_GE(shape.first_slow_level, 2);
              ASSERT_LE(shape.first_slow_level, num_levels);
              if (shape.first_slow_level == num_levels) {
                ASSERT_TRUE(shape.target_bytes.empty());
                continue;
              }
              shapes++;
              ASSERT_EQ(num_levels, shape.target_bytes.size());
              ASSERT_LE(FastBytes(shape), budget);
              // The levels get a reasonable share.
              ASSERT_GE(shape.last_fast_target_bytes(), base / 2);
              ASSERT_GE(
                  FastBytes(shape) - shape.ralt_bytes - shape.compaction_bytes,
                  budget / 2);
              for (int level = 2; level < num_levels; level++) {
                ASSERT_GE(shape.target_bytes[level],
                          shape.target_bytes[level - 1]);
              }
              // p only changes slow targets, and does not increase them.
              for (const double p : {0.125, 0.5, 0.875}) {
                const HotRapLevelShape extra = Shape(budget, options, {p});
                ASSERT_EQ(shape.first_slow_level, extra.first_slow_level);
                for (int level = 0; level < num_levels; level++) {
                  if (level < shape.first_slow_level) {
                    ASSERT_EQ(shape.target_bytes[level],
                              extra.target_bytes[level]);
                  } else {
                    ASSERT_LE(extra.target_bytes[level],
                              shape.target_bytes[level]);
                    ASSERT_GE(extra.target_bytes[level],
                              extra.target_bytes[level - 1]);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(shapes, 500);
}

TEST(HotRapLevelShapeTest, MoreBudgetIsNeverLess) {
  const ColumnFamilyOptions options = WithHotRap();
  int fs = 0;
  for (uint64_t budget = kMiB; budget < 100000 * kGiB;
       budget += budget / 50 + 1) {
    const HotRapLevelShape shape = Shape(budget, options);
    ASSERT_GE(shape.first_slow_level, fs) << budget;
    fs = shape.first_slow_level;
  }
  EXPECT_GE(fs, 5);
}

TEST(HotRapLevelShapeTest, FewUpperLevels) {
  ColumnFamilyOptions options = WithHotRap();
  options.max_bytes_for_level_base = 4 * kMiB;
  options.write_buffer_size = kMiB;
  options.target_file_size_base = kMiB;
  // Only L0 and L1 fit.
  EXPECT_EQ(1, Shape(8 * kMiB - 1, options).first_slow_level);
  EXPECT_EQ(2, Shape(8 * kMiB, options).first_slow_level);
  EXPECT_EQ(0, Shape(4 * kMiB - 1, options).first_slow_level);
  // A small L2 is better than none.
  const HotRapLevelShape small = Shape(20 * kMiB, options);
  EXPECT_EQ(3, small.first_slow_level);
  EXPECT_LT(small.target_bytes[2], 9 * kMiB);
  // L3 is not fast until it can hold most of the fast data.
  EXPECT_EQ(3, Shape(200 * kMiB, options).first_slow_level);
  EXPECT_EQ(4, Shape(400 * kMiB, options).first_slow_level);
}

TEST(HotRapLevelShapeTest, BudgetOfTheOptionsGoesFirst) {
  ColumnFamilyOptions options = WithHotRap();
  options.hotrap.fast_budget_bytes = 10 * kGiB;
  const HotRapLevelShape shape = Shape(kMiB, options);
  EXPECT_EQ(10 * kGiB, shape.budget_bytes);
  EXPECT_GE(shape.first_slow_level, 2);
}

TEST(HotRapLevelShapeTest, ExtraLevel) {
  ColumnFamilyOptions options = WithHotRap();
  const HotRapLevelShape plain = Shape(10 * kGiB, options, {0.25});
  ASSERT_EQ(3, plain.first_slow_level);
  const double fast = static_cast<double>(plain.target_bytes[2]);
  EXPECT_NEAR(10 * fast, plain.target_bytes[3], kMiB);

  options.hotrap.extra_level = true;
  const HotRapLevelShape extra = Shape(10 * kGiB, options, {0.25});
  EXPECT_NEAR(sqrt(2.5) * fast, extra.target_bytes[3], kMiB);
  for (size_t level = 4; level < extra.target_bytes.size(); level++) {
    EXPECT_NEAR(plain.target_bytes[level - 1], extra.target_bytes[level], kMiB);
  }

  const HotRapLevelShape cold = Shape(10 * kGiB, options, {1});
  EXPECT_NEAR(sqrt(10) * fast, cold.target_bytes[3], kMiB);
  EXPECT_EQ(extra.target_bytes[4], cold.target_bytes[4]);

  // Where the slow tier is not slower, the level is there for what is retained.
  LevelFeedback no_gain = {1};
  no_gain.slow_is_slower = false;
  EXPECT_EQ(plain.target_bytes,
            Shape(10 * kGiB, options, no_gain).target_bytes);
  no_gain.cold_fraction = 0.875;
  EXPECT_NEAR(sqrt(8.75) * fast,
              Shape(10 * kGiB, options, no_gain).target_bytes[3], kMiB);

  // If almost everything is retained, the level is still no smaller than the
  // one above.
  const HotRapLevelShape hot = Shape(10 * kGiB, options, {0.01});
  EXPECT_EQ(hot.target_bytes[2], hot.target_bytes[3]);

  // There is no level to add.
  options.num_levels = 4;
  EXPECT_NEAR(10 * fast, Shape(10 * kGiB, options, {0.25}).target_bytes[3],
              kMiB);
}

TEST(HotRapLevelShapeTest, FirstSlowLevelOfAColumnFamily) {
  ColumnFamilyOptions options = WithHotRap();
  options.cf_paths = {{"fast", 10 * kGiB}, {"slow", 0}};
  const auto fs = [&] {
    return FirstSlowLevel(ImmutableCFOptions(options),
                          MutableCFOptions(options));
  };
  EXPECT_EQ(3, fs());
  options.hotrap.enabled = false;
  EXPECT_EQ(options.num_levels, fs());
  options.hotrap.enabled = true;
  options.cf_paths[0].target_size = 1;
  EXPECT_EQ(options.num_levels, fs());
  options.cf_paths[0].target_size = uint64_t{1} << 60;
  EXPECT_EQ(options.num_levels, fs());
  options.cf_paths[0].target_size = 10 * kGiB;
  options.compaction_style = kCompactionStyleUniversal;
  EXPECT_EQ(options.num_levels, fs());
  options.compaction_style = kCompactionStyleLevel;
  options.comparator = BytewiseComparatorWithU64Ts();
  EXPECT_EQ(options.num_levels, fs());
  options.comparator = BytewiseComparator();
  EXPECT_EQ(3, fs());
  options.cf_paths.pop_back();
  EXPECT_EQ(options.num_levels, fs());
}

TEST(HotRapLevelShapeTest, AShareOfTheBudget) {
  const ColumnFamilyOptions options = OptionsOfTheExample();
  const HotRapLevelShape whole = Shape(10 * kGiB, options);
  LevelFeedback feedback;
  for (const uint64_t percent : {100, 70, 50, 30, 15, 8}) {
    feedback.share_bytes = 10 * kGiB / 100 * percent;
    const HotRapLevelShape shape = Shape(10 * kGiB, options, feedback);
    // Which levels are fast does not depend on it.
    ASSERT_EQ(whole.first_slow_level, shape.first_slow_level);
    ASSERT_LE(shape.last_fast_target_bytes(), whole.last_fast_target_bytes());
    EXPECT_TRUE(std::is_sorted(shape.target_bytes.begin() + 1,
                               shape.target_bytes.end()));
    // As long as levels of one file fit.
    EXPECT_LE(FastBytes(shape), feedback.share_bytes) << percent;
  }
  feedback.share_bytes = 1;
  const HotRapLevelShape least = Shape(10 * kGiB, options, feedback);
  EXPECT_EQ(options.target_file_size_base, least.target_bytes[1]);
  EXPECT_EQ(options.target_file_size_base, least.target_bytes[2]);
}

}  // namespace ROCKSDB_NAMESPACE
