//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that tables name the promoted copies that they hold.

#include <cctype>
#include <limits>
#include <string>

#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/comparator.h"
#include "util/coding.h"

namespace ROCKSDB_NAMESPACE {

class PromotedCopiesDBTest : public HotRapSafetyTestBase {
 public:
  static constexpr int kHot = 50;
  static constexpr int kAll = 300;

  PromotedCopiesDBTest() : HotRapSafetyTestBase("promoted_copies_db_test") {}

  uint64_t IntProperty(const std::string& name) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value));
    return value;
  }
  uint64_t Copies() { return IntProperty(kHotRapCopiesProperty); }
  uint64_t EstimatedKeys() {
    return IntProperty(DB::Properties::kEstimateNumKeys);
  }

  // Writes [0, kAll) and the fillers into the slow tier, and promotes [0,
  // kHot).
  void LoadAndPromote(const Options& options) {
    DestroyAndReopen(options);
    ASSERT_NO_FATAL_FAILURE(LoadSlow(kAll));
    ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kHot)));
    // What was read on the way may be promoted after the keys.
    WaitForPromotionIdle();
  }
  // An automatic compaction may have some of the tables.
  Status CompactLevel0() {
    Status s;
    for (int i = 0; i < 10000; i++) {
      s = CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1);
      if (!s.IsAborted() && !s.IsInvalidArgument()) {
        break;
      }
      env_->SleepForMicroseconds(1000);
    }
    return NumTableFilesAtLevel(0) == 0 ? Status::OK() : s;
  }
  void ExpectNoMarks() {
    TablePropertiesCollection tables;
    ASSERT_OK(db_->GetPropertiesOfAllTables(&tables));
    for (const auto& [name, properties] : tables) {
      EXPECT_EQ(0, properties->user_collected_properties.count(
                       kPromotedCopiesProperty))
          << name;
    }
  }
  Status FullCompaction() {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    return db_->CompactRange(options, nullptr, nullptr);
  }
};

TEST_F(PromotedCopiesDBTest, ThePropertyCountsThem) {
  const Options options = TrapOptions();
  DestroyAndReopen(options);
  EXPECT_EQ(0, Copies());
  ASSERT_NO_FATAL_FAILURE(LoadSlow(kAll));
  EXPECT_EQ(0, Copies());
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kHot)));
  const uint64_t promoted = Counter(HotRapCounter::kPromotedRecords);
  EXPECT_EQ(promoted, Copies());
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  EXPECT_EQ(std::to_string(promoted), stats["promoted_copies"]);
  std::string text;
  ASSERT_TRUE(db_->GetProperty(kHotRapCopiesProperty, &text));
  EXPECT_EQ(std::to_string(promoted), text);
  Reopen(options);
  EXPECT_EQ(promoted, Copies());
}

TEST_F(PromotedCopiesDBTest, ThePropertyIsAddedUp) {
  const Options options = TrapOptions();
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote(options));
  CreateColumnFamilies({"other", "dropped"}, options);
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  uint64_t sum = 0;
  ASSERT_TRUE(db_->GetAggregatedIntProperty(kHotRapCopiesProperty, &sum));
  EXPECT_EQ(Copies(), sum);
  EXPECT_EQ(Counter(HotRapCounter::kPromotedRecords), sum);
  EXPECT_FALSE(db_->GetAggregatedIntProperty(kHotRapStatsProperty, &sum));
}

// A secondary instance, which learns of new tables for ever, forgets old ones.
TEST_F(PromotedCopiesDBTest, ASecondaryForgetsTablesThatAreGone) {
  Options options = TrapOptions();
  options.hotrap.no_by_compaction = true;
  LoadAndPromote(options);
  Options secondary_options = options;
  secondary_options.max_open_files = -1;
  std::unique_ptr<DB> secondary;
  ASSERT_OK(DB::OpenAsSecondary(secondary_options, dbname_,
                                dbname_ + "/secondary", &secondary));
  const auto marks = [](DB* db) {
    return static_cast<ColumnFamilyHandleImpl*>(db->DefaultColumnFamily())
        ->cfd()
        ->hotrap.copy_marks()
        .total();
  };
  // The primary may still be about to install a version.
  const auto expect_same_marks = [&] {
    for (int i = 0; i < 1000 && marks(db_) != marks(secondary.get()); i++) {
      env_->SleepForMicroseconds(1000);
      ASSERT_OK(secondary->TryCatchUpWithPrimary());
    }
    ASSERT_EQ(marks(db_), marks(secondary.get()));
  };
  ASSERT_GT(marks(db_), 0);
  expect_same_marks();
  for (int version = 2; version < 5; version++) {
    ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), kHot, kAll, version));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel0());
    ASSERT_OK(secondary->TryCatchUpWithPrimary());
    expect_same_marks();
  }
}

// A compaction within the fast tier preserves the marks, and does not mark
// other records.
TEST_F(PromotedCopiesDBTest, CompactionsPassThemOn) {
  Options options = TrapOptions();
  options.hotrap.no_by_compaction = true;
  LoadAndPromote(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  // What was read on the way may be promoted meanwhile, too.
  const uint64_t promoted = Counter(HotRapCounter::kPromotedRecords);
  const uint64_t copies = Copies();
  const auto most = [&] {
    return copies + Counter(HotRapCounter::kPromotedRecords) - promoted;
  };
  ASSERT_OK(PutVersion(db_, cf, kHot, kAll, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel0());
  EXPECT_GE(Copies(), copies);
  // The filter may have one or two false positives in 250.
  EXPECT_LE(Copies(), most() + 2);
  // A newer version replaces a copy.
  ASSERT_OK(PutVersion(db_, cf, 0, kHot, 3));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel0());
  EXPECT_LE(Copies(), most() + 2 - kHot);
}

TEST_F(PromotedCopiesDBTest, NoneIsLeftOnTheWayBackToStock) {
  Options options = TrapOptions();
  LoadAndPromote(options);
  ASSERT_GT(Copies(), 0);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  EXPECT_GT(Copies(), 0);
  ASSERT_OK(FullCompaction());
  EXPECT_EQ(0, Copies());
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  EXPECT_EQ("0", stats["promoted_copies"]);
  ExpectNoMarks();
  options.hotrap.enabled = false;
  Reopen(options);
  EXPECT_EQ(0, Copies());
  for (int i = 0; i < kAll; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
}

// An old snapshot keeps the records' sequence numbers, by which they may be
// copies.
TEST_F(PromotedCopiesDBTest, NoneIsLeftBesideAnOldSnapshot) {
  DestroyAndReopen(TrapOptions());
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_NO_FATAL_FAILURE(LoadSlow(kAll));
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kHot)));
  ASSERT_GT(Copies(), 0);
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ASSERT_OK(FullCompaction());
  EXPECT_EQ(0, Copies());
  ExpectNoMarks();
  db_->ReleaseSnapshot(snapshot);
}

// A full CompactRange() keeps copies whose originals are below the first slow
// level. They stay marked, whatever the folders.
TEST_F(PromotedCopiesDBTest, SingleDeleteAfterAFullCompaction) {
  Options options = TrapOptions();
  LoadAndPromote(options);
  ASSERT_OK(FullCompaction());
  Close();
  ASSERT_OK(DestroyDir(env_, FastPath() + "/hotrap.ralt.0"));
  options.hotrap.enabled = false;
  Reopen(options);
  for (int i = 0; i < kHot; i++) {
    ASSERT_OK(SingleDelete(Key(i)));
  }
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
  for (int i = 0; i < kHot; i++) {
    ExpectEverywhere(Key(i), "NOT_FOUND");
  }
  ASSERT_OK(FullCompaction());
  for (int i = 0; i < kHot; i++) {
    ExpectEverywhere(Key(i), "NOT_FOUND");
  }
  EXPECT_EQ(0, Copies());
}

// Without a copy nearby, a SingleDelete and its Put cancel each other.
TEST_F(PromotedCopiesDBTest, SingleDeleteEndsAPutThatIsNoCopy) {
  LoadAndPromote(TrapOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  const std::string key = Key(kHot) + "x";
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_OK(Put(key, "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(SingleDelete(key));
  ASSERT_OK(Flush());
  ASSERT_EQ(2, NumTableFilesAtLevel(0));
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  TablePropertiesCollection tables;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&tables));
  for (const auto& [name, properties] : tables) {
    EXPECT_EQ(0, properties->num_deletions) << name;
  }
  ExpectEverywhere(key, "NOT_FOUND");
}

TEST_F(PromotedCopiesDBTest, ReadingDoesNotAddKeys) {
  const Options options = TrapOptions();
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(LoadSlow(kAll));
  const uint64_t keys = EstimatedKeys();
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kHot)));
  EXPECT_EQ(keys, EstimatedKeys());
  std::string text;
  ASSERT_TRUE(db_->GetProperty(DB::Properties::kEstimateNumKeys, &text));
  EXPECT_EQ(std::to_string(keys), text);
  uint64_t aggregated = 0;
  ASSERT_TRUE(db_->GetAggregatedIntProperty(DB::Properties::kEstimateNumKeys,
                                            &aggregated));
  EXPECT_EQ(keys, aggregated);
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
  EXPECT_NEAR(keys, EstimatedKeys(), 2);
  Reopen(options);
  EXPECT_NEAR(keys, EstimatedKeys(), 2);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  EXPECT_EQ(keys, EstimatedKeys());
}

// A read-only handle, and a secondary one before and after it caught up, report
// what the primary does.
TEST_F(PromotedCopiesDBTest, OtherHandlesCountTheSame) {
  Options options = TrapOptions();
  // The compaction must not take what is left in the promotion cache.
  options.hotrap.no_by_compaction = true;
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote(options));
  const auto expect_same_copies = [&](DB* other, const char* who) {
    std::map<std::string, std::string> stats;
    ASSERT_TRUE(other->GetMapProperty(kHotRapStatsProperty, &stats));
    EXPECT_EQ(std::to_string(Copies()), stats["promoted_copies"]) << who;
  };
  const auto expect_same = [&](DB* other, const char* who) {
    expect_same_copies(other, who);
    uint64_t keys = 0;
    ASSERT_TRUE(other->GetIntProperty(DB::Properties::kEstimateNumKeys, &keys));
    EXPECT_EQ(EstimatedKeys(), keys);
  };
  std::unique_ptr<DB> read_only;
  ASSERT_OK(DB::OpenForReadOnly(options, dbname_, &read_only));
  expect_same(read_only.get(), "read-only");
  read_only.reset();
  Options secondary_options = options;
  secondary_options.max_open_files = -1;
  std::unique_ptr<DB> secondary;
  ASSERT_OK(DB::OpenAsSecondary(secondary_options, dbname_,
                                dbname_ + "_secondary", &secondary));
  expect_same(secondary.get(), "secondary");
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ASSERT_EQ(0, Copies());
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  // RocksDB's own estimate is off in a secondary that caught up.
  expect_same_copies(secondary.get(), "after a compaction");
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kHot)));
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  expect_same_copies(secondary.get(), "after another promotion");
}

// The comparator takes keys of different bytes for equal.
TEST_F(PromotedCopiesDBTest, SingleDeleteOfAnEqualKey) {
  class NoCase : public Comparator {
   public:
    const char* Name() const override { return "NoCase"; }
    int Compare(const Slice& a, const Slice& b) const override {
      return Slice(Lower(a)).compare(Lower(b));
    }
    void FindShortestSeparator(std::string*, const Slice&) const override {}
    void FindShortSuccessor(std::string*) const override {}

   private:
    static std::string Lower(const Slice& key) {
      std::string lower = key.ToString();
      for (char& c : lower) {
        c = static_cast<char>(tolower(c));
      }
      return lower;
    }
  };
  const NoCase comparator;
  Options options = TrapOptions();
  options.comparator = &comparator;
  LoadAndPromote(options);
  for (int i = 0; i < kHot; i++) {
    std::string key = Key(i);
    key[0] = 'K';
    ASSERT_OK(SingleDelete(key));
  }
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel0());
  for (int i = 0; i < kHot; i++) {
    ExpectEverywhere(Key(i), "NOT_FOUND");
  }
  ASSERT_OK(FullCompaction());
  for (int i = 0; i < kHot; i++) {
    ExpectEverywhere(Key(i), "NOT_FOUND");
  }
  Close();
}

// RocksDB lets a DB be opened with timestamps that it was written without, if
// they are not persisted.
TEST_F(PromotedCopiesDBTest, SingleDeleteWithATimestamp) {
  Options options = TrapOptions();
  LoadAndPromote(options);
  options.comparator = BytewiseComparatorWithU64Ts();
  options.persist_user_defined_timestamps = false;
  options.allow_concurrent_memtable_write = false;
  options.disable_auto_compactions = true;
  Reopen(options);
  const auto timestamp = [](uint64_t number) {
    std::string bytes;
    PutFixed64(&bytes, number);
    return bytes;
  };
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  for (int i = 0; i < kHot; i++) {
    ASSERT_OK(db_->SingleDelete(WriteOptions(), cf, Key(i), timestamp(1)));
  }
  ASSERT_OK(db_->IncreaseFullHistoryTsLow(cf, timestamp(5)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  const std::string latest = timestamp(std::numeric_limits<uint64_t>::max());
  const Slice latest_slice = latest;
  ReadOptions read_options;
  read_options.timestamp = &latest_slice;
  for (int i = 0; i < kHot; i++) {
    std::string value;
    EXPECT_TRUE(db_->Get(read_options, Key(i), &value).IsNotFound()) << i;
  }
}

}  // namespace ROCKSDB_NAMESPACE
