//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests DeleteFilesInRange() with promoted copies.

#include "plugin/hotrap/db/copies/copy_removal.h"

#include <map>
#include <string>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/convenience.h"

namespace ROCKSDB_NAMESPACE {

// The parameter tells whether HotRAP is on when files are deleted.
class CopyRemovalTest : public HotRapSafetyTestBase,
                        public testing::WithParamInterface<bool> {
 public:
  static constexpr int kAll = 1000;
  static constexpr int kBegin = 300;
  static constexpr int kEnd = 700;

  CopyRemovalTest() : HotRapSafetyTestBase("copy_removal_test") {}

  // Writes keys [0, kAll) into tables of about 100 keys on the slow tier, and
  // promotes every tenth.
  void LoadAndPromote() {
    Options options = TrapOptions();
    // The load exceeds what level 0 holds without a compaction.
    options.disable_auto_compactions = true;
    DestroyAndReopen(options);
    ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
    ASSERT_OK(PutVersion(db_, cf, 0, kAll, 1));
    ASSERT_OK(PutVersion(db_, cf, 2 * kAll, 2 * kAll + 100, 1));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1, 100 << 10));
    ASSERT_OK(db_->SetOptions({{"disable_auto_compactions", "false"}}));
    for (int i = 0; i < kAll; i += 10) {
      hot_.push_back(Key(i));
    }
    ASSERT_NO_FATAL_FAILURE(MakeHot(hot_));
    // Some records may remain in the promotion cache.
    for (int round = 0; OfFastTier() + 10 < hot_.size(); round++) {
      ASSERT_LT(round, 1000) << Levels();
      Touch(hot_);
      WaitForPromotionIdle();
    }
    if (!GetParam()) {
      options.hotrap.enabled = false;
      Reopen(options);
    }
  }
  size_t OfFastTier() {
    size_t count = 0;
    for (const auto& key : hot_) {
      count += AnsweredByFastTier(key);
    }
    return count;
  }

  // Expects that no key of a deleted table can be read, and every other key as
  // before.
  void Check(const std::string& when) {
    int found = 0;
    for (int i = 0; i < kAll; i++) {
      const bool there = Get(Key(i)) == Value(i, 1);
      if (there) {
        found++;
        ExpectEverywhere(Key(i), Value(i, 1));
      } else {
        ExpectEverywhere(Key(i), "NOT_FOUND");
        EXPECT_GE(i, kBegin) << when;
        EXPECT_LT(i, kEnd) << when;
      }
      // Except at the ends of the range, copies are gone if their neighbours
      // are.
      if (i % 10 == 0 && i > kBegin + 100 && i < kEnd - 100) {
        EXPECT_FALSE(there) << when << ": " << Key(i);
      }
    }
    EXPECT_LT(found, kAll - 200) << when;
    if (found_ >= 0) {
      EXPECT_EQ(found_, found) << when;
    }
    found_ = found;
  }
  Status DeleteFiles() { return DeleteFiles(kBegin, kEnd); }
  Status DeleteFiles(int begin, int end) {
    const std::string begin_key = Key(begin);
    const std::string end_key = Key(end);
    const Slice from = begin_key;
    const Slice to = end_key;
    return DeleteFilesInRange(db_, db_->DefaultColumnFamily(), &from, &to);
  }
  // A copy whose neighbours are gone has lost its original.
  std::vector<std::string> CopiesWithoutOriginals(int begin, int end) {
    std::vector<std::string> found;
    for (int i = begin; i < end; i += 10) {
      if (Get(Key(i)) != "NOT_FOUND" && Get(Key(i + 1)) == "NOT_FOUND" &&
          Get(Key(i - 1)) == "NOT_FOUND") {
        found.push_back(Key(i));
      }
    }
    return found;
  }

 protected:
  std::vector<std::string> hot_;
  int found_ = -1;
};

TEST_P(CopyRemovalTest, CopiesGoWithTheirOriginals) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  ASSERT_OK(DeleteFiles());
  Check("deleted");
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  Check("compacted");
  Reopen(TrapOptions());
  Check("reopened");
}

TEST_P(CopyRemovalTest, CopiesInLevel1GoWithTheirOriginals) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_OK(DeleteFiles());
  Check("deleted");
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  Check("compacted");
}

// Blob files are switched on after copies were made, so a compaction moves
// their values into blobs. Those become garbage.
TEST_P(CopyRemovalTest, CopiesThatAreBlobsGoWithTheirOriginals) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(
      db_->SetOptions({{"enable_blob_files", "true"}, {"min_blob_size", "0"}}));
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_OK(DeleteFiles());
  Check("deleted");
  uint64_t garbage = 0;
  ASSERT_TRUE(
      db_->GetIntProperty(DB::Properties::kLiveBlobFileGarbageSize, &garbage));
  EXPECT_GT(garbage, 20 * kValueBytes);
}

// Records written since are not copies, and stay.
TEST_P(CopyRemovalTest, NewerVersionsStay) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(PutVersion(db_, cf, 500, 501, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ASSERT_OK(DeleteFiles());
  ExpectEverywhere(Key(500), Value(500, 2));
  ExpectEverywhere(Key(510), "NOT_FOUND");
}

// Nobody waits for a table with copies that is being compacted: tables that it
// overlaps stay, too.
TEST_P(CopyRemovalTest, OriginalsStayBesideACompaction) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  FileGate gate(fs_.get(), FileOp::kCreate, kSlowTable);
  port::Thread compaction(
      [&] { ASSERT_OK(CompactLevel(db_, cf, 1, kFirstSlowLevel)); });
  while (!gate.caught()) {
    env_->SleepForMicroseconds(1000);
  }
  ASSERT_OK(DeleteFiles());
  // Nothing is half gone.
  for (int i = 0; i < kAll; i++) {
    ASSERT_EQ(Value(i, 1), Get(Key(i)));
  }
  gate.Open();
  compaction.join();
  for (int i = 0; i < kAll; i += 10) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  for (int i = 0; i < kAll; i += 10) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
}

// CompactRange with change_level also disables manual compactions for a moment.
TEST_P(CopyRemovalTest, ManualCompactionsAreDisabled) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  db_->DisableManualCompaction();
  port::Thread other([&] {
    env_->SleepForMicroseconds(100 * 1000);
    db_->EnableManualCompaction();
  });
  ASSERT_OK(DeleteFiles());
  other.join();
  Check("deleted");
}

// Each of several calls at once removes the copies of its own ranges.
TEST_P(CopyRemovalTest, TwoAtOnce) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  port::Thread other(
      [&] { ASSERT_OK(DeleteFiles(kBegin, (kBegin + kEnd) / 2)); });
  ASSERT_OK(DeleteFiles((kBegin + kEnd) / 2, kEnd));
  other.join();
  EXPECT_EQ(std::vector<std::string>(), CopiesWithoutOriginals(kBegin, kEnd));
}

// A call that ends while another one is at its first of several tables.
TEST_P(CopyRemovalTest, OneEndsBeforeTheOther) {
  constexpr int kLateEnd = 900;
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  if (GetParam()) {
    WaitForPromotionIdle();
  }
  ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(&metadata);
  std::vector<std::string> names;
  for (const auto& file : metadata.levels[0].files) {
    names.push_back(file.name);
  }
  CompactionOptions compaction;
  compaction.output_file_size_limit = 64 << 10;
  ASSERT_OK(db_->CompactFiles(compaction, cf, names, 1, /*output_path_id=*/0));
  // Both will be rewritten.
  db_->GetColumnFamilyMetaData(&metadata);
  const auto& tables = metadata.levels[1].files;
  ASSERT_LE(2u, tables.size());
  ASSERT_LT(tables.front().smallestkey, Key(kBegin));
  ASSERT_GT(tables.front().largestkey, Key(kBegin));
  ASSERT_LT(tables.back().smallestkey, Key(kLateEnd - 100));
  ASSERT_GT(tables.back().largestkey, Key(kLateEnd));
  FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
  port::Thread late([&] { ASSERT_OK(DeleteFiles(kBegin, kLateEnd)); });
  EXPECT_TRUE(gate.WaitCaught());
  EXPECT_OK(DeleteFiles(2 * kAll, 2 * kAll + 100));
  gate.Open();
  late.join();
  EXPECT_EQ("NOT_FOUND", Get(Key(kBegin + 201)));
  EXPECT_EQ(std::vector<std::string>(),
            CopiesWithoutOriginals(kBegin, kLateEnd));
}

// All tables were moved into one folder. With skip_stats_update_on_db_open
// nobody has looked at their properties when files are deleted.
TEST_P(CopyRemovalTest, OnePathWhoseTablesWereNotLookedAt) {
  ASSERT_NO_FATAL_FAILURE(LoadAndPromote());
  Close();
  std::vector<std::string> names;
  ASSERT_OK(env_->GetChildren(SlowPath(), &names));
  for (const std::string& name : names) {
    if (Slice(name).ends_with(".sst")) {
      ASSERT_OK(
          env_->RenameFile(SlowPath() + "/" + name, FastPath() + "/" + name));
    }
  }
  Options options = TrapOptions();
  options.db_paths = {{FastPath(), 1ull << 40}};
  options.hotrap.enabled = GetParam();
  options.skip_stats_update_on_db_open = true;
  Reopen(options);
  // This property reads nothing.
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  EXPECT_EQ("0", stats["promoted_copies"]);
  ASSERT_OK(DeleteFiles());
  Check("deleted");
}

INSTANTIATE_TEST_CASE_P(OnAndOff, CopyRemovalTest, testing::Bool());

}  // namespace ROCKSDB_NAMESPACE
