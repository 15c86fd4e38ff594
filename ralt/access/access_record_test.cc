//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/access_record.h"

#include <cmath>

#include "gtest/gtest.h"
#include "plugin/hotrap/ralt/access/access_clock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kStep = static_cast<uint64_t>(2.6 * kCounterUnit);
constexpr uint64_t kMax = 5 * kCounterUnit;

AccessRecord AccessAt(const Scoring& scoring, LogicalTime time,
                      uint32_t weight = 1) {
  AccessRecord record;
  record.key = "key";
  record.value_bytes = 100;
  scoring.SetFirstAccess(time, weight, &record);
  return record;
}
}  // namespace

class ScoringTest : public testing::Test {
 protected:
  const Scoring scoring_{0.999, 5, 2.6};
};

// score(N) = sum over accessed slices i of alpha^(N - i), whatever the order
// in which records are merged.
TEST_F(ScoringTest, MergesAddUpToTheDefinition) {
  const uint64_t ticks[] = {3, 10, 11, 500};
  double expected = 0;
  for (uint64_t tick : ticks) {
    expected += std::pow(0.999, 500 - tick);
  }
  const LogicalTime now{500, 0};
  AccessRecord forward = AccessAt(scoring_, {3, 0});
  for (int i = 1; i < 4; ++i) {
    scoring_.Merge(now, AccessAt(scoring_, {ticks[i], 0}), &forward);
  }
  AccessRecord late = AccessAt(scoring_, {500, 0});
  scoring_.Merge(now, AccessAt(scoring_, {11, 0}), &late);
  AccessRecord early = AccessAt(scoring_, {10, 0});
  scoring_.Merge(now, AccessAt(scoring_, {3, 0}), &early);
  scoring_.Merge(now, late, &early);
  EXPECT_NEAR(expected, forward.score, 1e-4);
  EXPECT_NEAR(expected, early.score, 1e-4);
  EXPECT_EQ(500u, early.tick);
}

TEST_F(ScoringTest, ASliceCountsOnce) {
  AccessRecord record = AccessAt(scoring_, {7, 0});
  scoring_.Merge({7, 0}, AccessAt(scoring_, {7, 0}), &record);
  EXPECT_EQ(1, record.score);
  EXPECT_TRUE(record.repeated);
}

TEST_F(ScoringTest, CountersAddUpAndAreCapped) {
  const LogicalTime now{0, 0};
  AccessRecord record = AccessAt(scoring_, now);
  EXPECT_EQ(kStep, scoring_.Counter(now, record));
  EXPECT_FALSE(scoring_.IsStable(now, record));
  scoring_.Merge(now, AccessAt(scoring_, now), &record);
  EXPECT_EQ(kMax, scoring_.Counter(now, record));
  EXPECT_TRUE(scoring_.IsStable(now, record));
}

TEST_F(ScoringTest, StableEndsWhenTheCounterDoes) {
  AccessRecord record = AccessAt(scoring_, {0, 0});
  scoring_.Merge({0, 0}, AccessAt(scoring_, {0, 0}), &record);
  EXPECT_TRUE(scoring_.IsStable({0, kMax - 1}, record));
  EXPECT_FALSE(scoring_.IsStable({0, kMax}, record));
  EXPECT_FALSE(scoring_.IsStable({0, UINT64_MAX}, record));
  // The next access makes it stable again.
  scoring_.Merge({0, 2 * kMax}, AccessAt(scoring_, {0, 2 * kMax}), &record);
  EXPECT_TRUE(scoring_.IsStable({0, 2 * kMax}, record));
}

// All counters fall at once, regardless of when in the period the accesses
// were.
TEST_F(ScoringTest, CountersFallWhenAPeriodEnds) {
  constexpr uint64_t kPeriodBytes = 1000;
  AccessClock clock(/*slice_bytes=*/10, kPeriodBytes);
  const AccessRecord early = AccessAt(scoring_, clock.Now());
  clock.Advance(kPeriodBytes - 1);
  const AccessRecord late = AccessAt(scoring_, clock.Now());
  EXPECT_EQ(kStep, scoring_.Counter(clock.Now(), early));
  EXPECT_EQ(kStep, scoring_.Counter(clock.Now(), late));
  clock.Advance(1);
  EXPECT_EQ(kStep - kCounterUnit, scoring_.Counter(clock.Now(), early));
  EXPECT_EQ(kStep - kCounterUnit, scoring_.Counter(clock.Now(), late));
  clock.Advance(2 * kPeriodBytes - 1);
  EXPECT_EQ(kStep - 2 * kCounterUnit, scoring_.Counter(clock.Now(), late));
  clock.Advance(1);
  EXPECT_EQ(0u, scoring_.Counter(clock.Now(), late));
}

TEST_F(ScoringTest, ManySlicesNeitherOverflowNorUnderflow) {
  const LogicalTime end{UINT64_MAX / 2, 0};
  AccessRecord record = AccessAt(scoring_, {1, 0});
  EXPECT_EQ(0, scoring_.RankAt(end, record, 0).score);
  scoring_.Merge(end, AccessAt(scoring_, end), &record);
  EXPECT_EQ(1, record.score);
  for (uint64_t tick = 0; tick < 20000; ++tick) {
    scoring_.Merge({tick, 0}, AccessAt(scoring_, {tick, 0}), &record);
  }
  EXPECT_LE(record.score, 1000.5);
  // A clock restored from an older manifest may be behind a record.
  EXPECT_EQ(record.score, scoring_.RankAt({0, 0}, record, 0).score);
}

TEST_F(ScoringTest, SampledAccessWeighsMore) {
  const AccessRecord record = AccessAt(scoring_, {0, 0}, 16);
  EXPECT_EQ(16, record.score);
  EXPECT_EQ(kMax, scoring_.Counter({0, 0}, record));
  EXPECT_FALSE(record.repeated);
}

TEST_F(ScoringTest, AFirstAccessMayBeEnoughToBeStable) {
  LogicalTime now;
  const AccessRecord record = AccessAt(scoring_, now);
  EXPECT_FALSE(scoring_.IsStable(now, record));
  now.first_access_counts = true;
  EXPECT_TRUE(scoring_.IsStable(now, record));
  EXPECT_TRUE(scoring_.RankAt(now, record, 0).stable);
  now.period = kStep;
  EXPECT_FALSE(scoring_.IsStable(now, record));
}

TEST_F(ScoringTest, StableOutranksUnstable) {
  EXPECT_LT((Rank{false, 900, 0}), (Rank{true, 0.1f, 0}));
  EXPECT_LT((Rank{true, 0.1f, 0}), (Rank{true, 0.2f, 0}));
  EXPECT_LT((Rank{true, 0.1f, 1}), (Rank{true, 0.1f, 2}));
}

}  // namespace ROCKSDB_NAMESPACE::ralt
