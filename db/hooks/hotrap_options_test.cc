//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests the option group hotrap={...}: writing, reading, changing and
// validating it, and the cases in which HotRAP is inactive.

#include "plugin/hotrap/db/hooks/hotrap_options.h"

#include "options/options_parser.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class HotRapOptionsTest : public HotRapDBTestBase {
 public:
  HotRapOptionsTest() : HotRapDBTestBase("hotrap_options_test") {}

  std::string OptionsFile() {
    std::string name;
    EXPECT_OK(GetLatestOptionsFileName(dbname_, env_, &name));
    std::string text;
    EXPECT_OK(ReadFileToString(env_, dbname_ + "/" + name, &text));
    return text;
  }

  HotRapOptions OptionsInForce() { return db_->GetOptions().hotrap; }

  std::string Stat(const std::string& name) {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats[name];
  }

  void ExpectInactive(const Options& options, const std::string& reason) {
    DestroyAndReopen(options);
    EXPECT_EQ("0", Stat("active"));
    EXPECT_NE(std::string::npos, Stat("inactive_reason").find(reason))
        << Stat("inactive_reason");
    // The DB works nevertheless.
    ASSERT_OK(Flush());
    Close();
  }

  void ExpectRefused(const Options& options, const std::string& reason) {
    Close();
    ASSERT_OK(DestroyDB(dbname_, options));
    const Status s = TryReopen(options);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(reason)) << s.ToString();
  }
};

// ---- Strings and files ------------------------------------------------------

TEST_F(HotRapOptionsTest, FromString) {
  ColumnFamilyOptions options;
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      ConfigOptions(), ColumnFamilyOptions(),
      "write_buffer_size=1000000;"
      "hotrap={enabled=true;promotion_cache_bytes=123;cached_hit_sampling=7;"
      "fast_budget_bytes=456;min_fast_budget_bytes=45;"
      "access_buffer_bytes=789000;auto_tune=false;"
      "fast_block_bytes=3000;small_level_filter_bits=3;"
      "promote_only_if_slower=false;}",
      &options));
  EXPECT_TRUE(options.hotrap.enabled);
  EXPECT_EQ(123, options.hotrap.promotion_cache_bytes);
  EXPECT_EQ(7, options.hotrap.cached_hit_sampling);
  EXPECT_EQ(456, options.hotrap.fast_budget_bytes);
  EXPECT_EQ(45, options.hotrap.min_fast_budget_bytes);
  EXPECT_EQ(789000, options.hotrap.access_buffer_bytes);
  EXPECT_FALSE(options.hotrap.auto_tune);
  EXPECT_EQ(3000, options.hotrap.fast_block_bytes);
  EXPECT_EQ(3, options.hotrap.small_level_filter_bits);
  EXPECT_FALSE(options.hotrap.promote_only_if_slower);
  EXPECT_EQ(1000000, options.write_buffer_size);

  std::string text;
  ASSERT_OK(GetStringFromColumnFamilyOptions(ConfigOptions(), options, &text));
  ColumnFamilyOptions again;
  ASSERT_OK(GetColumnFamilyOptionsFromString(
      ConfigOptions(), ColumnFamilyOptions(), text, &again));
  ASSERT_OK(
      RocksDBOptionsParser::VerifyCFOptions(ConfigOptions(), options, again));
}

TEST_F(HotRapOptionsTest, UnknownNamesAndValuesAreRefused) {
  ColumnFamilyOptions options;
  for (const char* text :
       {"hotrap={enabled=true;no_such_field=1;}", "hotrap={enabled=perhaps;}",
        "hotrap={promotion_cache_bytes=x;}", "hotrap=true"}) {
    EXPECT_NOK(GetColumnFamilyOptionsFromString(
        ConfigOptions(), ColumnFamilyOptions(), text, &options))
        << text;
  }
}

TEST_F(HotRapOptionsTest, RoundTripThroughTheOptionsFile) {
  Options options = HotRapOptionsForTest();
  options.hotrap.promotion_cache_bytes = 12345;
  options.hotrap.auto_tune = false;
  DestroyAndReopen(options);
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> column_families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), dbname_, &db_options,
                              &column_families));
  ASSERT_EQ(1, column_families.size());
  EXPECT_TRUE(column_families[0].options.hotrap.enabled);
  EXPECT_EQ(12345, column_families[0].options.hotrap.promotion_cache_bytes);
  EXPECT_FALSE(column_families[0].options.hotrap.auto_tune);
  EXPECT_EQ(1, column_families[0].options.hotrap.cached_hit_sampling);
  ASSERT_OK(CheckOptionsCompatibility(ConfigOptions(), dbname_, db_options,
                                      column_families));
}

// Stock RocksDB opens such a file, and rejects unknown names.
TEST_F(HotRapOptionsTest, NothingIsWrittenWhileOff) {
  Options options = HotRapOptionsForTest();
  options.hotrap = HotRapOptions();
  DestroyAndReopen(options);
  EXPECT_EQ(std::string::npos, OptionsFile().find("hotrap="));
  // Nor are changed fields written.
  options.hotrap.promotion_cache_bytes = 12345;
  options.hotrap.cached_hit_sampling = 3;
  Reopen(options);
  EXPECT_EQ(std::string::npos, OptionsFile().find("hotrap="));
  // This does not count as a difference to the file.
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> column_families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), dbname_, &db_options,
                              &column_families));
  column_families[0].options.hotrap = options.hotrap;
  ASSERT_OK(CheckOptionsCompatibility(ConfigOptions(), dbname_, db_options,
                                      column_families));

  options.hotrap.enabled = true;
  Reopen(options);
  EXPECT_NE(std::string::npos, OptionsFile().find("hotrap={"));
  // It disappears again.
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  EXPECT_EQ(std::string::npos, OptionsFile().find("hotrap="));
}

// ---- Live ------------------------------------------------------------------

TEST_F(HotRapOptionsTest, SetOptionsChangesWhatItNames) {
  Options options = HotRapOptionsForTest();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  ASSERT_EQ("0", Stat("active"));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  EXPECT_EQ("1", Stat("active"));
  EXPECT_EQ("", Stat("inactive_reason"));
  EXPECT_EQ(options.hotrap.promotion_cache_bytes,
            OptionsInForce().promotion_cache_bytes);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promotion_cache_bytes=54321;}"}}));
  EXPECT_EQ("1", Stat("active"));
  EXPECT_EQ("54321", Stat("promotion_cache_capacity"));
  EXPECT_EQ(54321, OptionsInForce().promotion_cache_bytes);
  ASSERT_OK(db_->SetOptions({{"hotrap.cached_hit_sampling", "9"}}));
  EXPECT_EQ(9, OptionsInForce().cached_hit_sampling);
  EXPECT_TRUE(OptionsInForce().enabled);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  EXPECT_EQ("0", Stat("active"));
  EXPECT_EQ("hotrap.enabled is false", Stat("inactive_reason"));
}

TEST_F(HotRapOptionsTest, SetOptionsRefusesWhatOpenRefuses) {
  const Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  EXPECT_NOK(db_->SetOptions({{"hotrap", "{cached_hit_sampling=0;}"}}));
  EXPECT_NOK(db_->SetOptions({{"hotrap", "{access_buffer_bytes=100;}"}}));
  EXPECT_NOK(db_->SetOptions({{"hotrap", "{no_such_field=1;}"}}));
  const std::string budget = std::to_string(options.db_paths[0].target_size);
  EXPECT_NOK(db_->SetOptions({{"hotrap", "{fast_budget_bytes=" + budget +
                                             ";min_fast_budget_bytes=1G;}"}}));
  // L0 and L1 would no longer fit.
  EXPECT_NOK(db_->SetOptions({{"max_bytes_for_level_base", "1000000"}}));
  EXPECT_EQ("1", Stat("active"));
  EXPECT_EQ(1, OptionsInForce().cached_hit_sampling);
}

// FS follows from the level targets.
TEST_F(HotRapOptionsTest, FirstSlowLevelFollowsTheLevelTargets) {
  const Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  ASSERT_EQ("2", Stat("first_slow_level"));
  ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", "65536"}}));
  EXPECT_EQ("3", Stat("first_slow_level"));
  EXPECT_EQ("1", Stat("active"));
}

// ---- Invalid options, and where HotRAP stays inactive -----------------------

TEST_F(HotRapOptionsTest, OpenRefusesWhatCannotBeMeant) {
  Options options = HotRapOptionsForTest();
  options.db_paths[0].target_size = options.max_bytes_for_level_base;
  ExpectRefused(options, "target_size");

  options = HotRapOptionsForTest();
  options.hotrap.cached_hit_sampling = 0;
  ExpectRefused(options, "cached_hit_sampling");

  options = HotRapOptionsForTest();
  options.hotrap.access_buffer_bytes = 1000;
  ExpectRefused(options, "access_buffer_bytes");

  options = HotRapOptionsForTest();
  options.hotrap.fast_budget_bytes = options.db_paths[0].target_size;
  options.hotrap.min_fast_budget_bytes = options.hotrap.fast_budget_bytes + 1;
  ExpectRefused(options, "min_fast_budget_bytes");
  // Nothing is known of what others take of the path.
  options.hotrap.fast_budget_bytes = 0;
  ASSERT_OK(TryReopen(options));
  options = HotRapOptionsForTest();
  options.hotrap.access_buffer_bytes = 1000;

  // Not validated while HotRAP is off.
  options.hotrap.enabled = false;
  options.hotrap.cached_hit_sampling = 0;
  ASSERT_OK(TryReopen(options));
}

#if ROCKSDB_MAJOR >= 11
// It would empty the fast tier.
TEST_F(HotRapOptionsTest, ReadTriggeredCompactionsAreRefused) {
  const char* const kName = "read_triggered_compaction_threshold";
  Options options = HotRapOptionsForTest();
  options.read_triggered_compaction_threshold = 0.01;
  ExpectRefused(options, kName);

  // By SetOptions(), too, in either order.
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  Status s = db_->SetOptions({{"hotrap", "{enabled=true;}"}});
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find(kName)) << s.ToString();
  EXPECT_FALSE(OptionsInForce().enabled);
  ASSERT_OK(db_->SetOptions({{kName, "0"}}));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  s = db_->SetOptions({{kName, "0.01"}});
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(0, db_->GetOptions().read_triggered_compaction_threshold);
  EXPECT_EQ("1", Stat("active"));

  // Where HotRAP is inactive, a tool must be able to read the OPTIONS file.
  options = HotRapOptionsForTest();
  options.read_triggered_compaction_threshold = 0.01;
  options.db_paths.clear();
  ExpectInactive(options, "one path");
}
#endif

TEST_F(HotRapOptionsTest, CreateColumnFamilyRefusesToo) {
  DestroyAndReopen(HotRapOptionsForTest());
  ColumnFamilyOptions options = HotRapOptionsForTest();
  options.hotrap.cached_hit_sampling = 0;
  ColumnFamilyHandle* cf = nullptr;
  EXPECT_TRUE(db_->CreateColumnFamily(options, "bad", &cf).IsInvalidArgument());
}

TEST_F(HotRapOptionsTest, InactiveWithOnePath) {
  Options options = HotRapOptionsForTest();
  options.db_paths.clear();
  ExpectInactive(options, "one path");
}

TEST_F(HotRapOptionsTest, InactiveWithOtherCompactionStyles) {
  Options options = HotRapOptionsForTest();
  options.compaction_style = kCompactionStyleUniversal;
  ExpectInactive(options, "not level");
}

// These tables name no promoted copies, so compactions could not tell them.
TEST_F(HotRapOptionsTest, InactiveWithOtherTables) {
  Options options = HotRapOptionsForTest();
  options.allow_mmap_reads = true;
  options.table_factory.reset(NewCuckooTableFactory());
  ExpectInactive(options, "table_factory");
  options.table_factory.reset(NewAdaptiveTableFactory(
      options.table_factory, nullptr, nullptr, options.table_factory));
  ExpectInactive(options, "table_factory");
}

TEST_F(HotRapOptionsTest, InactiveWithTimestamps) {
  Options options = HotRapOptionsForTest();
  options.comparator = BytewiseComparatorWithU64Ts();
  ExpectInactive(options, "timestamps");
}

TEST_F(HotRapOptionsTest, InactiveWhenNoLevelIsSlow) {
  Options options = HotRapOptionsForTest();
  options.db_paths[0].target_size = 1ull << 40;
  ExpectInactive(options, "num_levels is too small for the fast budget");
  // For any budget.
  for (const int num_levels : {1, 2}) {
    options = HotRapOptionsForTest();
    options.num_levels = num_levels;
    ExpectInactive(options, "num_levels is below 3");
  }
  options.num_levels = 3;
  DestroyAndReopen(options);
  EXPECT_EQ("1", Stat("active"));
}

TEST_F(HotRapOptionsTest, InactiveWhenReadOnly) {
  const Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  ASSERT_OK(Put("a", "b"));
  Close();
  ASSERT_OK(ReadOnlyReopen(options));
  EXPECT_EQ("0", Stat("active"));
  EXPECT_EQ("b", Get("a"));
}

}  // namespace ROCKSDB_NAMESPACE
