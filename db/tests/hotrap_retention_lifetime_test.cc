//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests changes during a compaction that crosses the tiers: of options, the end
// of the DB or the column family, and failures of the file system.

#include <thread>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/sst_file_manager.h"

namespace ROCKSDB_NAMESPACE {

class HotRapRetentionLifetimeTest : public HotRapCrossingTestBase {
 public:
  // With this base, level 2 is on the fast tier, too; with TrapOptions() it is
  // not.
  static constexpr char kSmallBase[] = "65536";
  static constexpr char kLargeBase[] = "524288";

  explicit HotRapRetentionLifetimeTest(
      const std::string& path = "hotrap_retention_lifetime_test")
      : HotRapCrossingTestBase(path) {}

  Status SetHotRap(bool enabled, ColumnFamilyHandle* cf = nullptr) {
    return db_->SetOptions(
        cf == nullptr ? db_->DefaultColumnFamily() : cf,
        {{"hotrap", enabled ? "{enabled=true;}" : "{enabled=false;}"}});
  }

  // Lets a crossing run up to its first output on the fast tier, and calls
  // `change` there.
  template <typename Change>
  Status CrossAnd(const Change& change) {
    FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
    Status s;
    std::thread crossing([&] { s = Cross(); });
    EXPECT_TRUE(gate.WaitCaught());
    change();
    gate.Open();
    crossing.join();
    return s;
  }

  // Exceeds the target of level 1, which triggers a crossing.
  void LoadTooMuch(ColumnFamilyHandle* cf) {
    WaitForRalt(cf);
    ASSERT_OK(PutVersion(db_, cf, 0, 600, 1));
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    ASSERT_OK(CompactAll(db_, cf, kLastFastLevel));
    ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys(), cf));
  }
};

// ---- Options ----------------------------------------------------------------

// The fast tier exceeds its budget until compactions have caught up.
TEST_F(HotRapRetentionLifetimeTest, NothingIsPromotedIntoAFullFastTier) {
  Options options = CrossingOptions();
  options.hotrap.promotion_cache_bytes = 16 << 10;
  KeepCompactionsOut(&options);
  DestroyAndReopen(options);
  LoadSlow(kCount);
  FileGate gate(fs_.get(), FileOp::kCreate, kSlowTable);
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 2000, 3200, 1));
  ASSERT_OK(Flush());
  for (int round = 0; Counter(HotRapCounter::kBackoffs) == 0; round++) {
    ASSERT_LT(round, 20000) << "no promotion is tried";
    Touch(Fillers());
  }
  EXPECT_EQ(0, Counter(HotRapCounter::kSeals));
  gate.Open();
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  // The job's timing determines which keys are promoted. The last few may stay
  // in the cache, because nothing fills it any more.
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
  WaitForPromotionIdle();
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
}

// RALT's files count in the budget.
TEST_F(HotRapRetentionLifetimeTest, NothingIsPromotedBesideALargeRalt) {
  Options options = CrossingOptions();
  options.hotrap.promotion_cache_bytes = 16 << 10;
  KeepCompactionsOut(&options);
  DestroyAndReopen(options);
  LoadSlow(kCount);
  Ralt* const ralt = Tier()->ralt();
  for (const auto& key : Keys(100000, 105000)) {
    ralt->RecordAccess(key, 200);
  }
  ASSERT_OK(ralt->Flush());
  // Block the compaction that would make room.
  FileGate gate(fs_.get(), FileOp::kCreate, kSlowTable);
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 2000, 2990, 1));
  ASSERT_OK(Flush());
  const uint64_t others =
      BytesOnPath(FastPath()) + options.hotrap.promotion_cache_bytes;
  const uint64_t budget = options.db_paths[0].target_size;
  ASSERT_LE(others, budget);
  ASSERT_GT(others + ralt->GetStats().physical_bytes, budget);
  // An attempt may also meet a version that is being installed.
  const auto lacks_room = [&] {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats["promotion_blocked_reason"].find("exceed the fast budget") !=
           std::string::npos;
  };
  for (int round = 0; Counter(HotRapCounter::kBackoffs) == 0 || !lacks_room();
       round++) {
    ASSERT_LT(round, 20000) << "no promotion is tried";
    ASSERT_EQ(0, Counter(HotRapCounter::kSeals));
    Touch(Fillers());
  }
  EXPECT_EQ(0, Counter(HotRapCounter::kSeals));
}

// The user's limit on the size of all tables, beyond which flushes fail.
TEST_F(HotRapRetentionLifetimeTest, NothingIsPromotedPastTheUsersLimit) {
  Options options = CrossingOptions();
  options.hotrap.promotion_cache_bytes = 16 << 10;
  KeepCompactionsOut(&options);
  options.sst_file_manager.reset(NewSstFileManager(env_));
  DestroyAndReopen(options);
  LoadSlow(kCount);
  // Only files on the first path count.
  ASSERT_OK(Put("z", "x"));
  ASSERT_OK(Flush());
  options.sst_file_manager->SetMaxAllowedSpaceUsage(1);
  for (int round = 0; Counter(HotRapCounter::kBackoffs) == 0; round++) {
    ASSERT_LT(round, 20000) << "no promotion is tried";
    ASSERT_EQ(0, Counter(HotRapCounter::kSeals));
    Touch(Fillers());
  }
  EXPECT_EQ(0, Counter(HotRapCounter::kSeals));
  options.sst_file_manager->SetMaxAllowedSpaceUsage(0);
  ASSERT_NO_FATAL_FAILURE(RunPromotion(Keys(0, 10)));
  EXPECT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  Close();  // before the owner of the limit is destroyed
}

TEST_F(HotRapRetentionLifetimeTest, SwitchedOffWhileItRetains) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  ASSERT_OK(CrossAnd([&] { ASSERT_OK(SetHotRap(false)); }));
  ExpectVersion(2);
  ExpectPaths();
  ASSERT_OK(SetHotRap(true));
  ExpectVersion(2);
  ASSERT_OK(Cross());
  ExpectVersion(2);
}

// While HotRAP is off, changes of the slow tier are not tracked.
TEST_F(HotRapRetentionLifetimeTest, SwitchedOffWhileItPromotes) {
  DestroyAndReopen(CrossingOptions());
  LoadCovered();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(CrossAnd([&] { ASSERT_OK(SetHotRap(false)); }));
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords))
      << "it has promoted what nobody watched over";
  EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));
  EXPECT_EQ(0, NumTableFilesAtLevel(kLastFastLevel));
  ASSERT_OK(Put("a", "cover"));
  ASSERT_OK(Flush());
  ExpectCovered();
  ASSERT_OK(SetHotRap(true));
  EXPECT_FALSE(InCache(Key(3)));
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  ASSERT_OK(Cross());
  ExpectCovered();
}

TEST_F(HotRapRetentionLifetimeTest, BoundaryMovesWhileItRetains) {
  DestroyAndReopen(CrossingOptions());
  LoadFast();
  ASSERT_OK(CrossAnd([&] {
    ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", kSmallBase}}));
    ASSERT_EQ(3, Tier()->first_slow_level());
  }));
  ExpectVersion(2);
  // Now level 2 is fast, and a crossing goes from level 2 to level 3.
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel,
                         kFirstSlowLevel + 1));
  ExpectVersion(2);
  ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", kLargeBase}}));
  ASSERT_EQ(2, Tier()->first_slow_level());
  ExpectVersion(2);
  ASSERT_OK(Cross());
  ExpectVersion(2);
}

TEST_F(HotRapRetentionLifetimeTest, BoundaryMovesWhileItPromotes) {
  DestroyAndReopen(CrossingOptions());
  LoadCovered();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(CrossAnd([&] {
    ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", kSmallBase}}));
    EXPECT_FALSE(InCache(Key(3)));
    ExpectCovered();
  }));
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));
  ExpectCoveredScans();
  ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", kLargeBase}}));
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(Put("a", "cover"));
  ASSERT_OK(PutVersion(db_, cf, kCoverBegin, kCoverBegin + kCount, 1));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(Cross());
  EXPECT_EQ(4, Counter(HotRapCounter::kCompactionPromotedRecords));
  ExpectCovered();
}

// A record that was read with one FS is not valid for another. With a higher
// FS, there may be something newer on a level that is now fast.
TEST_F(HotRapRetentionLifetimeTest, BoundaryMovesOverAWarmCache) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  LoadCovered();
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", kSmallBase}}));
  ASSERT_EQ(3, Tier()->first_slow_level());
  EXPECT_FALSE(InCache(Key(3)));
  // Cached with FS 3; then newer versions reach level 2, which is fast.
  for (const auto& key : Keys(3, 7)) {
    ASSERT_EQ(key, Get(key).substr(0, key.size()));
  }
  ASSERT_OK(PutVersion(db_, cf, 3, 5, 2));
  ASSERT_OK(Delete(Key(5)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), cf,
                              {FilesAtLevel(kLastFastLevel)[0].name},
                              kFirstSlowLevel, /*output_path_id=*/0));
  const auto expect = [&] {
    ExpectEverywhere(Key(3), Value(3, 2));
    ExpectEverywhere(Key(4), Value(4, 2));
    ExpectEverywhere(Key(5), "NOT_FOUND");
    ExpectEverywhere(Key(6), Value(6, 1));
  };
  expect();
  ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", kLargeBase}}));
  ASSERT_EQ(2, Tier()->first_slow_level());
  expect();
  ASSERT_NO_FATAL_FAILURE(RunPromotion({}));
  expect();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  expect();
}

// ---- The DB and the column family ----------------------------------------

TEST_F(HotRapRetentionLifetimeTest, DBClosesWhileItCrosses) {
  DestroyAndReopen(CrossingOptions());
  LoadTooMuch(db_->DefaultColumnFamily());
  {
    FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
    ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
    ASSERT_TRUE(gate.WaitCaught());
    std::thread closer([&] { Close(); });
    // Give Close() time to reach the point where it waits.
    env_->SleepForMicroseconds(50 * 1000);
    gate.Open();
    closer.join();
  }
  Reopen(CrossingOptions());
  for (int i = 0; i < 600; i++) {
    ASSERT_EQ(Value(i, 1), Get(Key(i)));
  }
  EXPECT_EQ(0, TablesThatAreNotLive());
  WaitForRalt();
  ASSERT_OK(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}));
  WaitForRest();
  for (int i = 0; i < 600; i++) {
    ASSERT_EQ(Value(i, 1), Get(Key(i)));
  }
}

TEST_F(HotRapRetentionLifetimeTest, ColumnFamilyGoesWhileItCrosses) {
  DestroyAndReopen(CrossingOptions());
  CreateColumnFamilies({"goes"}, CrossingOptions());
  ColumnFamilyHandle* const cf = handles_[0];
  LoadTooMuch(cf);
  const std::string ralt_folder = FastPath() + "/hotrap.ralt.1";
  ASSERT_OK(env_->FileExists(ralt_folder));
  {
    FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
    ASSERT_OK(db_->EnableAutoCompaction({cf}));
    ASSERT_TRUE(gate.WaitCaught());
    ASSERT_OK(db_->DropColumnFamily(cf));
    // From here on the compaction has the last reference.
    ASSERT_OK(db_->DestroyColumnFamilyHandle(cf));
    handles_.clear();
  }
  Close();
  EXPECT_TRUE(env_->FileExists(ralt_folder).IsNotFound());
  Reopen(CrossingOptions());
  EXPECT_EQ(0, TablesThatAreNotLive());
}

// ---- Failures ---------------------------------------------------------------

struct Failure {
  FileOp op;
  const char* pattern;
};

class HotRapRetentionFailureTest : public HotRapRetentionLifetimeTest,
                                   public testing::WithParamInterface<Failure> {
 public:
  HotRapRetentionFailureTest()
      : HotRapRetentionLifetimeTest("hotrap_retention_failure_test") {}
};

TEST_P(HotRapRetentionFailureTest, LosesNothing) {
  DestroyAndReopen(CrossingOptions());
  LoadCovered();
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(kCoverBegin, kCoverBegin + 10)));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  const uint64_t crossings = Counter(HotRapCounter::kCrossings);
  {
    FileGate gate(fs_.get(), GetParam().op, GetParam().pattern);
    Status s;
    std::thread crossing([&] { s = Cross(); });
    EXPECT_TRUE(gate.WaitCaught());
    IOStatus error = IOStatus::IOError("injected");
    error.SetRetryable(true);
    gate.Fail(error);
    crossing.join();
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
  }
  EXPECT_EQ(crossings, Counter(HotRapCounter::kCrossings));
  EXPECT_EQ(0, Counter(HotRapCounter::kRetainedRecords));
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords));
  for (const auto& key : Keys(3, 7)) {
    EXPECT_TRUE(InCache(key)) << key;
  }
  EXPECT_EQ(0, TablesThatAreNotLive());
  ExpectCoveredScans();
  // The DB continues to work.
  ASSERT_OK(Put("after", "failure"));
  ASSERT_OK(Flush());
  ASSERT_OK(Delete("after"));
  ExpectCoveredScans();

  ASSERT_OK(Cross());
  std::set<std::string> fast = AsSet(Keys(3, 7));
  for (const auto& key : Keys(kCoverBegin, kCoverBegin + 10)) {
    fast.insert(key);
  }
  EXPECT_EQ(fast, KeysAtLevel(kLastFastLevel));
  EXPECT_EQ(4, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(10, Counter(HotRapCounter::kRetainedRecords));
  EXPECT_FALSE(InCache(Key(3)));
  ExpectCovered();
  Reopen(CrossingOptions());
  ExpectCovered();
}

INSTANTIATE_TEST_SUITE_P(
    Outputs, HotRapRetentionFailureTest,
    testing::Values(Failure{FileOp::kCreate, HotRapSafetyTestBase::kFastTable},
                    Failure{FileOp::kAppend, HotRapSafetyTestBase::kFastTable},
                    Failure{FileOp::kCreate, HotRapSafetyTestBase::kSlowTable},
                    Failure{FileOp::kAppend,
                            HotRapSafetyTestBase::kSlowTable}));

}  // namespace ROCKSDB_NAMESPACE
