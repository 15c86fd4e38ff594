//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// What listeners hear, and how long reads take by where they were answered.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/hotrap_listener.h"
#include "rocksdb/hotrap_metrics.h"

namespace ROCKSDB_NAMESPACE {

namespace {

class Listener : public HotRapListener {
 public:
  const char* Name() const override { return "ListenerOfTheTest"; }

  void OnHotRapPromotion(DB* db, const HotRapPromotionInfo& info) override {
    // No lock is held.
    std::string value;
    EXPECT_TRUE(db->GetProperty(kHotRapStatsProperty, &value));
    std::lock_guard<std::mutex> lock(mutex_);
    promotions_.push_back(info);
  }
  void OnHotRapCrossing(DB* /*db*/, const HotRapCrossingInfo& info) override {
    std::lock_guard<std::mutex> lock(mutex_);
    crossings_.push_back(info);
  }

  std::vector<HotRapPromotionInfo> promotions() {
    std::lock_guard<std::mutex> lock(mutex_);
    return promotions_;
  }
  std::vector<HotRapCrossingInfo> crossings() {
    std::lock_guard<std::mutex> lock(mutex_);
    return crossings_;
  }

 private:
  std::mutex mutex_;
  std::vector<HotRapPromotionInfo> promotions_;
  std::vector<HotRapCrossingInfo> crossings_;
};

}  // namespace

class EventsTest : public HotRapCrossingTestBase {
 public:
  EventsTest() : HotRapCrossingTestBase("events_test") {}

 protected:
  void WaitForEvents() {
    while (Tier()->jobs().busy()) {
      env_->SleepForMicroseconds(1000);
    }
  }

  std::map<std::string, std::string> Latencies() {
    std::map<std::string, std::string> values;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapGetLatencyProperty, &values));
    return values;
  }
};

TEST_F(EventsTest, AListenerHearsOfCrossings) {
  const auto listener = std::make_shared<Listener>();
  Options options = CrossingOptions();
  // One that knows only RocksDB's events is left alone.
  options.listeners = {std::make_shared<EventListener>(), listener};
  DestroyAndReopen(options);
  LoadFast();
  ASSERT_OK(Cross());
  WaitForEvents();
  const auto crossings = listener->crossings();
  ASSERT_EQ(Counter(HotRapCounter::kCrossings), crossings.size());
  EXPECT_EQ("default", crossings.back().cf_name);
  EXPECT_EQ(HotKeys().size(), crossings.back().retained_records);
  EXPECT_GT(crossings.back().fast_input_bytes, crossings.back().retained_bytes);
}

TEST_F(EventsTest, AListenerHearsOfPromotions) {
  const auto listener = std::make_shared<Listener>();
  Options options = HotRapOptionsForTest();
  options.listeners = {listener};
  DestroyAndReopen(options);
  LoadSlowTier(0, 1000);
  WaitForRalt();
  for (int round = 0; round < 200 && listener->promotions().empty(); round++) {
    for (int i = 0; i < 200; i++) {
      Get(Key(i));
    }
    WaitForEvents();
  }
  const auto promotions = listener->promotions();
  ASSERT_FALSE(promotions.empty());
  EXPECT_GT(promotions[0].records, 0);
  EXPECT_GT(promotions[0].bytes, promotions[0].records);
  EXPECT_GT(promotions[0].file_number, 0);
}

TEST_F(EventsTest, LatenciesByWhereAReadWasAnswered) {
  Options options = HotRapOptionsForTest();
  options.statistics = CreateDBStatistics();
  // The default has timers.
  ASSERT_GT(options.statistics->get_stats_level(), StatsLevel::kExceptTimers);
  DestroyAndReopen(options);
  LoadSlowTier(0, 100);
  EXPECT_EQ("0", Latencies()["slow.count"]);
  const std::string slow = Get(Key(1));
  EXPECT_EQ("1", Latencies()["slow.count"]);
  EXPECT_EQ(slow, Get(Key(1)));
  std::map<std::string, std::string> latencies = Latencies();
  EXPECT_EQ("1", latencies["promotion_cache.count"]);
  EXPECT_EQ("1", latencies["slow.count"]);
  EXPECT_EQ("0", latencies["fast.count"]);
  EXPECT_GT(std::stod(latencies["slow.p99"]), 0);
  EXPECT_GE(std::stod(latencies["slow.max"]), std::stod(latencies["slow.p50"]));
  // A batch has no latency of its own for each key.
  std::vector<Slice> keys = {"a", "b"};
  std::vector<PinnableSlice> values(2);
  std::vector<Status> statuses(2);
  const std::string first = Key(2);
  keys[0] = first;
  db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), 2, keys.data(),
                values.data(), statuses.data());
  ASSERT_OK(statuses[0]);
  EXPECT_EQ("1", Latencies()["slow.count"]);
}

TEST_F(EventsTest, NothingIsMeasuredWithoutTimers) {
  Options options = HotRapOptionsForTest();
  options.statistics = CreateDBStatistics();
  options.statistics->set_stats_level(StatsLevel::kExceptTimers);
  DestroyAndReopen(options);
  LoadSlowTier(0, 100);
  Get(Key(1));
  EXPECT_EQ("0", Latencies()["slow.count"]);
  // The level is live.
  options.statistics->set_stats_level(StatsLevel::kAll);
  Get(Key(90));  // in another block
  EXPECT_EQ("1", Latencies()["slow.count"]);
}

}  // namespace ROCKSDB_NAMESPACE
