//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests the levels of a real DB: they stay on their tiers and within their
// targets, and a DB that was used with other sizes moves over without delaying
// a write.

#include "plugin/hotrap/db/hooks/hotrap_levels.h"

#include "db/version_set.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class HotRapLevelsTest : public HotRapDBTestBase {
 public:
  static constexpr int kNumKeys = 6000;
  static constexpr int kValueBytes = 1000;

  HotRapLevelsTest() : HotRapDBTestBase("hotrap_levels_test") {}

  // L0, L1 and L2 on the fast tier for budgets from 1 MiB on.
  Options LevelsOptions(uint64_t budget_bytes) {
    Options options = HotRapOptionsForTest();
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 32 << 10;
    options.max_bytes_for_level_base = 128 << 10;
    options.db_paths[0].target_size = budget_bytes;
    // Only compaction debt may delay a write here.
    options.max_write_buffer_number = 1000;
    options.level0_slowdown_writes_trigger = 1000;
    options.level0_stop_writes_trigger = 1000;
    return options;
  }

  HotRapLevelShape ShapeOf(const Options& options) {
    LevelFeedback feedback;
    // There are no accesses here.
    feedback.ralt_bytes = 0;
    return ComputeLevelShape(options.db_paths[0].target_size,
                             options.num_levels,
                             options.min_write_buffer_number_to_merge,
                             MutableCFOptions(options), feedback);
  }

  static std::string Value(int i) {
    return Random(i).RandomString(kValueBytes);
  }

  // Writes keys [begin, end) in an order that makes every file overlap all
  // others.
  void Load(int begin, int end) {
    const int count = end - begin;
    for (int i = 0; i < count; i++) {
      const int key = begin + static_cast<int>(int64_t{i} * 7919 % count);
      ASSERT_OK(Put(Key(key), Value(key)));
      ASSERT_NO_FATAL_FAILURE(ExpectNoStall());
    }
  }

  void WaitUntilIdle() {
    // A compaction may have to wait for a table that is being relocated.
    const auto relocates = [&] {
      std::map<std::string, std::string> stats;
      EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
      return stats["active"] == "1" && stats["relocation_bytes_left"] != "0";
    };
    bool again = true;
    for (int i = 0; i < 10000 && again; i++) {
      again = relocates();
      ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
      again |= relocates();
      if (again) {
        env_->SleepForMicroseconds(1000);
      }
    }
  }

  void ExpectNoStall() {
    uint64_t value = 0;
    ASSERT_TRUE(db_->GetIntProperty(DB::Properties::kIsWriteStopped, &value));
    ASSERT_EQ(0, value);
    ASSERT_TRUE(
        db_->GetIntProperty(DB::Properties::kActualDelayedWriteRate, &value));
    ASSERT_EQ(0, value);
  }

  // Checks the statistics since this DB object was opened.
  void ExpectNoStallsCounted() {
    std::map<std::string, std::string> stats;
    ASSERT_TRUE(
        db_->GetMapProperty(DB::Properties::kCFWriteStallStats, &stats));
    for (const char* name : {"total-delays", "total-stops"}) {
      ASSERT_EQ("0", stats[name]) << name;
    }
  }

  std::vector<uint64_t> LevelBytes() {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<uint64_t> bytes;
    for (const auto& level : metadata.levels) {
      bytes.push_back(level.size);
    }
    return bytes;
  }

  std::vector<uint64_t> TargetsOfTheVersion() {
    ColumnFamilyData* const cfd =
        static_cast<ColumnFamilyHandleImpl*>(db_->DefaultColumnFamily())->cfd();
    std::vector<uint64_t> targets;
    for (int level = 0; level < cfd->NumberLevels(); level++) {
      targets.push_back(
          cfd->current()->storage_info()->MaxBytesForLevel(level));
    }
    return targets;
  }

  void ExpectWithinTargets(const Options& options) {
    const std::vector<uint64_t> bytes = LevelBytes();
    const std::vector<uint64_t> targets = ShapeOf(options).target_bytes;
    for (int level = 1; level + 1 < options.num_levels; level++) {
      EXPECT_LE(bytes[level], targets[level]) << level;
    }
    EXPECT_EQ(targets, TargetsOfTheVersion());
  }

  void EmptyL0() {
    ASSERT_OK(Flush());
    WaitUntilIdle();
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> files;
    for (const auto& file : metadata.levels[0].files) {
      files.push_back(file.name);
    }
    if (!files.empty()) {
      ASSERT_OK(db_->CompactFiles(CompactionOptions(), files, 1));
    }
    ASSERT_EQ(0, NumTableFilesAtLevel(0));
  }

  void ExpectPlacedByLevel(const Options& options) {
    const int fs = ShapeOf(options).first_slow_level;
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      EXPECT_EQ(file.level < fs ? FastPath() : SlowPath(), file.db_path)
          << file.name << " of level " << file.level;
    }
  }

  void ExpectAllKeys(int end) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    for (int i = 0; i < end; i++, it->Next()) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(Key(i), it->key());
      ASSERT_EQ(Value(i), it->value());
    }
    ASSERT_FALSE(it->Valid());
    ASSERT_OK(it->status());
  }
};

TEST_F(HotRapLevelsTest, LevelsFillTheBudgetAndKeepToTheirTiers) {
  const Options options = LevelsOptions(2 << 20);
  ASSERT_EQ(3, ShapeOf(options).first_slow_level);
  DestroyAndReopen(options);
  Load(0, kNumKeys);
  WaitUntilIdle();
  ASSERT_EQ(3, Tier()->first_slow_level());
  ExpectWithinTargets(options);
  ExpectPlacedByLevel(options);
  const HotRapLevelShape shape = ShapeOf(options);
  EXPECT_LE(BytesOnPath(FastPath()), shape.budget_bytes);
  EXPECT_GE(LevelBytes()[2], shape.target_bytes[2] / 2);
  ExpectAllKeys(kNumKeys);
}

// CompactRange()'s default path would be the fast one for every level.
TEST_F(HotRapLevelsTest, ManualCompactionsKeepToTheTiers) {
  Options options = LevelsOptions(2 << 20);
  // It would move what a compaction put on the wrong disk.
  options.hotrap.relocation_bytes_per_sec = 0;
  DestroyAndReopen(options);
  Load(0, kNumKeys);
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  ExpectPlacedByLevel(options);

  CompactRangeOptions to_slow;
  to_slow.target_path_id = 1;
  to_slow.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  Load(0, 500);
  ASSERT_OK(db_->CompactRange(to_slow, nullptr, nullptr));
  ExpectPlacedByLevel(options);

  // CompactFiles() without a path.
  for (const int level : {1, 3}) {
    WaitUntilIdle();
    Load(0, 50);
    ASSERT_OK(Flush());
    WaitUntilIdle();
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> files;
    for (const auto& from : metadata.levels) {
      for (const auto& file : from.files) {
        if (from.level <= level) {
          files.push_back(file.name);
        }
      }
    }
    ASSERT_OK(db_->CompactFiles(CompactionOptions(), files, level));
    ExpectPlacedByLevel(options);
  }
  ExpectAllKeys(kNumKeys);
}

TEST_F(HotRapLevelsTest, WithHotRapOffStockDecides) {
  Options options = LevelsOptions(2 << 20);
  options.hotrap.enabled = false;
  DestroyAndReopen(options);
  Load(0, 1000);
  EXPECT_EQ(std::vector<uint64_t>(
                {128 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20}),
            TargetsOfTheVersion());
  WaitUntilIdle();
  ASSERT_OK(db_->SetOptions({{"disable_auto_compactions", "true"}}));
  // Compact everything with CompactRange() and its default path.
  CompactRangeOptions everything;
  everything.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(everything, nullptr, nullptr));
  EXPECT_EQ(0, BytesOnPath(SlowPath()));
  EXPECT_TRUE(db_->CompactFiles(CompactionOptions(),
                                AllFiles(db_, db_->DefaultColumnFamily()), 4)
                  .IsNotSupported());
}

// The compaction debt in stock RocksDB would stop the writes.
TEST_F(HotRapLevelsTest, SmallerBudgetMovesOverWithoutAStall) {
  Options before = LevelsOptions(8 << 20);
  before.hotrap.enabled = false;
  // L2 can hold all data.
  before.max_bytes_for_level_multiplier_additional = {1, 12};
  before.disable_auto_compactions = true;
  DestroyAndReopen(before);
  Load(0, kNumKeys);
  ASSERT_OK(Flush());
  WaitUntilIdle();
  // The data in L0 and L1 is debt, too, and more so the larger L2 is.
  CompactionOptions into_l2;
  into_l2.output_file_size_limit = before.target_file_size_base;
  ASSERT_OK(db_->CompactFiles(into_l2,
                              AllFiles(db_, db_->DefaultColumnFamily()), 2,
                              /*output_path_id=*/0));
  ASSERT_GE(LevelBytes()[2], 6 << 20);

  Options options = LevelsOptions(1 << 20);
  options.soft_pending_compaction_bytes_limit = 1 << 20;
  options.hard_pending_compaction_bytes_limit = 2 << 20;
  ASSERT_EQ(3, ShapeOf(options).first_slow_level);
  ASSERT_LT(ShapeOf(options).target_bytes[2], 1 << 20);
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(ExpectNoStall());
  // Not enough for a compaction of L0.
  for (int i = kNumKeys; i < kNumKeys + 100; i++) {
    ASSERT_OK(Put(Key(i), Value(i)));
    ASSERT_NO_FATAL_FAILURE(ExpectNoStall());
    env_->SleepForMicroseconds(10000);
  }
  WaitUntilIdle();
  ExpectNoStallsCounted();
  ExpectWithinTargets(options);
  ExpectAllKeys(kNumKeys + 100);
}

TEST_F(HotRapLevelsTest, BudgetShrinksAndGrowsLive) {
  Options large = LevelsOptions(8 << 20);
  large.hotrap.fast_budget_bytes = 8 << 20;
  DestroyAndReopen(large);
  Load(0, kNumKeys);
  WaitUntilIdle();
  // How many tables the load leaves in L0 depends on time. With as many as
  // start a compaction, RocksDB counts L0 and L1 as debt, times what they
  // overlap in L2: more than the limits below, whatever the targets.
  ASSERT_NO_FATAL_FAILURE(EmptyL0());
  WaitUntilIdle();
  ExpectWithinTargets(large);
  ASSERT_OK(db_->SetOptions({{"soft_pending_compaction_bytes_limit", "1048576"},
                             {"hard_pending_compaction_bytes_limit", "2097152"},
                             {"hotrap", "{fast_budget_bytes=1048576;}"}}));
  ASSERT_NO_FATAL_FAILURE(ExpectNoStall());
  WaitUntilIdle();
  ExpectNoStallsCounted();
  Options small = large;
  small.hotrap.fast_budget_bytes = 1 << 20;
  ASSERT_EQ(ShapeOf(small).first_slow_level, Tier()->first_slow_level());
  ExpectWithinTargets(small);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{fast_budget_bytes=8388608;}"}}));
  Load(kNumKeys, kNumKeys + 100);
  WaitUntilIdle();
  ExpectWithinTargets(large);
  ExpectAllKeys(kNumKeys + 100);
}

TEST_F(HotRapLevelsTest, HotRapOffAgain) {
  const Options options = LevelsOptions(2 << 20);
  DestroyAndReopen(options);
  Load(0, kNumKeys);
  WaitUntilIdle();
  Options off = LevelsOptions(8 << 20);
  off.hotrap.enabled = false;
  Reopen(off);
  Load(kNumKeys, kNumKeys + 500);
  WaitUntilIdle();
  ExpectNoStallsCounted();
  ExpectAllKeys(kNumKeys + 500);
  Reopen(options);
  WaitUntilIdle();
  ExpectNoStallsCounted();
  // Make a version after RALT has opened, so that the shape knows its small
  // files.
  WaitForRalt();
  Load(kNumKeys + 500, kNumKeys + 600);
  ASSERT_OK(Flush());
  WaitUntilIdle();
  ExpectWithinTargets(options);
  ExpectAllKeys(kNumKeys + 600);
}

// The first slow level shrinks as crossings retain more.
TEST_F(HotRapLevelsTest, ExtraLevelFollowsTheColdFraction) {
  Options options = LevelsOptions(1 << 20);
  options.hotrap.extra_level = true;
  DestroyAndReopen(options);
  Load(0, kNumKeys);
  WaitUntilIdle();
  const std::vector<uint64_t> before = TargetsOfTheVersion();
  ASSERT_EQ(3, Tier()->first_slow_level());
  // Large enough to outweigh what the DB's own crossings report.
  for (int i = 0; i < 100; i++) {
    Tier()->cold_fraction().OnCrossing(uint64_t{1} << 40, uint64_t{1} << 39);
  }
  ASSERT_EQ(0.5, Tier()->cold_fraction().value());
  Load(0, 100);
  ASSERT_OK(Flush());
  WaitUntilIdle();
  const std::vector<uint64_t> after = TargetsOfTheVersion();
  EXPECT_EQ(before[2], after[2]);
  EXPECT_NEAR(sqrt(0.5) * static_cast<double>(before[3]), after[3], 2);
  EXPECT_EQ(before[4], after[4]);
  EXPECT_LE(LevelBytes()[3], after[3]);
  ExpectAllKeys(kNumKeys);
}

// Both paths of the test are on one disk.
TEST_F(HotRapLevelsTest, NoExtraLevelWhereThereIsNothingToGain) {
  Options options = LevelsOptions(1 << 20);
  options.hotrap.extra_level = true;
  Reopen(options);
  Load(0, 100);
  ASSERT_OK(Flush());
  WaitUntilIdle();
  ASSERT_EQ(1, Tier()->cold_fraction().value());
  const std::vector<uint64_t> before = TargetsOfTheVersion();
  ASSERT_LT(before[3], before[4]);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promote_only_if_slower=true;}"}}));
  Load(0, 100);
  ASSERT_OK(Flush());
  WaitUntilIdle();
  const std::vector<uint64_t> after = TargetsOfTheVersion();
  EXPECT_EQ(before[2], after[2]);
  EXPECT_EQ(before[4], after[3]);
}

}  // namespace ROCKSDB_NAMESPACE
