//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/drain_speed.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

TEST(DrainSpeedTest, UnknownAtFirst) {
  DrainSpeed drain;
  EXPECT_EQ(0u, drain.bytes_per_sec());
  EXPECT_FALSE(drain.drains());
}

TEST(DrainSpeedTest, FollowsCrossings) {
  DrainSpeed drain;
  drain.OnCrossing(1000, 1000000);
  EXPECT_EQ(1000u, drain.bytes_per_sec());
  for (int i = 0; i < 50; i++) {
    drain.OnCrossing(4000, 2000000);
  }
  EXPECT_NEAR(2000, static_cast<double>(drain.bytes_per_sec()), 1);
  // No time is not for ever.
  drain.OnCrossing(1, 0);
}

TEST(DrainSpeedTest, TimesThoseThatRun) {
  DrainSpeed drain;
  drain.OnCrossing(1000, 1000000);
  drain.Begin(/*crosses=*/false);
  EXPECT_TRUE(drain.drains());
  EXPECT_EQ(1000u, drain.bytes_per_sec());
  drain.Begin(/*crosses=*/true);
  drain.Begin(/*crosses=*/true);
  EXPECT_EQ(2000u, drain.bytes_per_sec());
  drain.End(/*crosses=*/true);
  drain.End(/*crosses=*/true);
  EXPECT_TRUE(drain.drains());
  drain.End(/*crosses=*/false);
  EXPECT_FALSE(drain.drains());
}

}  // namespace ROCKSDB_NAMESPACE
