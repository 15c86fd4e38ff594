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
    Configure();
    now_ = clock_.NowNanos();
  }

 protected:
  using Device = TierSpeeds::Device;
  static constexpr uint64_t kMemoryMicros = 50;

  void Configure() { speeds_.Configure(options_, disks_); }

  void Restart(TierDisks disks) {
    options_.enabled = false;
    Configure();
    options_.enabled = true;
    disks_ = disks;
    Configure();
  }

  // A sample each `period_micros`. What takes longer than `kMemoryMicros` has
  // waited.
  void Read(Device device, uint64_t micros, uint64_t period_micros, int times) {
    for (int i = 0; i < times; i++) {
      now_ += period_micros * 1000;
      speeds_.Count(device, micros > kMemoryMicros, micros * 1000, now_);
    }
  }
  void ReadSlowFor(int secs, uint64_t micros) {
    Read(Device::kSlow, micros, /*period_micros=*/10 * 1000, secs * 100);
  }
  // The first samples, of both tiers.
  void Begin(uint64_t fast_micros, uint64_t slow_micros) {
    for (int i = 0; i < 200; i++) {
      Read(Device::kFast, fast_micros, 500, 1);
      Read(Device::kSlow, slow_micros, 500, 1);
    }
    EXPECT_NE("0", Figure("slow_read_nanos"));
  }
  std::string Figure(const std::string& name) {
    Figures figures;
    speeds_.AddTo(&figures);
    return figures.values().at(name);
  }

  ReadClock clock_;
  HotRapOptions options_;
  TierDisks disks_ = TierDisks::kOfTheSystem;
  TierSpeeds speeds_;
  uint64_t now_ = 0;
};

TEST_F(TierSpeedsTest, CountsAsSlowerUntilItIsKnown) {
  EXPECT_TRUE(speeds_.slower());
  EXPECT_TRUE(speeds_.IsSample());
  Read(Device::kSlow, 7, 1000, 63);
  Read(Device::kFast, 7, 1000, 1000);
  Read(Device::kNone, 1, 1000, 1000);
  EXPECT_TRUE(speeds_.slower());
  EXPECT_EQ("0", Figure("slow_read_nanos"));
}

TEST_F(TierSpeedsTest, ThePageCacheIsKnownAtOnce) {
  Read(Device::kSlow, 7, 1000, 140);
  EXPECT_TRUE(speeds_.slower());
  EXPECT_EQ("1", Figure("tracked_one_in"));
  Read(Device::kSlow, 7, 1000, 50);
  EXPECT_FALSE(speeds_.slower());
  EXPECT_EQ("0", Figure("slow_reads_are_slower"));
  EXPECT_EQ("7000", Figure("slow_read_nanos"));
  EXPECT_EQ("7000", Figure("fast_read_nanos"));
  EXPECT_EQ("64", Figure("tracked_one_in"));
}

// 16 threads on two CPUs read 22 to 40 us from it.
TEST_F(TierSpeedsTest, WithoutFastReadsABusyPageCacheIsNotSlower) {
  Restart(TierDisks::kUnknown);
  Read(Device::kSlow, /*micros=*/45, /*period_micros=*/1000, 400);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, WithoutFastReadsADiskIsSlower) {
  Read(Device::kSlow, /*micros=*/70, /*period_micros=*/1000, 400);
  EXPECT_TRUE(speeds_.slower());
}

TEST_F(TierSpeedsTest, ADiskIsSlower) {
  Begin(100, 2000);
  EXPECT_TRUE(speeds_.slower());
  EXPECT_EQ("1", Figure("tracked_one_in"));
  EXPECT_EQ("2000000", Figure("slow_read_nanos"));
  EXPECT_EQ("100000", Figure("fast_read_nanos"));
  ReadSlowFor(100, 2000);
  EXPECT_TRUE(speeds_.slower());
}

// The slow tier of one device has larger blocks.
TEST_F(TierSpeedsTest, AThirdMoreIsNotSlower) {
  Begin(100, 130);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, TwiceAsLongIsSlower) {
  Begin(100, 200);
  EXPECT_TRUE(speeds_.slower());
}

// The same in the page cache.
TEST_F(TierSpeedsTest, MicrosecondsAreNothing) {
  Begin(4, 16);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, APageCacheThatMissesSomeReadsIsSlower) {
  for (int i = 0; i < 20; i++) {
    Read(Device::kSlow, 7, 1000, 9);
    Read(Device::kSlow, 5000, 1000, 1);
  }
  EXPECT_TRUE(speeds_.slower());
  EXPECT_NE("0", Figure("slow_read_nanos"));
}

// Memory has all of the fast tier, and of the slow one what is read often.
TEST_F(TierSpeedsTest, ADiskOfTheSameSpeedIsNotSlower) {
  // Two seconds: at first, too few of the fast tier's reads have waited.
  for (int i = 0; i < 500; i++) {
    Read(Device::kFast, 7, 200, 9);
    Read(Device::kFast, 1000, 200, 1);
    Read(Device::kSlow, 7, 200, 5);
    Read(Device::kSlow, 1000, 200, 5);
  }
  EXPECT_FALSE(speeds_.slower());
  EXPECT_EQ(Figure("slow_read_nanos"), Figure("fast_read_nanos"));
}

// Known before the first read.
TEST_F(TierSpeedsTest, OneDiskIsNotSlowerThanItself) {
  ASSERT_TRUE(speeds_.slower());
  ASSERT_TRUE(speeds_.IsSample());
  Restart(TierDisks::kOne);
  EXPECT_FALSE(speeds_.slower());
  EXPECT_FALSE(speeds_.IsSample());
  EXPECT_EQ(std::to_string(TierSpeeds::kTrackedOneIn),
            Figure("tracked_one_in"));
  // Promoting all the same was asked for.
  options_.promote_only_if_slower = false;
  Configure();
  EXPECT_TRUE(speeds_.slower());
}

// Reads that did not wait: a hypervisor took the CPU away, or data was polled.
TEST_F(TierSpeedsTest, WithoutAWaitNoDiskIsSlower) {
  for (const TierDisks disks : {TierDisks::kOfTheSystem, TierDisks::kUnknown}) {
    Restart(disks);
    for (int i = 0; i < 500; i++) {
      now_ += 1000 * 1000;
      speeds_.Count(Device::kSlow, /*waited=*/false,
                    i % 10 > 0 ? 7000 : 3000 * 1000, now_);
    }
    EXPECT_EQ(disks == TierDisks::kUnknown, speeds_.slower());
  }
}

// The fast tier came into memory, and what its disk took long ago is no
// measure.
TEST_F(TierSpeedsTest, AnOldMeanOfTheFastDiskIsForgotten) {
  Begin(/*fast_micros=*/2000, /*slow_micros=*/2500);
  ASSERT_FALSE(speeds_.slower());
  ReadSlowFor(/*secs=*/240, 2500);
  EXPECT_FALSE(speeds_.slower());
  ReadSlowFor(20, 2500);
  EXPECT_TRUE(speeds_.slower());
}

// In each tenth of a second it answers what is allowed at once, and then
// nothing. Of 16 threads, each waits once.
TEST_F(TierSpeedsTest, ADiskThatIsThrottledInSlicesIsSlower) {
  // The DB has been read for a while before the first slow read.
  Read(Device::kFast, 7, 1000, 1000);
  Read(Device::kNone, 1, 1000, 1000);
  for (int slice = 0; slice < 100; slice++) {
    Read(Device::kSlow, 10, 10, 984);
    now_ += 80 * 1000 * 1000;
    Read(Device::kSlow, 80 * 1000, 0, 16);
    EXPECT_TRUE(speeds_.slower());
  }
  EXPECT_NE("0", Figure("slow_read_nanos"));
}

TEST_F(TierSpeedsTest, ADiskThatBecomesSlowerIsNoticedInASecond) {
  Begin(7, 7);
  ReadSlowFor(20, 7);
  ASSERT_FALSE(speeds_.slower());
  ReadSlowFor(1, 5000);
  EXPECT_TRUE(speeds_.slower());
}

TEST_F(TierSpeedsTest, OneLookDoesNotDecide) {
  Begin(7, 7);
  ReadSlowFor(1, 7);
  for (int i = 0; i < 10; i++) {
    // The time of three looks, and a stall.
    Read(Device::kSlow, 7, TierSpeeds::kIntervalNanos / 1000 / 20, 60);
    Read(Device::kSlow, 5000, 0, 16);
    EXPECT_FALSE(speeds_.slower());
  }
}

// Promotion leaves the slow disk less to do.
TEST_F(TierSpeedsTest, StaysSlowerForAWhile) {
  Begin(7, 2000);
  ReadSlowFor(10, 2000);
  ReadSlowFor(35, 7);
  EXPECT_TRUE(speeds_.slower());
  ReadSlowFor(20, 7);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, AFalseAlarmIsShort) {
  Begin(7, 2000);
  ASSERT_TRUE(speeds_.slower());
  ReadSlowFor(4, 7);
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, MoreReadsFewerSamples) {
  const auto samples = [&] {
    int count = 0;
    for (int i = 0; i < 51200; i++) {
      count += speeds_.IsSample() ? 1 : 0;
    }
    return count;
  };
  Begin(7, 7);
  // A million samples a second.
  for (int i = 0; i < 4; i++) {
    Read(Device::kSlow, 7, 1, 300 * 1000);
  }
  EXPECT_NEAR(51200.0 / TierSpeeds::kMaxOneIn, samples(), 60);
  // Few reads: all of them.
  Read(Device::kSlow, 7, 1000 * 1000, 3);
  EXPECT_EQ(51200, samples());
  EXPECT_FALSE(speeds_.slower());
}

TEST_F(TierSpeedsTest, SwitchedOffAllSlowReadsCount) {
  Begin(7, 7);
  ASSERT_FALSE(speeds_.slower());
  options_.promote_only_if_slower = false;
  Configure();
  EXPECT_TRUE(speeds_.slower());
  EXPECT_FALSE(speeds_.IsSample());
  options_.promote_only_if_slower = true;
  Configure();
  EXPECT_TRUE(speeds_.slower());
  EXPECT_TRUE(speeds_.IsSample());
  Begin(7, 7);
  EXPECT_FALSE(speeds_.slower());
}

}  // namespace ROCKSDB_NAMESPACE
