//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/best_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

Placeable Thing(double reads, uint64_t bytes) { return {reads, reads, bytes}; }

// The most reads of any choice of whole things that fits.
double BestOfAllChoices(const std::vector<Placeable>& things,
                        uint64_t capacity_bytes) {
  double best = 0;
  for (uint32_t chosen = 0; chosen < 1u << things.size(); ++chosen) {
    double reads = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < things.size(); ++i) {
      if (chosen >> i & 1) {
        reads += things[i].reads;
        bytes += things[i].bytes;
      }
    }
    if (bytes <= capacity_bytes) {
      best = std::max(best, reads);
    }
  }
  return best;
}

}  // namespace

TEST(BestPlacementTest, TakesTheMostReadsAByteFirst) {
  // 2, 0.5 and 1 reads a byte.
  const std::vector<Placeable> things = {Thing(20, 10), Thing(50, 100),
                                         Thing(30, 30)};
  for (const auto& [capacity_bytes, reads] :
       std::vector<std::pair<uint64_t, double>>{{0, 0},
                                                {5, 10},
                                                {10, 20},
                                                {25, 35},
                                                {40, 50},
                                                {60, 60},
                                                {140, 100},
                                                {1000, 100}}) {
    std::vector<Placeable> ordered = things;
    EXPECT_DOUBLE_EQ(ReadsOfBestPlacement(&ordered, capacity_bytes), reads)
        << capacity_bytes;
  }
  std::vector<Placeable> nothing;
  EXPECT_EQ(ReadsOfBestPlacement(&nothing, 10), 0);
}

TEST(BestPlacementTest, ChoosesByWhatIsExpected) {
  std::vector<Placeable> things = {{1, 70, 10}, {2, 30, 10}};
  EXPECT_DOUBLE_EQ(ReadsOfBestPlacement(&things, 10), 30);
  EXPECT_DOUBLE_EQ(ReadsOfBestPlacement(&things, 15), 65);
}

TEST(BestPlacementTest, NoPlacementOfWholeThingsIsBetter) {
  std::mt19937_64 rng(301);
  std::uniform_int_distribution<uint64_t> draw(1, 100);
  for (int round = 0; round < 50; ++round) {
    std::vector<Placeable> things;
    double most_reads = 0;
    for (int i = 0; i < 10; ++i) {
      things.push_back(Thing(static_cast<double>(draw(rng)), draw(rng)));
      most_reads = std::max(most_reads, things.back().reads);
    }
    const uint64_t capacity_bytes = 3 * draw(rng);
    const double whole = BestOfAllChoices(things, capacity_bytes);
    const double best = ReadsOfBestPlacement(&things, capacity_bytes);
    EXPECT_GE(best, whole - 1e-9);
    EXPECT_LE(best, whole + most_reads);
  }
}

TEST(BestPlacementTest, BlocksTakeNeighboursWhileTheyFit) {
  const std::vector<Placeable> records = {
      {1, 10, 40}, {2, 20, 50}, {4, 40, 0}, {8, 80, 300}, {16, 160, 60}};
  // In key order: 50 + 40 fit in 100, 300 does not, and has its own block; 2
  // does not exist.
  const auto blocks = PackIntoBlocks(records, {1, 0, 2, 3, 4}, 100);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].bytes, 90u);
  EXPECT_EQ(blocks[0].reads, 30);
  EXPECT_EQ(blocks[0].expected_reads, 3);
  EXPECT_EQ(blocks[1].bytes, 300u);
  EXPECT_EQ(blocks[1].reads, 80);
  EXPECT_EQ(blocks[2].bytes, 60u);
  EXPECT_EQ(blocks[2].reads, 160);
  // Four of 1 KiB are 4 KiB: a full block has no room left.
  const std::vector<Placeable> equal(8, Thing(1, 1024));
  EXPECT_EQ(PackIntoBlocks(equal, {0, 1, 2, 3, 4, 5, 6, 7}, 4096).size(), 2u);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
