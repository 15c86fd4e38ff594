//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/access_clock.h"

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

TEST(AccessClockTest, OneAccessMayEndManySlices) {
  AccessClock clock(/*slice_bytes=*/100, /*period_bytes=*/1000);
  clock.Advance(99);
  EXPECT_EQ(0u, clock.tick());
  clock.Advance(1);
  EXPECT_EQ(1u, clock.tick());
  clock.Advance(250);
  EXPECT_EQ(3u, clock.tick());
  EXPECT_EQ(350u, clock.accessed_bytes());
}

TEST(AccessClockTest, CountersFallWhenAPeriodEnds) {
  AccessClock clock(100, 1000);
  clock.Advance(999);
  EXPECT_EQ(0u, clock.Now().period);
  clock.Advance(1);
  EXPECT_EQ(kCounterUnit, clock.Now().period);
}

// The length of a period follows the fast budget, which may be another one
// after a restart.
TEST(AccessClockTest, ContinuesWhereItWasSaved) {
  AccessClock clock(100, 1000);
  clock.Advance(1050);
  AccessClock other(100, 500);
  other.Restore(clock.Save());
  other.ContinuePeriods(clock.Now().period);
  EXPECT_EQ(1050u, other.accessed_bytes());
  EXPECT_EQ(clock.tick(), other.tick());
  EXPECT_EQ(clock.Now().period, other.Now().period);
  other.Advance(50);
  EXPECT_EQ(clock.tick() + 1, other.tick());
  other.Advance(400);
  EXPECT_EQ(clock.Now().period + kCounterUnit, other.Now().period);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
