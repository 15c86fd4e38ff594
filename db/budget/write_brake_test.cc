//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests the rate of writes for what a path holds, and in a simulated burst that
// the path stays within its limit and writes get what crossings make free.

#include "plugin/hotrap/db/budget/write_brake.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kRamp = 100 * kMiB;
constexpr uint64_t kLimit = WriteBrake::kRampDivisor * kRamp;
constexpr uint64_t kNext = 5 * kRamp;

// `spare` in bytes, beside the next compaction.
WriteBrake::Input Spare(int64_t spare) {
  WriteBrake::Input in;
  in.limit_bytes = kLimit;
  in.next_compaction_bytes = kNext;
  in.held_bytes =
      static_cast<uint64_t>(static_cast<int64_t>(kLimit - kNext) - spare);
  in.drain_bytes_per_sec = 40 * kMiB;
  in.max_bytes_per_sec = 1000 * kMiB;
  in.drains = true;
  return in;
}

using State = WriteBrake::State;

}  // namespace

TEST(WriteBrakeTest, FirstPromotionsThenRetentionThenWrites) {
  WriteBrake::Decision d = WriteBrake::Decide(Spare(10 * kRamp));
  EXPECT_TRUE(d.promotes && d.state == State::kFree && !d.close);
  EXPECT_EQ(WriteBrake::kMostRetained, d.most_retained);

  d = WriteBrake::Decide(Spare(kRamp * 3 / 2 + 1));
  EXPECT_TRUE(d.promotes && d.state == State::kFree && d.close);
  d = WriteBrake::Decide(Spare(kRamp * 3 / 2 - 1));
  EXPECT_FALSE(d.promotes);
  EXPECT_EQ(State::kFree, d.state);
  EXPECT_NEAR(0.65, d.most_retained, 0.01);

  d = WriteBrake::Decide(Spare(kRamp));
  EXPECT_EQ(State::kFree, d.state);
  EXPECT_DOUBLE_EQ(WriteBrake::kLeastRetained, d.most_retained);
  d = WriteBrake::Decide(Spare(kRamp - 1));
  EXPECT_EQ(State::kDelayed, d.state);
}

TEST(WriteBrakeTest, TheRateFallsWithoutAStep) {
  uint64_t before = 1000 * kMiB;
  for (int64_t spare = kRamp - 1; spare > -static_cast<int64_t>(kNext);
       spare -= static_cast<int64_t>(kMiB)) {
    const WriteBrake::Decision d = WriteBrake::Decide(Spare(spare));
    ASSERT_EQ(State::kDelayed, d.state) << spare;
    ASSERT_LE(d.bytes_per_sec, before);
    ASSERT_GE(d.bytes_per_sec, before * 9 / 10) << spare;
    before = d.bytes_per_sec;
  }
  EXPECT_LT(before, 2 * WriteBrake::kLeastBytesPerSec);
}

TEST(WriteBrakeTest, AQuarterOfTheDrainAtTheEndOfTheRamp) {
  EXPECT_NEAR(10.0 * kMiB,
              static_cast<double>(WriteBrake::Decide(Spare(1)).bytes_per_sec),
              1.0 * kMiB);
  WriteBrake::Input in = Spare(1);
  in.drain_bytes_per_sec = 0;
  EXPECT_NEAR(125.0 * kMiB,
              static_cast<double>(WriteBrake::Decide(in).bytes_per_sec),
              2.0 * kMiB);
}

TEST(WriteBrakeTest, StopsOnlyWhereACompactionMakesRoom) {
  WriteBrake::Input in = Spare(-static_cast<int64_t>(kNext));
  EXPECT_EQ(State::kStopped, WriteBrake::Decide(in).state);
  in.held_bytes += 10 * kLimit;
  EXPECT_EQ(State::kStopped, WriteBrake::Decide(in).state);
  in.drains = false;
  const WriteBrake::Decision d = WriteBrake::Decide(in);
  EXPECT_EQ(State::kDelayed, d.state);
  EXPECT_EQ(WriteBrake::kLeastBytesPerSec, d.bytes_per_sec);
}

TEST(WriteBrakeTest, WhatLeavesNeverStopsWrites) {
  WriteBrake::Input in = Spare(kRamp);
  in.leaving_bytes = 100 * kLimit;
  const WriteBrake::Decision d = WriteBrake::Decide(in);
  EXPECT_EQ(State::kDelayed, d.state);
  EXPECT_GE(d.bytes_per_sec, 10 * kMiB - 1);
}

// An iterator over a DB whose levels are full.
TEST(WriteBrakeTest, WhatLeavesTakesOneRampAtMost) {
  WriteBrake::Input in = Spare(2 * kRamp);
  in.leaving_bytes = 100 * kLimit;
  const WriteBrake::Decision d = WriteBrake::Decide(in);
  EXPECT_EQ(State::kFree, d.state);
  EXPECT_TRUE(d.promotes);
  EXPECT_EQ(WriteBrake::kMostRetained, d.most_retained);
}

TEST(WriteBrakeTest, WhatGoesWithACompactionTakesRoomFromWritesOnly) {
  for (uint64_t WriteBrake::Input::*const bytes :
       {&WriteBrake::Input::crossing_bytes, &WriteBrake::Input::kept_bytes}) {
    WriteBrake::Input in = Spare(2 * kRamp);
    in.*bytes = kRamp * 3 / 2;
    WriteBrake::Decision d = WriteBrake::Decide(in);
    EXPECT_EQ(State::kDelayed, d.state);
    EXPECT_EQ(WriteBrake::Decide(Spare(kRamp / 2)).bytes_per_sec,
              d.bytes_per_sec);
    EXPECT_TRUE(d.promotes);
    EXPECT_EQ(WriteBrake::kMostRetained, d.most_retained);
    in.*bytes = 2 * kRamp + kNext;
    d = WriteBrake::Decide(in);
    EXPECT_EQ(State::kStopped, d.state);
  }
}

TEST(WriteBrakeTest, TheUsersRateIsKept) {
  WriteBrake::Input in = Spare(kRamp / 2);
  in.max_bytes_per_sec = 1000;
  EXPECT_EQ(1000u, WriteBrake::Decide(in).bytes_per_sec);
  in.max_bytes_per_sec = 0;
  EXPECT_GE(WriteBrake::Decide(in).bytes_per_sec, 1u);
}

// A writer that takes all it gets, and crossings of one file at a time at a
// given speed. Decisions are made when a file comes or goes.
TEST(WriteBrakeTest, ABurstIsHeldToTheDrain) {
  constexpr uint64_t kFile = 64 * kMiB;
  for (const uint64_t drain : {2 * kMiB, 20 * kMiB, 200 * kMiB}) {
    for (const uint64_t most : {16 * kMiB, 1000 * kMiB}) {
      WriteBrake::Input in = Spare(3 * kRamp);
      in.drain_bytes_per_sec = drain;
      in.max_bytes_per_sec = most;
      double held = static_cast<double>(in.held_bytes);
      double written = 0;
      double second_half = 0;
      double drained = 0;
      const double seconds =
          20.0 * static_cast<double>(kLimit) / static_cast<double>(drain);
      const double step = seconds / 200000;
      WriteBrake::Decision d;
      double crossed = 0;
      for (int i = 0; i < 200000; i++) {
        in.held_bytes = static_cast<uint64_t>(held);
        d = WriteBrake::Decide(in);
        const double rate = d.state == State::kFree ? 2000.0 * kMiB
                            : d.state == State::kStopped
                                ? 0
                                : static_cast<double>(d.bytes_per_sec);
        held += rate * step;
        written += rate * step;
        second_half += i >= 100000 ? rate * step : 0;
        crossed += static_cast<double>(drain) * step;
        while (crossed >= kFile) {
          crossed -= kFile;
          held -= kFile;
          drained += kFile;
        }
        ASSERT_LE(held, static_cast<double>(kLimit + 2 * kFile) +
                            2000.0 * kMiB * step);
      }
      EXPECT_GT(written, 0);
      // Nobody waits for more than the tier can take.
      EXPECT_NEAR(1.0, second_half / (static_cast<double>(drain) * seconds / 2),
                  0.05)
          << drain << " " << most;
    }
  }
}

}  // namespace ROCKSDB_NAMESPACE
