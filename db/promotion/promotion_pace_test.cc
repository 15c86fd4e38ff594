//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/promotion/promotion_pace.h"

#include <gtest/gtest.h>

#include "test_util/mock_time_env.h"

namespace ROCKSDB_NAMESPACE {

TEST(PromotionPaceTest, ItBacksOffForAWhile) {
  MockSystemClock clock(SystemClock::Default());
  clock.SetCurrentTime(1000);
  HotRapStats stats(/*statistics=*/nullptr);
  PromotionPace pace(&clock, &stats);
  EXPECT_FALSE(pace.backs_off());
  pace.BackOff();
  EXPECT_TRUE(pace.backs_off());
  EXPECT_EQ(1u, stats.Get(HotRapCounter::kBackoffs));
  clock.SleepForMicroseconds(PromotionPace::kBackOffMicros - 1);
  EXPECT_TRUE(pace.backs_off());
  clock.SleepForMicroseconds(1);
  EXPECT_FALSE(pace.backs_off());
}

TEST(PromotionPaceTest, ItRemembersWhetherThereWasSpace) {
  HotRapStats stats(/*statistics=*/nullptr);
  PromotionPace pace(SystemClock::Default().get(), &stats);
  EXPECT_FALSE(pace.lacks_space());
  pace.set_lacks_space(true);
  EXPECT_TRUE(pace.lacks_space());
}

}  // namespace ROCKSDB_NAMESPACE
