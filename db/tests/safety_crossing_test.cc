//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests crossing compactions that retain records next to other concurrent work.
// Nothing comes from the promotion cache here.

#include <thread>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/experimental.h"
#include "rocksdb/sst_file_writer.h"

namespace ROCKSDB_NAMESPACE {

class SafetyCrossingTest : public HotRapCrossingTestBase {
 public:
  SafetyCrossingTest() : HotRapCrossingTestBase("safety_crossing_test") {}
};

// A retained record is not a copy: both it and the SingleDelete disappear.
TEST_F(SafetyCrossingTest, SingleDeleteAfterRetention) {
  const Options options = CrossingOptions();
  DestroyAndReopen(options);
  ColumnFamilyHandle* cf = db_->DefaultColumnFamily();
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, kCount, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys()));
  ASSERT_OK(Cross());
  ASSERT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  const auto expect = [&] {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), i == 2 || i == 3 ? "NOT_FOUND" : Value(i, 2));
    }
  };
  // One is retained, one not.
  ASSERT_OK(SingleDelete(Key(2)));
  ASSERT_OK(SingleDelete(Key(3)));
  expect();
  ASSERT_OK(Flush());
  expect();
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  expect();
  Reopen(options);
  expect();
  cf = db_->DefaultColumnFamily();
  ASSERT_OK(Cross());
  expect();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  expect();
  // Write again, delete again.
  ASSERT_OK(Put(Key(2), Value(2, 3)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(MakeHot({Key(2)}));
  ASSERT_OK(Cross());
  ExpectEverywhere(Key(2), Value(2, 3));
  ASSERT_OK(SingleDelete(Key(2)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  expect();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  expect();
}

// ---- Concurrent work -------------------------------------------------------

// Two files of level 1 with a gap between them cross together. Nothing may
// enter the gap, because retained records may end up in one file that spans it.
TEST_F(SafetyCrossingTest, TheGapBetweenItsInputs) {
  Options options = CrossingOptions();
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  // Hot keys in the gap: Key(50) to Key(53), in level 4.
  ASSERT_OK(PutVersion(db_, cf, 50, 54, 1));
  ASSERT_OK(CompactAll(db_, cf, 4));
  for (const int begin : {0, 100}) {
    ASSERT_OK(PutVersion(db_, cf, begin, begin + 10, 2));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  }
  ASSERT_EQ(2, NumTableFilesAtLevel(kLastFastLevel));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, 10)));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(50, 54)));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(50, 52)));

  FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
  Status s;
  std::thread crossing([&] { s = Cross(); });
  EXPECT_TRUE(gate.WaitCaught());
  // Level 1 is reserved,
  ASSERT_OK(PutVersion(db_, cf, 45, 46, 3));
  ASSERT_OK(Flush());
  EXPECT_TRUE(CompactLevel(db_, cf, 0, kLastFastLevel).IsAborted());
  // for ingestion too: it must not go below what is being promoted,
  SstFileWriter writer(EnvOptions(), options);
  ASSERT_OK(writer.Open(dbname_ + "/to_ingest.sst"));
  ASSERT_OK(writer.Put(Key(51), Value(51, 3)));
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile({dbname_ + "/to_ingest.sst"}, {}));
  gate.Open();
  crossing.join();
  ASSERT_OK(s);
  const auto expect = [&] {
    for (const int begin : {0, 100}) {
      for (int i = begin; i < begin + 10; i++) {
        ExpectEverywhere(Key(i), Value(i, 2));
      }
    }
    ExpectEverywhere(Key(45), Value(45, 3));
    for (int i = 50; i < 54; i++) {
      ExpectEverywhere(Key(i), Value(i, i == 51 ? 3 : 1));
    }
  };
  expect();
  EXPECT_EQ(2, Counter(HotRapCounter::kCompactionPromotedRecords));
  ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
  expect();
  ASSERT_OK(Cross());
  expect();
  Reopen(options);
  expect();
}

// Compactions of the slow tier below a crossing continue.
TEST_F(SafetyCrossingTest, SlowCompactionsGoOn) {
  DestroyAndReopen(CrossingOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  LoadFast();
  FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
  Status s;
  std::thread crossing([&] { s = Cross(); });
  EXPECT_TRUE(gate.WaitCaught());
  EXPECT_OK(CompactLevel(db_, cf, kFirstSlowLevel + 1, kFirstSlowLevel + 2));
  gate.Open();
  crossing.join();
  ASSERT_OK(s);
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ExpectVersion(2);
}

// A compaction into the last level waits for the bottom pool as a placeholder,
// which must not be mistaken for a crossing. Without the guard an assert of
// RocksDB fails.
TEST_F(SafetyCrossingTest, PlaceholderForTheBottomPool) {
  Options options = CrossingOptions();
  options.compaction_options_universal.reduce_file_locking = true;
  // Level 0 is so full that there are compactions beside the first.
  options.max_background_jobs = 8;
  options.level0_file_num_compaction_trigger = 1;
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  env_->SetBackgroundThreads(1, Env::Priority::BOTTOM);
  WaitForRalt();
  ASSERT_OK(PutVersion(db_, cf, 0, 100, 1));
  ASSERT_OK(CompactAll(db_, cf, 4));
  ASSERT_OK(PutVersion(db_, cf, 0, 10, 2));
  ASSERT_OK(Flush());
  for (int level = 0; level < 3; level++) {
    ASSERT_OK(CompactLevel(db_, cf, level, level + 1));
  }
  ASSERT_EQ(1, NumTableFilesAtLevel(3));
  ASSERT_EQ(1, NumTableFilesAtLevel(4));
  ASSERT_OK(PutVersion(db_, cf, 50, 60, 3));
  ASSERT_OK(Flush());

  FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
  Status s;
  std::thread into_level_1(
      [&] { s = CompactLevel(db_, cf, 0, kLastFastLevel); });
  EXPECT_TRUE(gate.WaitCaught());
  for (int i = 0; i < 2; i++) {
    ASSERT_OK(PutVersion(db_, cf, 50, 51, 3));
    ASSERT_OK(Flush());
  }
  ASSERT_OK(db_->SetOptions({{"disable_auto_compactions", "false"}}));
  const std::string begin = Key(0);
  const std::string end = Key(9);
  const Slice begin_slice(begin);
  const Slice end_slice(end);
  ASSERT_OK(experimental::SuggestCompactRange(db_, &begin_slice, &end_slice));
  for (int i = 0; i < 500 && NumTableFilesAtLevel(3) > 0; i++) {
    env_->SleepForMicroseconds(10 * 1000);
  }
  EXPECT_EQ(0, NumTableFilesAtLevel(3));
  gate.Open();
  into_level_1.join();
  ASSERT_OK(s);
  WaitForRest();
  env_->SetBackgroundThreads(0, Env::Priority::BOTTOM);
  for (int i = 0; i < 100; i++) {
    ExpectEverywhere(Key(i), Value(i, i < 10 ? 2 : i < 50 || i >= 60 ? 1 : 3));
  }
}

}  // namespace ROCKSDB_NAMESPACE
