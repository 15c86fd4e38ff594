//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/fast_tier_sizes.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

TEST(FastTierSizesTest, TheyFollowTheShape) {
  ColumnFamilyOptions options;
  options.max_bytes_for_level_base = 1000;
  HotRapLevelShape shape;
  shape.budget_bytes = 100000;
  shape.level0_bytes = 500;
  shape.compaction_bytes = 2500;
  FastTierSizes sizes;
  sizes.Configure(shape, MutableCFOptions(options));
  EXPECT_EQ(100000u, sizes.budget_bytes());
  EXPECT_EQ(2500u, sizes.compaction_room_bytes());
  EXPECT_EQ(SpareForFlushes(MutableCFOptions(options)) + 1500,
            sizes.spare_bytes());
  EXPECT_EQ(1500u, sizes.upper_bytes());
  shape.first_slow_level = 3;
  shape.ralt_bytes = 33;
  shape.target_bytes = {500, 1000, 77, 700};
  sizes.SetTargets(shape);
  EXPECT_EQ(77u, sizes.last_target_bytes());
  EXPECT_EQ(1577u, sizes.target_bytes());
  EXPECT_EQ(33u, sizes.ralt_room_bytes());
}

}  // namespace ROCKSDB_NAMESPACE
