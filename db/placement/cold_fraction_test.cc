//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/cold_fraction.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

namespace {

// Reports crossings that retained `retained` of 1000 bytes.
void Cross(ColdFraction* fraction, int times, uint64_t retained) {
  for (int i = 0; i < times; i++) {
    fraction->OnCrossing(1000, retained);
  }
}

}  // namespace

TEST(ColdFractionTest, ConcludesNothingFromAFew) {
  ColdFraction fraction;
  EXPECT_EQ(1, fraction.value());
  Cross(&fraction, ColdFraction::kMinCrossings - 1, 750);
  EXPECT_EQ(1, fraction.value());
  Cross(&fraction, 1, 750);
  EXPECT_EQ(0.25, fraction.value());
}

TEST(ColdFractionTest, FollowsAndStaysInRange) {
  ColdFraction fraction;
  Cross(&fraction, 100, 1000);
  EXPECT_EQ(1.0 / ColdFraction::kSteps, fraction.value());
  Cross(&fraction, 100, 500);
  EXPECT_EQ(0.5, fraction.value());
  Cross(&fraction, 200, 0);
  EXPECT_EQ(1, fraction.value());
  // More than the input: promoted records were added.
  Cross(&fraction, 200, 1500);
  EXPECT_EQ(1.0 / ColdFraction::kSteps, fraction.value());
}

TEST(ColdFractionTest, StaysWhileTheMeasuredOneWavers) {
  ColdFraction fraction;
  Cross(&fraction, 200, 500);
  ASSERT_EQ(0.5, fraction.value());
  // 0.57 would round to 5 / 8.
  for (int i = 0; i < 10; i++) {
    Cross(&fraction, 200, 430);
    ASSERT_EQ(0.5, fraction.value());
    Cross(&fraction, 200, 570);
    ASSERT_EQ(0.5, fraction.value());
  }
  Cross(&fraction, 200, 380);
  EXPECT_EQ(0.625, fraction.value());
}

TEST(ColdFractionTest, WeighsByBytes) {
  ColdFraction fraction;
  for (int i = 0; i < 200; i++) {
    fraction.OnCrossing(0, 0);
    fraction.OnCrossing(10, 10);
    fraction.OnCrossing(100000, 0);
  }
  EXPECT_EQ(1, fraction.value());
}

}  // namespace ROCKSDB_NAMESPACE
