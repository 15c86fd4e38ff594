//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_properties.h"

#include <map>
#include <memory>
#include <set>
#include <string>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "rocksdb/hotrap_metrics.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class HotRapPropertiesTest : public HotRapDBTestBase {
 public:
  HotRapPropertiesTest() : HotRapDBTestBase("hotrap_properties_test") {}
};

// It tells programs that load the library whether it is this one.
TEST_F(HotRapPropertiesTest, TheVersionIsKnownOnAndOff) {
  for (const bool enabled : {true, false}) {
    Options options = HotRapOptionsForTest();
    options.hotrap.enabled = enabled;
    DestroyAndReopen(options);
    std::string version;
    ASSERT_TRUE(db_->GetProperty(kHotRapVersionProperty, &version));
    EXPECT_EQ(GetRocksVersionAsString() + "-hotrap.1", version);
  }
}

// Its reader does not know what the writer has written since.
TEST_F(HotRapPropertiesTest, AReadOnlyDBDeletesNothing) {
  Options options = HotRapOptionsForTest();
  options.disable_auto_compactions = true;
  DestroyAndReopen(options);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  Options read_only = options;
  read_only.delete_obsolete_files_period_micros = 0;
  std::unique_ptr<DB> reader;
  ASSERT_OK(DB::OpenForReadOnly(read_only, dbname_, &reader));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "3"));
  const std::set<std::string> tables = TablesOnDisk();
  std::string text;
  uint64_t number = 0;
  EXPECT_TRUE(reader->GetProperty(kHotRapCopiesProperty, &text));
  EXPECT_TRUE(reader->GetIntProperty(kHotRapCopiesProperty, &number));
  reader->GetProperty(kHotRapStatsProperty, &text);
  EXPECT_EQ(tables, TablesOnDisk());
  Reopen(options);
  EXPECT_EQ("2", Get("b"));
  EXPECT_EQ("3", Get("c"));
}

// The reason is the handle, not the option.
TEST_F(HotRapPropertiesTest, HandlesThatDoNotWriteSaySo) {
  Options options = HotRapOptionsForTest();
  options.max_open_files = -1;  // as a secondary needs
  DestroyAndReopen(options);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  const auto expect_reason = [](DB* db, const std::string& reason) {
    std::map<std::string, std::string> stats;
    ASSERT_TRUE(db->GetMapProperty(kHotRapStatsProperty, &stats));
    EXPECT_EQ("0", stats["active"]);
    for (const char* name : {"inactive_reason", "promotion_blocked_reason"}) {
      EXPECT_NE(std::string::npos, stats[name].find(reason)) << stats[name];
    }
  };
  for (const bool enabled : {true, false}) {
    options.hotrap.enabled = enabled;
    const char* const why =
        enabled ? "read-only or as a secondary" : "hotrap.enabled is false";
    std::unique_ptr<DB> db;
    ASSERT_OK(DB::OpenForReadOnly(options, dbname_, &db));
    expect_reason(db.get(), why);
    ASSERT_OK(
        DB::OpenAsSecondary(options, dbname_, dbname_ + "_secondary", &db));
    expect_reason(db.get(), why);
  }
}

TEST_F(HotRapPropertiesTest, EachHasItsKinds) {
  DestroyAndReopen(HotRapOptionsForTest());
  uint64_t number = 0;
  std::map<std::string, std::string> map;
  std::string text;
  EXPECT_FALSE(db_->GetIntProperty(kHotRapVersionProperty, &number));
  EXPECT_FALSE(db_->GetMapProperty(kHotRapVersionProperty, &map));
  EXPECT_TRUE(db_->GetProperty(kHotRapStatsProperty, &text));
  EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &map));
  EXPECT_FALSE(db_->GetIntProperty(kHotRapStatsProperty, &number));
  EXPECT_TRUE(db_->GetIntProperty(kHotRapCopiesProperty, &number));
  EXPECT_FALSE(db_->GetMapProperty(kHotRapCopiesProperty, &map));
  EXPECT_FALSE(db_->GetProperty("rocksdb.hotrap.unknown", &text));
}

// docs/metrics.md and exporters go by the list.
TEST_F(HotRapPropertiesTest, EachFieldIsInTheListOfMetrics) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  std::set<std::string> described;
  for (const HotRapMetric& metric : HotRapMetrics()) {
    EXPECT_TRUE(described.insert(metric.name).second) << metric.name;
    EXPECT_EQ(1u, stats.count(metric.name)) << metric.name;
    EXPECT_STRNE("", metric.meaning) << metric.name;
  }
  for (const auto& [name, value] : stats) {
    EXPECT_EQ(1u, described.count(name)) << name << " is in no list";
  }
  std::map<std::string, std::string> metrics;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapMetricsProperty, &metrics));
  EXPECT_EQ(described.size(), metrics.size());
  EXPECT_EQ(0u, metrics["promoted_bytes"].find("counter bytes Key and value"));
  EXPECT_EQ(0u, metrics["ralt_records"].find("gauge count "));
  EXPECT_EQ(0u, metrics["inactive_reason"].find("text text "));
}

TEST_F(HotRapPropertiesTest, AFieldIsAnIntegerPropertyIfItIsAWholeNumber) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  for (const HotRapMetric& metric : HotRapMetrics()) {
    const std::string unit = metric.unit;
    const std::string property =
        std::string(kHotRapStatsProperty) + "." + metric.name;
    uint64_t value = 0;
    const bool whole = unit != "text" && unit != "ratio" && unit != "score";
    EXPECT_EQ(whole, db_->GetIntProperty(property, &value)) << metric.name;
    EXPECT_EQ(whole, db_->GetAggregatedIntProperty(property, &value))
        << metric.name;
  }
  uint64_t levels = 0;
  EXPECT_TRUE(db_->GetIntProperty(
      std::string(kHotRapStatsProperty) + ".first_slow_level", &levels));
  EXPECT_EQ(stats["first_slow_level"], std::to_string(levels));
}

}  // namespace ROCKSDB_NAMESPACE
