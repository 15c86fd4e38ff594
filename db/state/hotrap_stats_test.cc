//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/hotrap_stats.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "rocksdb/hotrap.h"

namespace ROCKSDB_NAMESPACE {

TEST(HotRapStatsTest, ACounterAddsUp) {
  HotRapStats stats(/*statistics=*/nullptr);
  EXPECT_EQ(0u, stats.Get(HotRapCounter::kSeals));
  stats.Count(HotRapCounter::kSeals);
  stats.Count(HotRapCounter::kSeals, 41);
  EXPECT_EQ(42u, stats.Get(HotRapCounter::kSeals));
  EXPECT_EQ(0u, stats.Get(HotRapCounter::kPromotions));
}

TEST(HotRapStatsTest, ACounterWithATickerCountsBoth) {
  const std::shared_ptr<Statistics> statistics = CreateDBStatistics();
  HotRapStats stats(statistics.get());
  stats.Count(HotRapCounter::kCrossings);
  stats.Count(HotRapCounter::kRetainedBytes, 1000);
  stats.Count(HotRapCounter::kAdmissions, 7);
  EXPECT_EQ(1u, stats.Get(HotRapCounter::kCrossings));
  EXPECT_EQ(1u, statistics->getTickerCount(HOTRAP_CROSSING_COMPACTIONS));
  EXPECT_EQ(1000u, statistics->getTickerCount(HOTRAP_RETAINED_BYTES));
  EXPECT_EQ(0u, statistics->getTickerCount(HOTRAP_RETAINED_RECORDS));
}

TEST(HotRapStatsTest, EachHasANameAndEachTickerACounter) {
  const std::shared_ptr<Statistics> statistics = CreateDBStatistics();
  HotRapStats stats(statistics.get());
  const auto count = static_cast<uint32_t>(HotRapCounter::kCount);
  for (uint32_t i = 0; i < count; i++) {
    stats.Count(static_cast<HotRapCounter>(i), i + 1);
  }
  Figures figures;
  stats.AddTo(&figures);
  std::map<std::string, std::string> values = figures.values();
  EXPECT_EQ(count, values.size());
  EXPECT_EQ("1", values["get_hits_fast"]);
  std::set<std::string> different;
  for (const auto& value : values) {
    different.insert(value.second);
  }
  EXPECT_EQ(count, different.size());
#define CHECK_TICKER(ticker, name) \
  EXPECT_GT(statistics->getTickerCount(ticker), 0u) << name;
  HOTRAP_TICKERS(CHECK_TICKER)
#undef CHECK_TICKER
}

}  // namespace ROCKSDB_NAMESPACE
