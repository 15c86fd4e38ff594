//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/filter_refusals.h"

#include <string>

#include "test_util/mock_time_env.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class FilterRefusalsTest : public testing::Test {
 public:
  FilterRefusalsTest() : clock_(SystemClock::Default()), refusals_(&clock_) {
    clock_.SetCurrentTime(1000000);
  }

 protected:
  MockSystemClock clock_;
  FilterRefusals refusals_;
};

TEST_F(FilterRefusalsTest, ByKeyAndNumber) {
  EXPECT_FALSE(refusals_.Contains("a", 1));
  refusals_.Add("a", 1);
  EXPECT_TRUE(refusals_.Contains("a", 1));
  EXPECT_FALSE(refusals_.Contains("a", 2));
  EXPECT_FALSE(refusals_.Contains("b", 1));
}

TEST_F(FilterRefusalsTest, AreForgotten) {
  refusals_.Add("a", 1);
  clock_.SleepForMicroseconds(static_cast<int>(FilterRefusals::kForgetMicros));
  EXPECT_TRUE(refusals_.Contains("a", 1));
  clock_.SleepForMicroseconds(1);
  EXPECT_FALSE(refusals_.Contains("a", 1));
  refusals_.Add("b", 1);
  EXPECT_TRUE(refusals_.Contains("b", 1));
  EXPECT_FALSE(refusals_.Contains("a", 1));
}

// Records that share a slot displace each other; none is mistaken for another.
TEST_F(FilterRefusalsTest, MoreThanItHolds) {
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; i++) {
    refusals_.Add(std::to_string(i), 7);
  }
  int found = 0;
  for (int i = 0; i < kCount; i++) {
    found += refusals_.Contains(std::to_string(i), 7) ? 1 : 0;
    ASSERT_FALSE(refusals_.Contains(std::to_string(i), 8));
  }
  EXPECT_LT(50000, found);
}

}  // namespace ROCKSDB_NAMESPACE
