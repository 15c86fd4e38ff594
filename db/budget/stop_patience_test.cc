//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/stop_patience.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kWait = StopPatience::kMicros;

}  // namespace

TEST(StopPatienceTest, AStopThatBringsNothingEnds) {
  StopPatience patience;
  EXPECT_TRUE(patience.MayStop(1000, 7));
  EXPECT_TRUE(patience.MayStop(1000, 7 + kWait - 1));
  EXPECT_FALSE(patience.MayStop(1000, 7 + kWait));
  // Writes trickle, and the path holds more.
  EXPECT_FALSE(patience.MayStop(1010, 8 + kWait));
  EXPECT_FALSE(patience.MayStop(1000, 9 + kWait));
}

TEST(StopPatienceTest, ItLastsWhileThePathSinks) {
  StopPatience patience;
  for (uint64_t i = 0; i < 100; i++) {
    EXPECT_TRUE(patience.MayStop(1000 - i, i * (kWait - 1)));
  }
  // Less than before is no progress if it was less already.
  EXPECT_TRUE(patience.MayStop(950, 99 * (kWait - 1) + 1));
  EXPECT_FALSE(patience.MayStop(940, 100 * (kWait - 1) + 1));
  EXPECT_TRUE(patience.MayStop(900, 101 * kWait));
}

TEST(StopPatienceTest, TheNextTimeIsAnother) {
  StopPatience patience;
  EXPECT_TRUE(patience.MayStop(1000, 0));
  EXPECT_FALSE(patience.MayStop(1000, kWait));
  patience.Reset();
  EXPECT_TRUE(patience.MayStop(2000, kWait));
  EXPECT_FALSE(patience.MayStop(2000, 2 * kWait));
}

}  // namespace ROCKSDB_NAMESPACE
