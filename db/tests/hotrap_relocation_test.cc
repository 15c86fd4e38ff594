//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that tables lie on the tier of their level, or move there without
// writes by the user, and that counters reflect the disk that was read.

#include "plugin/hotrap/test_util/hotrap_relocation_test_base.h"
#include "rocksdb/sst_file_manager.h"

namespace ROCKSDB_NAMESPACE {

class HotRapRelocationTest : public HotRapRelocationTestBase {
 public:
  HotRapRelocationTest() : HotRapRelocationTestBase("hotrap_relocation_test") {}
};

TEST_F(HotRapRelocationTest, ReadsCountByTheDisk) {
  Options options = RelocationOptions();
  options.hotrap.relocation_bytes_per_sec = 0;
  DestroyAndReopen(options);
  Load();
  ASSERT_OK(SetBudget(kLargeBudget));
  ASSERT_EQ(3, Stat("first_slow_level"));
  const uint64_t fast_before = Stat("get_hits_fast");
  const uint64_t slow_before = Stat("get_hits_slow");
  for (int i = 0; i < 100; i++) {
    ASSERT_EQ(ValueOf(i), Get(Key(i)));
  }
  ASSERT_EQ(ValueOf(100), MultiGet({Key(100)})[0]);
  ASSERT_EQ(slow_before + 101, Stat("get_hits_slow"));
  ASSERT_EQ(fast_before, Stat("get_hits_fast"));
  ASSERT_GE(Stat("get_hits_slow_with_io"), 101);
  // There must be no copy besides it.
  ASSERT_EQ(101, Stat("refused_at_fast_level"));
  ASSERT_EQ(0, Stat("promotion_cache_records"));
  ASSERT_GT(Stat("relocation_bytes_left"), 300 << 10);

  // A table of a slow level on the fast disk.
  ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
  WaitForRest();
  ASSERT_OK(Set("relocation_bytes_per_sec=0;"));
  ASSERT_OK(SetBudget(kSmallBudget));
  ASSERT_EQ(2, Stat("first_slow_level"));
  const uint64_t fast = Stat("get_hits_fast");
  ASSERT_EQ(ValueOf(5), Get(Key(5)));
  ASSERT_EQ(fast + 1, Stat("get_hits_fast"));
  ASSERT_EQ(slow_before + 101, Stat("get_hits_slow"));
  ASSERT_EQ(1, Stat("refused_on_fast_path"));
  ASSERT_EQ(0, Stat("promotion_cache_records"));
}

TEST_F(HotRapRelocationTest, BudgetGrowsAndShrinks) {
  Options options = RelocationOptions();
  options.statistics = CreateDBStatistics();
  DestroyAndReopen(options);
  Load();
  ASSERT_EQ(0, Stat("relocation_bytes_left"));
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  const uint64_t bytes = BytesOnPath(SlowPath());
  ASSERT_OK(SetBudget(kLargeBudget));
  WaitForRest();
  ASSERT_EQ(bytes, BytesOnPath(FastPath()));
  ASSERT_EQ(bytes, Stat("relocation_bytes_moved"));
  ASSERT_GT(Stat("relocation_tables_moved"), 3);
  ASSERT_EQ(bytes, options.statistics->getTickerCount(HOTRAP_RELOCATED_BYTES));
  ExpectData();
  ASSERT_OK(SetBudget(kSmallBudget));
  WaitForRest();
  ASSERT_EQ(bytes, BytesOnPath(SlowPath()));
  ASSERT_EQ(2 * bytes, Stat("relocation_bytes_moved"));
  ExpectData();
  Reopen(options);
  ExpectData();
  ASSERT_OK(Put("key", "value"));
  ASSERT_OK(Flush());
  ExpectNoOrphans();
}

TEST_F(HotRapRelocationTest, TargetSizeChangesAtOpen) {
  Options options = RelocationOptions();
  DestroyAndReopen(options);
  Load();
  options.db_paths[0].target_size = kLargeBudget;
  Reopen(options);
  WaitForRest();
  ASSERT_GT(BytesOnPath(FastPath()), 300 << 10);
  ExpectData();
  options.db_paths[0].target_size = kSmallBudget;
  Reopen(options);
  WaitForRest();
  ASSERT_EQ(0, BytesOnPath(FastPath()));
  ExpectData();
}

TEST_F(HotRapRelocationTest, SwitchedOnForADBThatStockFilled) {
  Options options = RelocationOptions();
  options.hotrap.enabled = false;
  options.db_paths[0].target_size = kLargeBudget;
  DestroyAndReopen(options);
  Load();
  options.hotrap.enabled = true;
  Reopen(options);
  WaitForRest();
  ASSERT_GT(BytesOnPath(FastPath()), 300 << 10);
  const uint64_t slow = Stat("get_hits_slow");
  ExpectData();
  ASSERT_EQ(slow, Stat("get_hits_slow"));
}

TEST_F(HotRapRelocationTest, SwitchedOnLive) {
  Options options = RelocationOptions();
  options.hotrap.enabled = false;
  options.db_paths[0].target_size = kLargeBudget;
  DestroyAndReopen(options);
  Load();
  ASSERT_OK(Set("enabled=true;"));
  WaitForRest();
  ASSERT_GT(BytesOnPath(FastPath()), 300 << 10);
  ExpectData();
}

TEST_F(HotRapRelocationTest, RateIsLiveAndZeroIsOff) {
  Options options = RelocationOptions();
  options.hotrap.relocation_bytes_per_sec = 0;
  DestroyAndReopen(options);
  Load();
  ASSERT_OK(SetBudget(kLargeBudget));
  const uint64_t left = Stat("relocation_bytes_left");
  ASSERT_GT(left, 300 << 10);
  env_->SleepForMicroseconds(100 * 1000);
  ASSERT_EQ(left, Stat("relocation_bytes_left"));
  ASSERT_OK(Set("relocation_bytes_per_sec=33554432;"));
  WaitForRest();
  ExpectData();
}

// A rate limiter grants nothing at rates below a byte a period, and the step
// that waits for it would keep the DB open.
TEST_F(HotRapRelocationTest, ATinyRateHoldsNothingUp) {
  DestroyAndReopen(RelocationOptions());
  Load();
  ASSERT_OK(Set("relocation_bytes_per_sec=1;"));
  ASSERT_OK(SetBudget(kLargeBudget));
  WaitForACopy();
  ASSERT_GT(Stat("relocation_bytes_left"), 300 << 10);
  ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
  WaitForRest();
  ExpectData();
}

TEST_F(HotRapRelocationTest, NoAutomaticCompactionsNoRelocation) {
  Options options = RelocationOptions();
  options.disable_auto_compactions = true;
  DestroyAndReopen(options);
  Load();
  ASSERT_OK(SetBudget(kLargeBudget));
  env_->SleepForMicroseconds(100 * 1000);
  ASSERT_EQ(0, Stat("relocation_tables_moved"));
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  WaitForRest();
}

TEST_F(HotRapRelocationTest, PausedWorkIsPaused) {
  DestroyAndReopen(RelocationOptions());
  Load();
  ASSERT_OK(db_->PauseBackgroundWork());
  ASSERT_OK(SetBudget(kLargeBudget));
  env_->SleepForMicroseconds(100 * 1000);
  ASSERT_EQ(0, Stat("relocation_tables_moved"));
  // This creates no new version.
  ASSERT_OK(db_->ContinueBackgroundWork());
  WaitForRest();
}

TEST_F(HotRapRelocationTest, NeverAboveTheBudget) {
  Options options = RelocationOptions();
  options.hotrap.relocation_bytes_per_sec = 4 << 20;
  // With this multiplier L2 holds more than fits.
  constexpr uint64_t kBudget = 3 << 20;
  // Otherwise some data moves below L2 meanwhile.
  options.disable_auto_compactions = true;
  DestroyAndReopen(options);
  for (int i = 0; i < 6 * kKeys; i++) {
    ASSERT_OK(Put(Key(i), ValueOf(i)));
  }
  ASSERT_NO_FATAL_FAILURE(MoveAllTo(2));
  const uint64_t all = BytesOnPath(SlowPath());
  ASSERT_GT(all, 2 << 20);
  options.db_paths[0].target_size = kBudget;
  options.disable_auto_compactions = false;
  Reopen(options);
  ASSERT_EQ(3, Stat("first_slow_level"));
  uint64_t most = 0;
  for (int i = 0; i < 3000 && Stat("relocation_bytes_left") > 0; i++) {
    most = std::max(most, BytesOnPath(FastPath()));
    env_->SleepForMicroseconds(1000);
  }
  most = std::max(most, BytesOnPath(FastPath()));
  ASSERT_GT(most, 500 << 10);
  ASSERT_LE(most, kBudget);
  ExpectData(0, 6 * kKeys);
}

TEST_F(HotRapRelocationTest, ChangedLevel) {
  DestroyAndReopen(RelocationOptions());
  Load();
  CompactRangeOptions compact_options;
  compact_options.change_level = true;
  compact_options.target_level = 1;
  ASSERT_OK(db_->CompactRange(compact_options, nullptr, nullptr));
  WaitForRest();
  ExpectData();
}

TEST_F(HotRapRelocationTest, SpaceLimitHolds) {
  Options options = RelocationOptions();
  options.sst_file_manager.reset(NewSstFileManager(env_));
  DestroyAndReopen(options);
  Load();
  // No room for even one more table.
  options.sst_file_manager->SetMaxAllowedSpaceUsage(
      options.sst_file_manager->GetTotalSize() + 1000);
  ASSERT_OK(SetBudget(kLargeBudget));
  env_->SleepForMicroseconds(100 * 1000);
  ASSERT_EQ(0, Stat("relocation_tables_moved"));
  ASSERT_OK(Put("key", "value"));
  options.sst_file_manager->SetMaxAllowedSpaceUsage(0);
  // Nothing else triggers relocation.
  ASSERT_OK(SetBudget(kLargeBudget + 1));
  WaitForRest();
  const uint64_t tracked = options.sst_file_manager->GetTotalSize();
  ASSERT_OK(SetBudget(kSmallBudget));
  WaitForRest();
  for (int i = 0; i < 10000; i++) {
    if (options.sst_file_manager->GetTotalSize() == tracked) {
      break;
    }
    env_->SleepForMicroseconds(1000);
  }
  ASSERT_EQ(tracked, options.sst_file_manager->GetTotalSize());
}

// The records of the slow tier are the same, in another file.
TEST_F(HotRapRelocationTest, PromotionCacheStays) {
  Options options = RelocationOptions();
  options.hotrap.enabled = false;
  options.hotrap.relocation_bytes_per_sec = 0;
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(Put(Key(1), ValueOf(1)));
  ASSERT_OK(Put(Key(3), ValueOf(3)));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), cf, AllFiles(db_, cf), 4,
                              /*output_path_id=*/0));
  ASSERT_OK(Put(Key(2), ValueOf(2)));
  ASSERT_OK(Flush());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const auto& file : files) {
    if (file.level == 0) {
      ASSERT_OK(db_->CompactFiles(CompactionOptions(), cf, {file.name}, 3,
                                  /*output_path_id=*/1));
    }
  }
  options.hotrap.enabled = true;
  Reopen(options);
  WaitForRalt();
  ASSERT_EQ(ValueOf(2), Get(Key(2)));
  ASSERT_EQ(1, Stat("promotion_cache_records"));
  ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
  WaitForRest();
  ASSERT_EQ(1, Stat("relocation_tables_moved"));
  ASSERT_EQ(0, Stat("invalidated_records"));
  ASSERT_EQ(ValueOf(2), Get(Key(2)));
  ASSERT_EQ(1, Stat("get_hits_promotion_cache"));
  ASSERT_EQ(ValueOf(1), Get(Key(1)));
  ASSERT_EQ(ValueOf(3), Get(Key(3)));
}

}  // namespace ROCKSDB_NAMESPACE
