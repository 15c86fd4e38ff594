//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_speeds.h"

#include <gtest/gtest.h>

#include <string>

#include "plugin/hotrap/test_util/timed_reads.h"

namespace ROCKSDB_NAMESPACE {

class TierSpeedsTest : public testing::Test {
 public:
  TierSpeedsTest()
      : clock_(SystemClock::Default()), speeds_(&clock_, nullptr, "default") {
    options_.enabled = true;
    speeds_.Configure(options_);
    now_ = clock_.NowNanos();
  }

 protected:
  using Device = TierSpeeds::Device;

  // Samples that follow each other at once.
  void Read(Device device, uint64_t micros, int times = 1) {
    for (int i = 0; i < times; i++) {
      const uint64_t begin = now_;
      now_ += micros * 1000;
      speeds_.Count(device, begin, now_);
    }
  }
  // 100 samples of the slow disk a second.
  void ReadSlowFor(uint64_t secs, uint64_t micros) {
    const uint64_t end = now_ + secs * 1000 * 1000 * 1000;
    while (now_ < end) {
      Read(Device::kSlow, micros);
      now_ += 10 * 1000 * 1000 - micros * 1000;
    }
  }
  std::string Figure(const std::string& name) {
    Figures figures;
    speeds_.AddTo(&figures);
    return figures.values().at(name);
  }

  ReadClock clock_;
  HotRapOptions options_;
  TierSpeeds speeds_;
  uint64_t now_ = 0;
};

TEST_F(TierSpeedsTest, CountsAsSlowerUntilItIsKnown) {
  EXPECT_TRUE(speeds_.slower());
  EXPECT_TRUE(speeds_.IsSample());
  Read(Device::kSlow, 7, 63);
  Read(Device::kFast, 7, 1000);
  Read(Device::kNone, 1, 1000);
  EXPECT_TRUE(speeds_.slower());
}

TEST_F(TierSpeedsTest, ThePageCacheIsKnownAtOnce) {
  Read(Device::kSlow, 7, 64);
  EXPECT_FALSE(speeds_.slower());
  EXPECT_EQ("0", Figure("slow_reads_are_slower"));
  EXPECT_NEAR(7000, std::stod(Figure("slow_read_nanos")), 1000);
  EXPECT_EQ("0", Figure("fast_read_nanos"));
}

TEST_F(TierSpeedsTest, ADiskIsSlower) {
  Read(Device::kFast, 100, 20);
  Read(Device::kSlow, 2000, 64);
  EXPECT_TRUE(speeds_.slower());
  EXPECT_EQ("1", Figure("tracked_one_in"));
  EXPECT_NEAR(2000e3, std::stod(Figure("slow_read_nanos")), 300e3);
  EXPECT_NEAR(100e3, std::stod(Figure("fast_read_nanos")), 15e3);
  ReadSlowFor(100, 2000);
  EXPECT_TRUE(speeds_.slower());
}

// Larger blocks on one device.
TEST_F(TierSpeedsTest, AThirdMoreIsNotSlower) {
  Read(Device::kFast, 100, 64);
  Read(Device::kSlow, 130, 64);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, TwiceAsLongIsSlower) {
  Read(Device::kFast, 100, 64);
  Read(Device::kSlow, 200, 64);
  EXPECT_TRUE(speeds_.slower());
}

// A page cache whose blocks are uncompressed.
TEST_F(TierSpeedsTest, MicrosecondsAreNothing) {
  Read(Device::kFast, 4, 64);
  Read(Device::kSlow, 16, 64);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, PreemptedReadsDoNotCount) {
  Read(Device::kSlow, 10000, 4);
  Read(Device::kSlow, 7, 60);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, AFewReadsOfADiskDo) {
  Read(Device::kSlow, 10000, 8);
  Read(Device::kSlow, 7, 56);
  EXPECT_TRUE(speeds_.slower());
}

TEST_F(TierSpeedsTest, ADiskThatBecomesSlowerIsNoticedInASecond) {
  Read(Device::kSlow, 7, 64);
  ReadSlowFor(20, 7);
  ASSERT_FALSE(speeds_.slower());
  ReadSlowFor(1, 5000);
  EXPECT_TRUE(speeds_.slower());
}

TEST_F(TierSpeedsTest, OneLookDoesNotDecide) {
  Read(Device::kSlow, 7, 64);
  now_ += TierSpeeds::kIntervalNanos;
  Read(Device::kSlow, 7);
  Read(Device::kSlow, 5000, 16);
  ASSERT_FALSE(speeds_.slower());
  now_ += TierSpeeds::kIntervalNanos;
  Read(Device::kSlow, 5000);
  EXPECT_FALSE(speeds_.slower());
  EXPECT_GT(std::stod(Figure("slow_read_nanos")), 100e3);
}

// Promotion leaves the slow disk less to do.
TEST_F(TierSpeedsTest, StaysSlowerForAWhile) {
  Read(Device::kSlow, 2000, 64);
  ReadSlowFor(10, 2000);
  ReadSlowFor(35, 7);
  EXPECT_TRUE(speeds_.slower());
  ReadSlowFor(20, 7);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, AFalseAlarmIsShort) {
  Read(Device::kSlow, 2000, 64);
  ASSERT_TRUE(speeds_.slower());
  ReadSlowFor(6, 7);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, MoreReadsFewerSamples) {
  EXPECT_EQ("1", Figure("tracked_one_in"));
  Read(Device::kSlow, 7, 64);
  EXPECT_EQ(std::to_string(TierSpeeds::kMaxOneIn), Figure("tracked_one_in"));
  int samples = 0;
  for (int i = 0; i < 64000; i++) {
    samples += speeds_.IsSample() ? 1 : 0;
  }
  EXPECT_NEAR(1000, samples, 200);
  // Few reads: all of them.
  now_ += 10 * TierSpeeds::kIntervalNanos;
  Read(Device::kSlow, 7);
  EXPECT_EQ("1", Figure("tracked_one_in"));
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, SwitchedOffAllSlowReadsCount) {
  Read(Device::kSlow, 7, 64);
  ASSERT_FALSE(speeds_.slower());
  options_.promote_only_if_slower = false;
  speeds_.Configure(options_);
  EXPECT_TRUE(speeds_.slower());
  EXPECT_FALSE(speeds_.IsSample());
  Read(Device::kSlow, 7, 1000);
  EXPECT_TRUE(speeds_.slower());
  options_.promote_only_if_slower = true;
  speeds_.Configure(options_);
  EXPECT_TRUE(speeds_.slower());
  EXPECT_TRUE(speeds_.IsSample());
  Read(Device::kSlow, 7, 64);
  EXPECT_FALSE(speeds_.slower());
}

}  // namespace ROCKSDB_NAMESPACE
