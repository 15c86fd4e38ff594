//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/eviction.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kRecordBytes = 1000;
constexpr uint64_t kPhysicalBytes = 30;
}  // namespace

TEST(RankSamplerTest, CutsNearTheTarget) {
  Random64 random(301);
  constexpr uint64_t kRecords = 100000;
  RankSampler sampler(kRecords, 10000, &random);
  Random64 scores(7);
  for (uint64_t i = 0; i < kRecords; ++i) {
    sampler.Add({false, static_cast<float>(scores.Uniform(kRecords)), 0}, 1);
  }
  const Rank cut = sampler.Threshold(kRecords * 9 / 10);
  EXPECT_NEAR(kRecords / 10, cut.score, kRecords / 50);
}

// Large records count by their size.
TEST(RankSamplerTest, WeighsBySize) {
  Random64 random(301);
  RankSampler sampler(1000 * 99 + 1000 * 1, 10000, &random);
  for (int i = 0; i < 1000; ++i) {
    sampler.Add({false, 1, 0}, 99);
    sampler.Add({false, 2, 0}, 1);
  }
  EXPECT_EQ(1, sampler.Threshold(50000).score);
}

TEST(RankSamplerTest, NothingToCut) {
  Random64 random(301);
  RankSampler empty(0, 100, &random);
  EXPECT_FALSE(Rank::Lowest() < empty.Threshold(0));
  RankSampler fits(10, 100, &random);
  fits.Add({true, 5, 0}, 10);
  EXPECT_FALSE(Rank::Lowest() < fits.Threshold(10));
}

class EvictionPlannerTest : public testing::Test {
 protected:
  EvictionPlannerTest() {
    options_.path = "unused";
    options_.fast_budget_bytes = 100 * 1000 * kRecordBytes;
    EXPECT_TRUE(options_.Sanitize().ok());
    limits_.hot_set_bytes = options_.hot_set_limit_bytes;
    limits_.physical_bytes = options_.physical_limit_bytes;
  }

  EvictionPlanner::Plan PlanFor(uint64_t stable, uint64_t unstable,
                                uint64_t records_to_learn = 0) {
    const uint64_t records = stable + unstable;
    EvictionPlanner planner(options_, records, records * kRecordBytes,
                            records * kPhysicalBytes, &random_);
    AccessRecord record;
    record.key = "0123456789";
    record.value_bytes = kRecordBytes - record.key.size();
    Random64 ties(3);
    ranks_.clear();
    for (uint64_t i = 0; i < records; ++i) {
      ranks_.push_back({i < stable, 1, static_cast<uint32_t>(ties.Next())});
      planner.Add(record, ranks_.back());
    }
    return planner.MakePlan(limits_, tunes_, records_to_learn * kPhysicalBytes);
  }

  // Counts the kept records among those of the last plan.
  uint64_t CountKept(const EvictionPlanner::Plan& plan) const {
    return static_cast<uint64_t>(std::count_if(
        ranks_.begin(), ranks_.end(),
        [&](const Rank& rank) { return !(rank < plan.drop_threshold); }));
  }

  RaltOptions options_;
  RaltLimits limits_;
  bool tunes_ = true;
  Random64 random_{301};
  std::vector<Rank> ranks_;
};

// Budget: 100,000 records; R_hs 70,000, L_hs 5,000, D_hs 3,500.
TEST_F(EvictionPlannerTest, LimitFollowsTheStableRecords) {
  EvictionPlanner::Plan plan = PlanFor(20000, 30000);
  EXPECT_EQ(20000 * kRecordBytes, plan.limits.stable_bytes);
  EXPECT_NEAR(23500.0 * kRecordBytes, plan.limits.hot_set_bytes, 1e5);
  EXPECT_NEAR(23500.0 * kPhysicalBytes, plan.limits.physical_bytes, 1e4);
  // All stable records are hot and stay; unstable ones go.
  EXPECT_FALSE(Rank::LowestStable() < plan.limits.hot_threshold);
  EXPECT_FALSE(Rank::LowestStable() < plan.drop_threshold);
  EXPECT_LT(Rank::Lowest(), plan.drop_threshold);
}

// Only the score to be hot is found anew, and nothing within the limits goes.
TEST_F(EvictionPlannerTest, LimitsStayWhereNothingIsOverThem) {
  tunes_ = false;
  limits_.hot_threshold = {true, 1000, 0};
  EvictionPlanner::Plan plan = PlanFor(20000, 30000);
  EXPECT_EQ(limits_.hot_set_bytes, plan.limits.hot_set_bytes);
  EXPECT_EQ(limits_.physical_bytes, plan.limits.physical_bytes);
  EXPECT_FALSE(Rank::LowestStable() < plan.limits.hot_threshold);
  EXPECT_FALSE(Rank::Lowest() < plan.drop_threshold);
}

TEST_F(EvictionPlannerTest, LimitStaysInItsBounds) {
  EXPECT_EQ(5000 * kRecordBytes, PlanFor(0, 90000).limits.hot_set_bytes);
  const EvictionPlanner::Plan plan = PlanFor(90000, 0);
  EXPECT_EQ(70000 * kRecordBytes, plan.limits.hot_set_bytes);
  // If there are more stable records than may be hot, the lowest are not hot
  // and are dropped.
  EXPECT_LT(Rank::LowestStable(), plan.limits.hot_threshold);
  EXPECT_LT(Rank::LowestStable(), plan.drop_threshold);
}

// Unstable records then have half of D_hs, however few stable ones there are:
// their room decides how many of them become stable by chance.
TEST_F(EvictionPlannerTest, HalfOfTheRoomBesideStableRecordsBecomesFree) {
  EXPECT_NEAR(2000 + 3500 / 2, CountKept(PlanFor(2000, 50000)), 400);
  EXPECT_NEAR(60000 + 3500 / 2, CountKept(PlanFor(60000, 20000)), 500);
  // The lower bound leaves more room than D_hs.
  EXPECT_NEAR(5000 / 2, CountKept(PlanFor(0, 50000)), 300);
}

// While a hot set is learned there is more room for unstable records, up to the
// first physical limit, and no other limit changes.
TEST_F(EvictionPlannerTest, MoreUnstableRecordsStayWhileAHotSetIsLearnt) {
  const EvictionPlanner::Plan plan = PlanFor(20000, 30000, 70000);
  EXPECT_EQ(50000u, CountKept(plan));
  EXPECT_NEAR(23500.0 * kRecordBytes, plan.limits.hot_set_bytes, 1e5);
  EXPECT_NEAR(23500.0 * kPhysicalBytes, plan.limits.physical_bytes, 1e4);

  options_.physical_limit_bytes = 64000 * kPhysicalBytes;
  limits_.physical_bytes =
      RaltOptions::RecordShare(options_.physical_limit_bytes);
  EXPECT_NEAR(20000 + 20000 / 2, CountKept(PlanFor(20000, 30000, 70000)), 500);
}

// Large cold records leave as much room for small stable ones as small cold
// records would.
TEST_F(EvictionPlannerTest, StableRecordsThatFitStayWhateverTheSizes) {
  constexpr uint64_t kStable = 1000;
  constexpr uint64_t kUnstable = 9000;
  constexpr uint64_t kSmall = 50;
  constexpr uint64_t kLarge = 10000;
  EvictionPlanner planner(options_, kStable + kUnstable,
                          kStable * kSmall + kUnstable * kLarge,
                          (kStable + kUnstable) * kPhysicalBytes, &random_);
  AccessRecord record;
  record.key = "0123456789";
  Random64 ties(3);
  for (uint64_t i = 0; i < kStable + kUnstable; ++i) {
    const bool stable = i < kStable;
    record.value_bytes = (stable ? kSmall : kLarge) - record.key.size();
    planner.Add(record, {stable, 1, static_cast<uint32_t>(ties.Next())});
  }
  const EvictionPlanner::Plan plan =
      planner.MakePlan(limits_, tunes_, /*room_to_learn=*/0);
  EXPECT_FALSE(Rank::LowestStable() < plan.drop_threshold);
  EXPECT_LT(Rank::Lowest(), plan.drop_threshold);
  // L_hs is 5,000 records of 1,000 bytes.
  EXPECT_NEAR(
      static_cast<double>(kStable + (5000000 - kStable * kSmall) / kLarge) *
          kPhysicalBytes,
      static_cast<double>(plan.limits.physical_bytes), kPhysicalBytes);
}

TEST_F(EvictionPlannerTest, FixedLimitFreesATenth) {
  options_.auto_tune = false;
  limits_.physical_bytes = 20000 * kPhysicalBytes;
  EXPECT_NEAR(18000, CountKept(PlanFor(2000, 50000)), 1000);
  EXPECT_NEAR(19500, CountKept(PlanFor(19000, 50000)), 1000);
  EXPECT_NEAR(18000, CountKept(PlanFor(50000, 0)), 1000);
}

TEST_F(EvictionPlannerTest, FixedLimitsStayFixed) {
  options_.auto_tune = false;
  const EvictionPlanner::Plan plan = PlanFor(60000, 0);
  EXPECT_EQ(limits_.hot_set_bytes, plan.limits.hot_set_bytes);
  EXPECT_EQ(limits_.physical_bytes, plan.limits.physical_bytes);
  EXPECT_LT(Rank::LowestStable(), plan.limits.hot_threshold);
}

TEST_F(EvictionPlannerTest, NothingTracked) {
  const EvictionPlanner::Plan plan = PlanFor(0, 0);
  EXPECT_EQ(limits_.hot_set_bytes, plan.limits.hot_set_bytes);
  EXPECT_FALSE(Rank::Lowest() < plan.drop_threshold);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
