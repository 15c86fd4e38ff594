//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests against stale copies: a record in the promotion cache, or under
// promotion, must never hide something newer or outlive its key.

#include <functional>
#include <thread>

#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/statistics.h"
#include "rocksdb/version.h"
#include "utilities/merge_operators.h"

namespace ROCKSDB_NAMESPACE {

class SafetyStalenessTest : public HotRapSafetyTestBase {
 public:
  SafetyStalenessTest() : HotRapSafetyTestBase("safety_staleness_test") {}

  Options StalenessOptions() {
    Options options = TrapOptions();
    options.merge_operator = MergeOperators::CreateStringAppendOperator();
    return options;
  }

  // One key for each way to write something newer: writes_[i] writes Key(i).
  using Write = std::function<Status(DB*, const std::string& key)>;
  const std::vector<Write> writes_ = {
      [](DB* db, const std::string& key) {
        return db->Put(WriteOptions(), key, "newer");
      },
      [](DB* db, const std::string& key) {
        return db->Delete(WriteOptions(), key);
      },
      [](DB* db, const std::string& key) {
        return db->SingleDelete(WriteOptions(), key);
      },
      [](DB* db, const std::string& key) {
        return db->DeleteRange(WriteOptions(), key, key + "0");
      },
      [](DB* db, const std::string& key) {
        return db->Merge(WriteOptions(), key, "newer");
      },
      [](DB* db, const std::string& key) {
        return db->PutEntity(WriteOptions(), db->DefaultColumnFamily(), key,
                             {{kDefaultWideColumnName, "newer"}, {"c", "d"}});
      },
  };

  int NumWrites() const { return static_cast<int>(writes_.size()); }

  void WriteNewer() {
    for (int i = 0; i < NumWrites(); i++) {
      ASSERT_OK(writes_[i](db_, Key(i)));
    }
  }

  void ExpectNewer() {
    ExpectEverywhere(Key(0), "newer");
    ExpectEverywhere(Key(1), "NOT_FOUND");
    ExpectEverywhere(Key(2), "NOT_FOUND");
    ExpectEverywhere(Key(3), "NOT_FOUND");
    ExpectEverywhere(Key(4), Value(4, 1) + ",newer");
    ExpectEverywhere(Key(5), "newer");
    // A key that was not written stays.
    ExpectEverywhere(Key(6), Value(6, 1));
  }

  // The same after the newer versions have moved, and from the files alone.
  void ExpectNewerToTheEnd() {
    ExpectNewer();
    ASSERT_OK(Flush());
    ExpectNewer();
    if (NumTableFilesAtLevel(0) > 0) {
      ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
    }
    ExpectNewer();
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
    ExpectNewer();
    Reopen(StalenessOptions());
    ExpectNewer();
  }

  std::vector<std::string> WrittenKeys() { return Keys(0, NumWrites() + 1); }
};

// ---- Newer versions that exist when the checker looks ----------------------

TEST_F(SafetyStalenessTest, NewerVersionInMutableMemtable) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  Touch(WrittenKeys());
  WriteNewer();
  RunPromotion({});
  ExpectNewerToTheEnd();
}

TEST_F(SafetyStalenessTest, NewerVersionInImmutableMemtable) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  Touch(WrittenKeys());
  WriteNewer();
  {
    // The flush has its place among the L0 files and is blocked.
    FileGate flush(fs_.get(), FileOp::kCreate, kFastTable);
    FlushOptions no_wait;
    no_wait.wait = false;
    ASSERT_OK(db_->Flush(no_wait));
    ASSERT_TRUE(flush.WaitCaught());
    RunPromotion({});
    ExpectNewer();
  }
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  ExpectNewerToTheEnd();
}

TEST_F(SafetyStalenessTest, NewerVersionInLevel0) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  Touch(WrittenKeys());
  WriteNewer();
  ASSERT_OK(Flush());
  RunPromotion({});
  ExpectNewerToTheEnd();
}

TEST_F(SafetyStalenessTest, NewerVersionInLevel1) {
  // The compaction into level 1 would take cached records.
  Options options = StalenessOptions();
  options.hotrap.no_by_compaction = true;
  DestroyAndReopen(options);
  LoadSlow(10);
  Touch(WrittenKeys());
  WriteNewer();
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
  RunPromotion({});
  ExpectNewerToTheEnd();
}

#if ROCKSDB_MAJOR >= 11
// A scan puts range tombstones into the memtable, at its own sequence number.
TEST_F(SafetyStalenessTest, ScansThatWriteRangeTombstones) {
  Options options = StalenessOptions();
  options.min_tombstones_for_range_conversion = 2;
  options.statistics = CreateDBStatistics();
  const auto inserted = [&] {
    return options.statistics->getTickerCount(
        READ_PATH_RANGE_TOMBSTONES_INSERTED);
  };
  DestroyAndReopen(options);
  LoadSlow(10);
  Touch(Keys(0, 10));
  ASSERT_TRUE(InCache(Key(3)));
  const Snapshot* const snapshot = db_->GetSnapshot();
  for (int i = 2; i < 6; i++) {
    ASSERT_OK(db_->Delete(WriteOptions(), Key(i)));
  }
  const auto expect = [&] {
    for (int i = 0; i < 10; i++) {
      ExpectEverywhere(Key(i), i < 2 || i > 5 ? Value(i, 1)
                               : i == 4       ? "newer"
                                              : "NOT_FOUND");
      EXPECT_EQ(Value(i, 1), Get(Key(i), snapshot));
    }
  };
  Scan(db_, ReadOptions());
  ASSERT_GT(inserted(), 0);
  ASSERT_OK(Put(Key(4), "newer"));
  expect();
  // The records of the keys below the tombstone are dropped, others promoted.
  RunPromotion(Keys(6, 10));
  expect();
  ASSERT_OK(Flush());
  expect();
  RunPromotion(Keys(6, 10));
  expect();
  db_->ReleaseSnapshot(snapshot);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  for (int i = 2; i < 6; i++) {
    ExpectEverywhere(Key(i), i == 4 ? "newer" : "NOT_FOUND");
  }
}
#endif

// A file that the checker cannot read may hold a newer version.
TEST_F(SafetyStalenessTest, NewerVersionInAFileThatFails) {
  Options options = StalenessOptions();
  options.hotrap.no_by_compaction = true;
  DestroyAndReopen(options);
  LoadSlow(10);
  Touch({Key(0)});
  ASSERT_TRUE(InCache(Key(0)));
  ASSERT_OK(Put(Key(0), "newer"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
  FileGate check(fs_.get(), FileOp::kRead, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&check, {}));
  check.Fail(IOStatus::IOError("gate"));
  WaitForPromotionIdle();
  ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  ExpectEverywhere(Key(0), "newer");
}

// ---- Newer versions that appear after the check ----------------------------

TEST_F(SafetyStalenessTest, WrittenWhileTheFileIsBuilt) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, WrittenKeys()));
  WriteNewer();
  LetGo(&build);
  ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  ExpectNewerToTheEnd();
}

TEST_F(SafetyStalenessTest, FlushedWhileTheFileIsBuilt) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, WrittenKeys()));
  WriteNewer();
  ASSERT_OK(Flush());
  LetGo(&build);
  // The others are promoted nevertheless.
  ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  ASSERT_GE(Counter(HotRapCounter::kDroppedNewer), NumWrites());
  ExpectNewerToTheEnd();
}

TEST_F(SafetyStalenessTest, SealedWhileTheFileIsBuilt) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, WrittenKeys()));
  WriteNewer();
  {
    FileGate flush(fs_.get(), FileOp::kCreate, kFastTable);
    FlushOptions no_wait;
    no_wait.wait = false;
    ASSERT_OK(db_->Flush(no_wait));
    ASSERT_TRUE(flush.WaitCaught());
    LetGo(&build);
    ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
    ExpectNewer();
  }
  ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  ExpectNewerToTheEnd();
}

// ---- The key disappears in a crossing compaction --------------------------

TEST_F(SafetyStalenessTest, CachedKeyGoesWithItsTombstone) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  Touch({Key(3)});
  ASSERT_TRUE(InCache(Key(3)));
  ASSERT_OK(Delete(Key(3)));
  // Key and tombstone both disappear here; now only the cache knows the key.
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ExpectEverywhere(Key(3), "NOT_FOUND");
  RunPromotion({});
  ExpectEverywhere(Key(3), "NOT_FOUND");
}

// A check would find no trace of the key; only the tracked changes tell.
TEST_F(SafetyStalenessTest, KeyGoesWhileItsPromotionIsBuilt) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, {Key(3)}));
  ASSERT_OK(Delete(Key(3)));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  LetGo(&build);
  ASSERT_GT(Counter(HotRapCounter::kDroppedInvalidated), 0);
  ExpectEverywhere(Key(3), "NOT_FOUND");
  Reopen(StalenessOptions());
  ExpectEverywhere(Key(3), "NOT_FOUND");
}

// A reader has found the key, and inserts it into the cache late.
TEST_F(SafetyStalenessTest, ReaderIsLateForTheCache) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  std::string read;
  FileGate slow_read(fs_.get(), FileOp::kRead, kSlowTable);
  std::thread reader([&] { read = Get(Key(3)); });
  ASSERT_TRUE(slow_read.WaitCaught());
  ASSERT_OK(Delete(Key(3)));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  slow_read.Open();
  reader.join();
  ASSERT_EQ(Value(3, 1), read);  // from before the deletion
  ASSERT_EQ(1, Counter(HotRapCounter::kRefusedStale));
  ExpectEverywhere(Key(3), "NOT_FOUND");
  RunPromotion({});
  ExpectEverywhere(Key(3), "NOT_FOUND");
}

// ... when no file of the slow tier covers the key any more.
TEST_F(SafetyStalenessTest, ReaderIsLateAndItsFileBecameAGap) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  // One file per key.
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1, /*file_bytes=*/1));
  std::string read;
  FileGate slow_read(fs_.get(), FileOp::kRead, kSlowTable);
  std::thread reader([&] { read = Get(Key(3)); });
  ASSERT_TRUE(slow_read.WaitCaught());
  ASSERT_OK(Delete(Key(3)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_OK(CompactLevel(db_, cf, 1, kFirstSlowLevel));
  ASSERT_OK(CompactLevel(db_, cf, kFirstSlowLevel, kFirstSlowLevel + 1));
  slow_read.Open();
  reader.join();
  ASSERT_EQ(Value(3, 1), read);
  RunPromotion({});
  ExpectEverywhere(Key(3), "NOT_FOUND");
  // A file that covers the gap leads lookups of the key to the cache.
  ASSERT_OK(Put(Key(2), "x"));
  ASSERT_OK(Put(Key(4), "x"));
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ExpectEverywhere(Key(3), "NOT_FOUND");
}

// ---- Untracked changes: HotRAP is off, or other levels are slow -------------

TEST_F(SafetyStalenessTest, KeyGoesWhileHotRapIsOff) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  Touch({Key(3)});
  std::string read;
  FileGate slow_read(fs_.get(), FileOp::kRead, kSlowTable);
  std::thread reader([&] { read = Get(Key(4)); });
  ASSERT_TRUE(slow_read.WaitCaught());
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ASSERT_OK(Delete(Key(3)));
  ASSERT_OK(Delete(Key(4)));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  slow_read.Open();
  reader.join();
  ASSERT_EQ(Value(4, 1), read);
  ExpectEverywhere(Key(3), "NOT_FOUND");
  ExpectEverywhere(Key(4), "NOT_FOUND");
  RunPromotion({});
  ExpectEverywhere(Key(3), "NOT_FOUND");
  ExpectEverywhere(Key(4), "NOT_FOUND");
}

TEST_F(SafetyStalenessTest, FirstSlowLevelMovesThereAndBack) {
  DestroyAndReopen(StalenessOptions());
  LoadSlow(10);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  Touch({Key(3)});
  ASSERT_TRUE(InCache(Key(3)));
  ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", "65536"}}));
  ASSERT_EQ(kFirstSlowLevel + 1, Tier()->first_slow_level());
  // Within what is now the fast tier.
  ASSERT_OK(Put(Key(3), Value(3, 2)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_OK(CompactLevel(db_, cf, 1, kFirstSlowLevel));
  ASSERT_OK(db_->SetOptions({{"max_bytes_for_level_base", "524288"}}));
  ASSERT_EQ(kFirstSlowLevel, Tier()->first_slow_level());
  ExpectEverywhere(Key(3), Value(3, 2));
  RunPromotion({});
  ExpectEverywhere(Key(3), Value(3, 2));
}

}  // namespace ROCKSDB_NAMESPACE
