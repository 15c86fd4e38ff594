//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/key_distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/workload_mix.h"
#include "plugin/hotrap/tools/bench/zipf_sampler.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr uint64_t kSeed = 301;

std::unique_ptr<KeyDistribution> Make(const KeyDistributionOptions& options) {
  std::unique_ptr<KeyDistribution> distribution;
  EXPECT_TRUE(NewKeyDistribution(options, &distribution).ok());
  return distribution;
}

}  // namespace

TEST(ZipfSamplerTest, FollowsTheLaw) {
  constexpr uint64_t kItems = 1000;
  constexpr uint64_t kDraws = 400000;
  for (const double theta : {0.0, 0.5, 0.99, 1.0, 1.5, 2.1}) {
    double total = 0;
    for (uint64_t k = 1; k <= kItems; ++k) {
      total += std::pow(static_cast<double>(k), -theta);
    }
    const ZipfSampler sampler(kItems, theta);
    std::mt19937_64 rng(kSeed);
    std::vector<double> counts(kItems);
    for (uint64_t i = 0; i < kDraws; ++i) {
      const uint64_t rank = sampler.Sample(&rng);
      ASSERT_LT(rank, kItems);
      ++counts[rank];
    }
    for (uint64_t rank : {0, 1, 2, 9, 99}) {
      const double expected =
          kDraws * std::pow(static_cast<double>(rank + 1), -theta) / total;
      // Six standard deviations of a Poisson count.
      EXPECT_NEAR(counts[rank], expected, 6 * std::sqrt(expected) + 1)
          << "theta " << theta << " rank " << rank;
    }
  }
}

TEST(ZipfSamplerTest, OneItem) {
  const ZipfSampler sampler(1, 0.99);
  std::mt19937_64 rng(kSeed);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(sampler.Sample(&rng), 0u);
  }
}

TEST(RankScramblerTest, IsABijection) {
  for (const uint64_t n : {1, 2, 3, 10, 1000, 4096, 99991}) {
    const RankScrambler scrambler(n);
    std::vector<bool> seen(n);
    for (uint64_t rank = 0; rank < n; ++rank) {
      const uint64_t id = scrambler.IdOf(rank);
      ASSERT_LT(id, n);
      ASSERT_FALSE(seen[id]);
      seen[id] = true;
    }
  }
}

TEST(ZipfSamplerTest, ProbabilitiesAreThoseOfTheLaw) {
  const std::vector<double> found = ZipfSampler(3, 1).Probabilities();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_DOUBLE_EQ(found[0], 6 / 11.0);
  EXPECT_DOUBLE_EQ(found[1], 3 / 11.0);
  EXPECT_DOUBLE_EQ(found[2], 2 / 11.0);
}

TEST(KeyDistributionTest, ProbabilitiesAreThoseOfTheDraws) {
  KeyDistributionOptions options;
  options.records = 200;
  options.hotspot_start = 0.9;
  for (const double hotspot_fraction : {0.2, 1.0}) {
    options.hotspot_fraction = hotspot_fraction;
    for (const char* name : {"hotspot", "zipf", "uniform", "latest"}) {
      options.name = name;
      const auto distribution = Make(options);
      const std::vector<double> probabilities = distribution->Probabilities();
      ASSERT_EQ(probabilities.size(), options.records);
      std::vector<double> counts(options.records);
      std::mt19937_64 rng(kSeed);
      constexpr uint64_t kDraws = 200000;
      for (uint64_t i = 0; i < kDraws; ++i) {
        ++counts[distribution->Draw(&rng, options.records)];
      }
      double sum = 0;
      for (uint64_t id = 0; id < options.records; ++id) {
        sum += probabilities[id];
        const double expected = kDraws * probabilities[id];
        // Six standard deviations of a Poisson count.
        EXPECT_NEAR(counts[id], expected, 6 * std::sqrt(expected) + 1)
            << name << ' ' << id;
      }
      EXPECT_NEAR(sum, 1, 1e-9);
    }
  }
}

TEST(KeySpaceTest, IdsAreInTheOrderOfTheirKeys) {
  const SyntheticKeySpace key_space(24);
  const std::vector<uint64_t> ids = key_space.IdsInKeyOrder(1000);
  ASSERT_EQ(ids.size(), 1000u);
  std::string last;
  std::string key;
  for (const uint64_t id : ids) {
    ASSERT_LT(id, 1000u);
    key_space.KeyOf(id, &key);
    ASSERT_LT(last, key);
    last = key;
  }
}

TEST(KeyDistributionTest, HotspotGetsItsShare) {
  KeyDistributionOptions options;
  options.name = "hotspot";
  options.records = 10000;
  const auto distribution = Make(options);
  std::map<uint64_t, uint64_t> counts;
  std::mt19937_64 rng(kSeed);
  constexpr uint64_t kDraws = 1000000;
  for (uint64_t i = 0; i < kDraws; ++i) {
    const uint64_t id = distribution->Draw(&rng, options.records);
    ASSERT_LT(id, options.records);
    ++counts[id];
  }
  uint64_t hot_keys = 0;
  uint64_t hot_draws = 0;
  for (const auto& [id, count] : counts) {
    // Hot keys get 1,900 draws each, cold ones 5.
    if (count > 500) {
      ++hot_keys;
      hot_draws += count;
    }
  }
  EXPECT_EQ(hot_keys, 500u);
  EXPECT_NEAR(static_cast<double>(hot_draws) / kDraws, 0.95, 0.002);
}

TEST(KeyDistributionTest, HotspotStandsWhereItIsPut) {
  KeyDistributionOptions options;
  options.name = "hotspot";
  options.records = 10000;
  // Every draw gives a hot key.
  options.hotspot_ops = 1;
  const auto hot_keys = [&](double start, double fraction) {
    options.hotspot_start = start;
    options.hotspot_fraction = fraction;
    const auto distribution = Make(options);
    std::mt19937_64 rng(kSeed);
    std::set<uint64_t> ids;
    for (int i = 0; i < 20000; ++i) {
      ids.insert(distribution->Draw(&rng, options.records));
    }
    EXPECT_EQ(ids.size(), distribution->hot_keys());
    return ids;
  };
  const std::set<uint64_t> wide = hot_keys(0.98, 0.05);
  const std::set<uint64_t> narrow = hot_keys(0.98, 0.03);
  const std::set<uint64_t> shifted = hot_keys(0.5, 0.05);
  EXPECT_EQ(wide.size(), 500u);
  EXPECT_TRUE(
      std::includes(wide.begin(), wide.end(), narrow.begin(), narrow.end()));
  for (const uint64_t id : shifted) {
    EXPECT_EQ(wide.count(id), 0u);
  }
}

// Hot keys must be scattered among cold ones, in load order and in key order,
// or whole blocks and files would be hot.
TEST(KeyDistributionTest, HotKeysAreNotNeighbours) {
  constexpr uint64_t kRecords = 100000;
  constexpr uint64_t kHot = kRecords / 20;
  constexpr size_t kBlockKeys = 16;
  const RankScrambler scrambler(kRecords);
  const SyntheticKeySpace key_space(24);
  std::vector<std::pair<std::string, bool>> keys(kRecords);
  std::vector<bool> hot_by_id(kRecords);
  for (uint64_t rank = 0; rank < kRecords; ++rank) {
    const uint64_t id = scrambler.IdOf(rank);
    hot_by_id[id] = rank < kHot;
    key_space.KeyOf(id, &keys[id].first);
    keys[id].second = rank < kHot;
  }
  std::sort(keys.begin(), keys.end());
  size_t most_in_block = 0;
  size_t most_in_load_order = 0;
  for (size_t at = 0; at + kBlockKeys <= kRecords; at += kBlockKeys) {
    const auto in_block =
        std::count_if(keys.begin() + static_cast<long>(at),
                      keys.begin() + static_cast<long>(at + kBlockKeys),
                      [](const auto& key) { return key.second; });
    most_in_block = std::max(most_in_block, static_cast<size_t>(in_block));
    const auto in_order = std::count(
        hot_by_id.begin() + static_cast<long>(at),
        hot_by_id.begin() + static_cast<long>(at + kBlockKeys), true);
    most_in_load_order =
        std::max(most_in_load_order, static_cast<size_t>(in_order));
  }
  EXPECT_LE(most_in_block, 6u);
  EXPECT_LE(most_in_load_order, 6u);
}

TEST(KeyDistributionTest, LatestFollowsTheNewestKey) {
  KeyDistributionOptions options;
  options.name = "latest";
  options.records = 1000;
  const auto distribution = Make(options);
  std::mt19937_64 rng(kSeed);
  for (const uint64_t key_count : {1000, 5000}) {
    uint64_t newest = 0;
    for (int i = 0; i < 10000; ++i) {
      const uint64_t id = distribution->Draw(&rng, key_count);
      ASSERT_LT(id, key_count);
      newest += id == key_count - 1 ? 1 : 0;
    }
    EXPECT_GT(newest, 1000u);
  }
}

TEST(KeyDistributionTest, RefusesNonsense) {
  std::unique_ptr<KeyDistribution> distribution;
  KeyDistributionOptions options;
  options.records = 0;
  EXPECT_TRUE(NewKeyDistribution(options, &distribution).IsInvalidArgument());
  options.records = 10;
  options.name = "normal";
  EXPECT_TRUE(NewKeyDistribution(options, &distribution).IsInvalidArgument());
  options.name = "hotspot";
  options.hotspot_fraction = 0;
  EXPECT_TRUE(NewKeyDistribution(options, &distribution).IsInvalidArgument());
  options.name = "zipf";
  options.zipf_theta = -1;
  EXPECT_TRUE(NewKeyDistribution(options, &distribution).IsInvalidArgument());
}

TEST(SyntheticKeySpaceTest, RoundTrip) {
  for (const size_t key_bytes : {16, 24, 100}) {
    const SyntheticKeySpace key_space(key_bytes);
    std::string key;
    for (const uint64_t id :
         {uint64_t{0}, uint64_t{1}, uint64_t{4000000}, UINT64_MAX}) {
      key_space.KeyOf(id, &key);
      EXPECT_EQ(key.size(), key_bytes);
      uint64_t back = 0;
      ASSERT_TRUE(key_space.IdOf(key, &back));
      EXPECT_EQ(back, id);
    }
  }
  const SyntheticKeySpace key_space(24);
  uint64_t id = 0;
  EXPECT_FALSE(key_space.IdOf("short", &id));
  EXPECT_FALSE(key_space.IdOf("kkkkkkkk00000000000000zz", &id));
}

TEST(WorkloadMixTest, SharesAreAsNamed) {
  WorkloadMix mix;
  ASSERT_TRUE(WorkloadMix::FromName("RW", &mix).ok());
  EXPECT_EQ(mix.default_distribution(), "hotspot");
  std::mt19937_64 rng(kSeed);
  std::map<Operation, double> counts;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[mix.Draw(&rng)];
  }
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_NEAR(counts[Operation::kRead] / kDraws, 0.75, 0.01);
  EXPECT_NEAR(counts[Operation::kInsert] / kDraws, 0.25, 0.01);
  ASSERT_TRUE(WorkloadMix::FromName("F", &mix).ok());
  EXPECT_EQ(mix.default_distribution(), "zipf");
  EXPECT_TRUE(WorkloadMix::FromName("G", &mix).IsInvalidArgument());
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
