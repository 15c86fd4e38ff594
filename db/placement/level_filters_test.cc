//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests the bits per key of tables' filters, by the level that the tables were
// written to.

#include "plugin/hotrap/db/placement/level_filters.h"

#include <map>
#include <string>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

class LevelFiltersTest : public HotRapCrossingTestBase {
 public:
  static constexpr int kBits = 10;
  // Files are small and filters consist of whole cache lines, so there may be
  // up to twice as many bits.
  static constexpr int kMoreBits = 20;
  static constexpr int kRecords = 2000;

  LevelFiltersTest() : HotRapCrossingTestBase("level_filters_test") {}

  Options FilterOptions(const FilterPolicy* policy) {
    Options options = CrossingOptions();
    options.hotrap.extra_level = true;
    options.hotrap.small_level_filter_bits = kMoreBits;
    BlockBasedTableOptions table_options =
        *options.table_factory->GetOptions<BlockBasedTableOptions>();
    table_options.filter_policy.reset(policy);
    // Otherwise sizes would depend on those of earlier filters.
    table_options.optimize_filters_for_memory = false;
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    return options;
  }
  Options FilterOptions() { return FilterOptions(NewBloomFilterPolicy(kBits)); }

  // Returns the average over all tables of the level; -1 if there are none.
  int BitsPerKey(int level) {
    std::vector<std::unique_ptr<TablePropertiesCollection>> levels;
    EXPECT_OK(
        db_->GetPropertiesOfTablesByLevel(db_->DefaultColumnFamily(), &levels));
    uint64_t records = 0;
    uint64_t bytes = 0;
    for (const auto& [name, properties] : *levels[level]) {
      records += properties->num_entries;
      bytes += properties->filter_size;
    }
    return records > 0 ? static_cast<int>(8 * bytes / records) : -1;
  }
  void ExpectBits(int bits, int level) {
    EXPECT_LE(bits, BitsPerKey(level)) << "level " << level;
    EXPECT_GT(2 * bits, BitsPerKey(level)) << "level " << level;
  }

  void WriteFile() {
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, kRecords, 1));
    ASSERT_OK(Flush());
  }
  void CompactTo(int level) {
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), level));
  }
};

TEST_F(LevelFiltersTest, OfEachLevel) {
  DestroyAndReopen(FilterOptions());
  WriteFile();
  ExpectBits(kBits + kMoreBits, 0);
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  ExpectBits(kBits, kLastFastLevel);
  CompactTo(kFirstSlowLevel);
  ExpectBits(kBits, kFirstSlowLevel);
  CompactTo(kFirstSlowLevel + 1);
  ExpectBits(kBits, kFirstSlowLevel + 1);
  // The filters contain the existing records.
  for (int i = 0; i < kRecords; i++) {
    ASSERT_EQ(Value(i, 1), Get(Key(i)));
  }
}

TEST_F(LevelFiltersTest, FollowsTheOptionLive) {
  DestroyAndReopen(FilterOptions());
  ASSERT_OK(db_->SetOptions({{"hotrap", "{small_level_filter_bits=0;}"}}));
  WriteFile();
  ExpectBits(kBits, 0);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{small_level_filter_bits=30;}"}}));
  WriteFile();
  WriteFile();
  ExpectBits((kBits + 2 * (kBits + 30)) / 3, 0);
}

TEST_F(LevelFiltersTest, OtherPoliciesStayAsTheyAre) {
  const std::vector<const FilterPolicy*> policies = {
      nullptr, NewRibbonFilterPolicy(kBits), NewBloomFilterPolicy(0)};
  for (const FilterPolicy* policy : policies) {
    Options options = FilterOptions(policy);
    // One file, whose filter has the same size each time.
    options.write_buffer_size = 4 << 20;
    options.hotrap.small_level_filter_bits = 0;
    DestroyAndReopen(options);
    WriteFile();
    ASSERT_EQ(1, NumTableFilesAtLevel(0));
    const int bits = BitsPerKey(0);
    options.hotrap.small_level_filter_bits = kMoreBits;
    DestroyAndReopen(options);
    WriteFile();
    ASSERT_EQ(1, NumTableFilesAtLevel(0));
    std::map<std::string, std::string> stats;
    ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    EXPECT_EQ("1", stats["active"]);
    EXPECT_EQ(bits, BitsPerKey(0));
  }
}

TEST_F(LevelFiltersTest, NoMoreThanRocksDbTakes) {
  Options options = FilterOptions();
  options.hotrap.small_level_filter_bits = UINT32_MAX;
  DestroyAndReopen(options);
  WriteFile();
  ExpectBits(100, 0);
}

TEST_F(LevelFiltersTest, NotWhileHotRapIsOffOrInactive) {
  Options options = FilterOptions();
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  WriteFile();
  ExpectBits(kBits, 0);

  options = FilterOptions();
  options.db_paths.resize(1);
  DestroyAndReopen(options);
  WriteFile();
  ExpectBits(kBits, 0);
}

}  // namespace ROCKSDB_NAMESPACE
