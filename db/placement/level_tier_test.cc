//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/level_tier.h"

#include <gtest/gtest.h>

#include "options/cf_options.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"

namespace ROCKSDB_NAMESPACE {

TEST(LevelTierTest, FastLevelsAreAboveTheFirstSlowOne) {
  EXPECT_TRUE(IsFastLevel(0, 2));
  EXPECT_TRUE(IsFastLevel(1, 2));
  EXPECT_FALSE(IsFastLevel(2, 2));
  EXPECT_FALSE(IsFastLevel(0, 0));
}

TEST(LevelTierTest, FilesGoToTheFirstOrTheLastPath) {
  EXPECT_EQ(0u, PathOfLevel(1, 2, 2));
  EXPECT_EQ(1u, PathOfLevel(2, 2, 2));
  EXPECT_EQ(0u, PathOfLevel(1, 2, 4));
  EXPECT_EQ(3u, PathOfLevel(6, 2, 4));
}

TEST(LevelTierTest, AnyPathButTheFirstIsSlow) {
  EXPECT_FALSE(LiesOnWrongTier(1, 0, 2));
  EXPECT_TRUE(LiesOnWrongTier(1, 1, 2));
  EXPECT_TRUE(LiesOnWrongTier(1, 3, 2));
  EXPECT_TRUE(LiesOnWrongTier(2, 0, 2));
  EXPECT_FALSE(LiesOnWrongTier(2, 1, 2));
  EXPECT_FALSE(LiesOnWrongTier(2, 3, 2));
}

TEST(LevelTierTest, TheOptionsDecide) {
  ColumnFamilyOptions options;
  options.hotrap.enabled = true;
  options.cf_paths = {{"fast", uint64_t{10} << 30}, {"middle", 0}, {"slow", 0}};
  const auto path = [&](int level) {
    return PathOfLevel(ImmutableCFOptions(options), MutableCFOptions(options),
                       level);
  };
  const int first_slow_level =
      FirstSlowLevel(ImmutableCFOptions(options), MutableCFOptions(options));
  ASSERT_LT(first_slow_level, options.num_levels);
  EXPECT_EQ(std::optional<uint32_t>(0), path(0));
  EXPECT_EQ(std::optional<uint32_t>(0), path(first_slow_level - 1));
  EXPECT_EQ(std::optional<uint32_t>(2), path(first_slow_level));
  EXPECT_EQ(std::optional<uint32_t>(2), path(options.num_levels - 1));

  // Inactive, and off: stock RocksDB decides.
  options.compaction_style = kCompactionStyleUniversal;
  EXPECT_EQ(std::nullopt, path(0));
  options.compaction_style = kCompactionStyleLevel;
  options.hotrap.enabled = false;
  EXPECT_EQ(std::nullopt, path(0));
}

}  // namespace ROCKSDB_NAMESPACE
