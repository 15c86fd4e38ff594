//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/heat/hit_rate_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "test_util/testharness.h"
#include "util/hash.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kRecordBytes = 100;
constexpr uint64_t kBudgetBytes = 1000 * 1000;
// 0.1 % of a hot set limit of half the budget.
constexpr uint64_t kSliceBytes = kBudgetBytes / 2000;
constexpr uint64_t kFlushBytes = kBudgetBytes / 20;
}  // namespace

// Flushes accesses of a workload into a sample, as RALT does.
class HitRateSampleTest : public testing::Test {
 protected:
  using Workload = std::function<uint64_t()>;

  void Run(const Workload& next_key, uint64_t budgets) {
    for (uint64_t i = 0; i < budgets * kBudgetBytes / kFlushBytes; i++) {
      Flush(next_key);
    }
  }

  void Flush(const Workload& next_key) {
    std::map<uint64_t, std::pair<AccessRecord, uint64_t>> records;
    const uint64_t accesses = kFlushBytes / kRecordBytes;
    for (uint64_t i = 0; i < accesses; i++) {
      accessed_bytes_ += kRecordBytes;
      AccessRecord access;
      access.value_bytes = kRecordBytes;
      scoring_.SetFirstAccess(Now(), /*weight=*/1, &access);
      const auto [record, is_new] =
          records.try_emplace(next_key(), access, uint64_t{1});
      if (!is_new) {
        scoring_.Merge(Now(), access, &record->second.first);
        record->second.second++;
      }
    }
    sample_.Begin(Now(), accesses, /*slow_weight=*/accesses / 4);
    for (const auto& [key, record] : records) {
      sample_.Add(GetSliceHash64(std::to_string(key)), record.first,
                  record.second);
    }
    sample_.End();
  }

  LogicalTime Now() const {
    return {accessed_bytes_ / kSliceBytes,
            accessed_bytes_ / kBudgetBytes * kCounterUnit};
  }

  // A workload in which `hot_share` of the accesses go to the first `hot` of
  // `keys` keys.
  Workload Hotspot(uint64_t first, uint64_t hot, uint64_t keys,
                   double hot_share) {
    return [=, this] {
      return std::bernoulli_distribution(hot_share)(random_)
                 ? first + random_() % hot
                 : random_() % keys;
    };
  }

  std::mt19937_64 random_{301};
  const Scoring scoring_{0.999, 5, 2.6};
  HitRateSample sample_{scoring_, /*max_keys=*/1024};
  uint64_t accessed_bytes_ = 0;
};

TEST_F(HitRateSampleTest, NothingIsKnownAtFirst) {
  EXPECT_TRUE(sample_.Curve().points.empty());
  Run(Hotspot(0, 100, 1000, 0.9), /*budgets=*/1);
  EXPECT_TRUE(sample_.Curve().points.empty());
  Run(Hotspot(0, 100, 1000, 0.9), 3);
  const HitRateCurve curve = sample_.Curve();
  EXPECT_FALSE(curve.points.empty());
  EXPECT_NEAR(0.75, curve.fast_share, 0.01);
}

TEST_F(HitRateSampleTest, AHotspotShowsAsTheRoomThatItNeeds) {
  constexpr uint64_t kHot = 5000;
  Run(Hotspot(0, kHot, 200 * 1000, 0.9), /*budgets=*/24);
  const HitRateCurve curve = sample_.Curve();
  constexpr double kHotBytes = kHot * kRecordBytes;
  EXPECT_GT(sample_.Curve().sampled_keys, 256u);
  EXPECT_NEAR(0.90, curve.At(1.5 * kHotBytes).hit_rate, 0.03);
  EXPECT_NEAR(0.45, curve.At(0.5 * kHotBytes).hit_rate, 0.10);
  EXPECT_NEAR(kHotBytes, curve.stable_bytes, 0.3 * kHotBytes);
  // The rate only grows with the room, and the error covers the truth.
  double last = 0;
  for (const HitRateCurve::Point& point : curve.points) {
    EXPECT_GE(point.hit_rate, last);
    last = point.hit_rate;
  }
}

TEST_F(HitRateSampleTest, AFewVeryHotKeysAreNotLeftToChance) {
  // 20,000 keys, accessed as by Zipf's law: ten keys get a quarter.
  constexpr uint64_t kKeys = 20000;
  std::vector<double> weights;
  for (uint64_t i = 1; i <= kKeys; i++) {
    weights.push_back(1 / static_cast<double>(i));
  }
  std::discrete_distribution<uint64_t> zipf(weights.begin(), weights.end());
  Run([&] { return zipf(random_); }, /*budgets=*/40);
  const HitRateCurve curve = sample_.Curve();
  double all = 0;
  for (const double weight : weights) {
    all += weight;
  }
  double best = 0;
  for (uint64_t i = 0; i < 5000; i++) {
    best += weights[i] / all;
    // Ranks are noisy, so that a tier gets a little less than the best choice.
    if (i + 1 == 50 || i + 1 == 500 || i + 1 == 5000) {
      const double rate =
          curve.At(static_cast<double>(i + 1) * kRecordBytes).hit_rate;
      EXPECT_LT(rate, best + 0.04) << i;
      EXPECT_GT(rate, best - 0.10) << i;
    }
  }
}

TEST_F(HitRateSampleTest, ItFollowsTheWorkload) {
  constexpr uint64_t kHot = 2000;
  Run(Hotspot(0, kHot, 100 * 1000, 0.9), /*budgets=*/12);
  EXPECT_NEAR(0.9, sample_.Curve().At(3.0 * kHot * kRecordBytes).hit_rate,
              0.05);
  Run(Hotspot(0, 1, 100 * 1000, 0), 40);
  EXPECT_LT(sample_.Curve().At(3.0 * kHot * kRecordBytes).hit_rate, 0.15);
}

TEST_F(HitRateSampleTest, ItStaysSmall) {
  uint64_t key = 0;
  Run([&] { return key++; }, /*budgets=*/12);
  EXPECT_LE(sample_.Curve().sampled_keys, 1024u);
  // Nothing is read twice.
  EXPECT_EQ(0, sample_.Curve().At(1e12).hit_rate);
}

TEST(HitRateCurveTest, GoesThroughAFile) {
  HitRateCurve curve;
  curve.points = {{100, 0.25, 0.01}, {200, 0.5, 0.02}};
  curve.accesses = 1e6;
  curve.fast_share = 0.4;
  curve.sampled_keys = 77;
  curve.stable_bytes = 150;
  std::string file;
  curve.EncodeTo(&file);
  HitRateCurve read;
  ASSERT_OK(read.DecodeFrom(file));
  ASSERT_EQ(2u, read.points.size());
  EXPECT_EQ(0.02, read.points[1].error);
  EXPECT_EQ(0.4, read.fast_share);
  EXPECT_EQ(77u, read.sampled_keys);
  EXPECT_EQ(0.375, read.At(150).hit_rate);
  EXPECT_EQ(0.125, read.At(50).hit_rate);
  EXPECT_EQ(0.5, read.At(1e9).hit_rate);
  for (size_t i = 0; i < file.size(); i++) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_NOK(read.DecodeFrom(damaged)) << i;
    EXPECT_TRUE(read.points.empty());
    EXPECT_NOK(read.DecodeFrom(Slice(file.data(), i))) << i;
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
