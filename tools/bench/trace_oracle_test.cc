//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/trace_oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "plugin/hotrap/tools/bench/twitter_generator.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

// Keys have two bytes here, so that a record has 100.
constexpr uint32_t kValueBytes = 98;
constexpr uint64_t kRecordBytes = 100;

class TraceOracleTest : public testing::Test {
 public:
  TraceOracleTest() : trace_(std::make_shared<Trace>()) {}

 protected:
  void Read(const std::string& key, int times = 1) {
    for (int i = 0; i < times; ++i) {
      trace_->AddUnloaded(key, Operation::kRead, kValueBytes);
    }
  }

  void Load(const std::string& key) { trace_->AddLoaded(key, kValueBytes); }

  Oracle Find(uint64_t placed_bytes, uint64_t memtable_bytes = 0,
              const std::vector<double>& popularity = {}) {
    const uint64_t requests = trace_->requests().size();
    return OracleOfTrace({placed_bytes, memtable_bytes}, *trace_,
                         TraceKeySpace(trace_), popularity, requests,
                         requests / 10);
  }

  const std::shared_ptr<Trace> trace_;
};

TwitterCluster PopularCluster() {
  TwitterCluster cluster;
  cluster.name = "test";
  cluster.key_bytes = 24;
  cluster.value_bytes = 1000;
  cluster.zipf_alpha = 0.99;
  cluster.operations = {{Operation::kRead, 1}};
  return cluster;
}

}  // namespace

TEST_F(TraceOracleTest, PlacesWhatWasReadMost) {
  for (const char* key : {"aa", "bb", "cc"}) {
    Load(key);
  }
  Read("aa", 6);
  Read("bb", 3);
  Read("cc", 1);
  const Oracle oracle = Find(kRecordBytes);
  EXPECT_EQ(oracle.basis, "hindsight");
  EXPECT_DOUBLE_EQ(oracle.whole.records, 0.6);
  EXPECT_DOUBLE_EQ(Find(2 * kRecordBytes).whole.records, 0.9);
  EXPECT_DOUBLE_EQ(Find(3 * kRecordBytes).whole.records, 1);
  // The final tenth is the read of cc, which is placed for it.
  EXPECT_DOUBLE_EQ(oracle.final.records, 1);
}

TEST_F(TraceOracleTest, AWindowHasItsOwnPlacement) {
  Load("aa");
  Load("bb");
  for (int i = 0; i < 50; ++i) {
    Read("aa");
  }
  for (int i = 0; i < 50; ++i) {
    Read(i % 5 == 0 ? "aa" : "bb");
  }
  const Oracle oracle = Find(kRecordBytes);
  ASSERT_EQ(oracle.windows.size(), kOracleWindows);
  for (size_t i = 0; i < kOracleWindows; ++i) {
    EXPECT_EQ(oracle.windows[i].operations, 10u);
    EXPECT_EQ(oracle.windows[i].reads, 10u);
    EXPECT_DOUBLE_EQ(oracle.windows[i].hit_rate, i < 5 ? 1 : 0.8) << i;
  }
  EXPECT_DOUBLE_EQ(oracle.whole.records, 0.6);
  EXPECT_DOUBLE_EQ(oracle.final.records, 0.8);
}

TEST_F(TraceOracleTest, SmallRecordsComeFirst) {
  trace_->AddLoaded("aa", 198);
  Load("bb");
  Load("cc");
  Read("aa", 5);
  Read("bb", 3);
  Read("cc", 2);
  // 2.5, 3 and 2 reads of 100 bytes.
  EXPECT_DOUBLE_EQ(Find(100).whole.records, 0.3);
  EXPECT_DOUBLE_EQ(Find(300).whole.records, 0.8);
  EXPECT_DOUBLE_EQ(Find(200).whole.records, 0.3 + 0.25);
}

TEST_F(TraceOracleTest, AValueIsAtLeastAsLargeAsTheDriverMakesIt) {
  trace_->AddLoaded("aa", 1);
  Read("aa", 10);
  EXPECT_DOUBLE_EQ(Find(13).whole.records, 0.5);
}

TEST_F(TraceOracleTest, ARecordIsAsLargeAsWhenItWasReadLast) {
  Load("aa");
  Load("bb");
  Read("aa", 5);
  trace_->AddUnloaded("aa", Operation::kUpdate, 3 * kRecordBytes - 2);
  Read("aa", 5);
  EXPECT_DOUBLE_EQ(Find(kRecordBytes).whole.records, 1 / 3.0);
}

TEST_F(TraceOracleTest, WhatIsNotThereIsReadForNothing) {
  Load("aa");
  Read("aa", 2);
  Read("bb", 3);
  trace_->AddUnloaded("aa", Operation::kDelete, 0);
  Read("aa", 5);
  EXPECT_DOUBLE_EQ(Find(0).whole.records, 0.8);
  EXPECT_DOUBLE_EQ(Find(kRecordBytes).whole.records, 1);
}

TEST_F(TraceOracleTest, WhatWasWrittenLastIsInTheMemtable) {
  for (const char* key : {"aa", "bb", "cc"}) {
    Load(key);
  }
  Read("aa");
  trace_->AddUnloaded("aa", Operation::kUpdate, kValueBytes);
  Read("aa");
  trace_->AddUnloaded("bb", Operation::kUpdate, kValueBytes);
  Read("aa");
  trace_->AddUnloaded("cc", Operation::kUpdate, kValueBytes);
  Read("aa");
  // With room for two records it still has aa after bb was written, but not
  // after cc was.
  EXPECT_DOUBLE_EQ(Find(0, 2 * kRecordBytes).whole.records, 0.5);
  EXPECT_DOUBLE_EQ(Find(0).whole.records, 0);
}

TEST_F(TraceOracleTest, BlocksAreOfNeighboursByKey) {
  // 1,024 bytes each, so four a block of 4 KiB.
  for (const char* key : {"h", "g", "f", "e", "d", "c", "b", "a"}) {
    trace_->AddLoaded(key, 1023);
  }
  Read("a", 3);
  Read("h", 2);
  Read("e", 2);
  const Oracle oracle = Find(4096);
  EXPECT_DOUBLE_EQ(oracle.whole.records, 1);
  EXPECT_DOUBLE_EQ(oracle.whole.blocks[0], 4 / 7.0);
  // All are in one block of 16 KiB, half of which fits.
  EXPECT_DOUBLE_EQ(oracle.whole.blocks[1], 0.5);
}

TEST_F(TraceOracleTest, ATraceMayBeReplayedAgainAndInPart) {
  Load("aa");
  Load("bb");
  Read("aa", 2);
  Read("bb", 1);
  const auto rates = [&](uint64_t operations) {
    return OracleOfTrace({kRecordBytes, 0}, *trace_, TraceKeySpace(trace_), {},
                         operations, operations / 10);
  };
  // aa aa bb aa aa
  EXPECT_DOUBLE_EQ(rates(5).whole.records, 0.8);
  EXPECT_EQ(rates(5).windows.size(), 5u);
  EXPECT_DOUBLE_EQ(rates(2).whole.records, 1);
  EXPECT_DOUBLE_EQ(rates(300).whole.records, 2 / 3.0);
  EXPECT_TRUE(rates(0).basis.empty());
  EXPECT_TRUE(rates(0).windows.empty());
}

TEST_F(TraceOracleTest, WithoutReadsThereIsNone) {
  trace_->AddUnloaded("aa", Operation::kUpdate, kValueBytes);
  EXPECT_TRUE(Find(kRecordBytes).basis.empty());
}

TEST_F(TraceOracleTest, KnownPopularityDecides) {
  Load("aa");
  Load("bb");
  Read("aa", 6);
  Read("bb", 4);
  const Oracle oracle = Find(kRecordBytes, 0, {0.4, 0.6});
  EXPECT_EQ(oracle.basis, "generator");
  EXPECT_DOUBLE_EQ(oracle.whole.records, 0.4);
  // Windows are in hindsight.
  EXPECT_DOUBLE_EQ(oracle.windows[0].hit_rate, 1);
}

// The generator draws as it says: its oracle is that of the law, where
// hindsight sees hot records that were hot by chance.
TEST_F(TraceOracleTest, OfTheGenerator) {
  TwitterTraceOptions options;
  constexpr uint64_t kKeys = 20000;
  options.requests = 100000;
  for (const uint64_t copies : {1, 4}) {
    options.copies = copies;
    options.loaded_keys = kKeys;
    auto trace = std::make_shared<Trace>();
    ASSERT_TRUE(
        GenerateTwitterTrace(PopularCluster(), options, trace.get()).ok());
    const std::vector<double> popularity =
        TwitterPopularity(PopularCluster(), options, *trace);
    double sum = 0;
    for (const double share : popularity) {
      sum += share;
    }
    EXPECT_NEAR(sum, 1, 1e-3);
    // Copies are equally popular.
    EXPECT_EQ(popularity[0], popularity[copies - 1]);

    double first = 0;
    double all = 0;
    const uint64_t ranks = kKeys / copies;
    for (uint64_t rank = 0; rank < ranks; ++rank) {
      const double power = std::pow(static_cast<double>(rank + 1), -0.99);
      all += power;
      first += rank < ranks / 10 ? power : 0;
    }
    const OracleBudget budget{kKeys / 10 * 1024, 0};
    const TraceKeySpace key_space(trace);
    const Oracle known = OracleOfTrace(budget, *trace, key_space, popularity,
                                       options.requests, 10000);
    EXPECT_NEAR(known.whole.records, first / all, 0.01);
    EXPECT_NEAR(known.final.records, first / all, 0.02);
    const Oracle hindsight =
        OracleOfTrace(budget, *trace, key_space, {}, options.requests, 10000);
    EXPECT_GE(hindsight.whole.records, known.whole.records);
    EXPECT_GT(hindsight.final.records, known.final.records + 0.05);
    EXPECT_EQ(hindsight.windows[3].hit_rate, known.windows[3].hit_rate);
  }
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
