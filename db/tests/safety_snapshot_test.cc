//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests what reads may see. A batch of reads sees one moment of the DB, a
// snapshot sees nothing newer than itself, and no read sees a version that is
// outdated or that a compaction filter removed.

#include <algorithm>
#include <atomic>
#include <cctype>
#include <thread>

#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class SafetySnapshotTest : public HotRapSafetyTestBase {
 public:
  SafetySnapshotTest() : HotRapSafetyTestBase("safety_snapshot_test") {}
};

// ---- A MultiGet sees one moment --------------------------------------------

TEST_F(SafetySnapshotTest, MultiGetIsNotTorn) {
  // Everything compacted to the slow tier must arrive there.
  Options db_options = TrapOptions();
  db_options.hotrap.no_retain = true;
  for (const bool async_io : {false, true}) {
    DestroyAndReopen(db_options);
    ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
    LoadSlow(10);
    // A file on the fast tier that lookups pass.
    ASSERT_OK(Put("a", "cover"));
    ASSERT_OK(Put("z", "cover"));
    ASSERT_OK(Flush());
    std::vector<std::string> read;
    FileGate fast_read(fs_.get(), FileOp::kRead, kFastTable);
    std::thread reader([&] {
      read = MultiGet({Key(0), Key(1)}, /*snapshot=*/nullptr, async_io);
    });
    ASSERT_TRUE(fast_read.WaitCaught());
    // The reader has its version and sequence number. Both keys change at once,
    // and one of them enters the cache at sequence number 0.
    WriteBatch batch;
    ASSERT_OK(batch.Put(Key(0), Value(0, 2)));
    ASSERT_OK(batch.Put(Key(1), Value(1, 2)));
    ASSERT_OK(db_->Write(WriteOptions(), &batch));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
    Touch({Key(0)});
    ASSERT_TRUE(InCache(Key(0)));
    fast_read.Open();
    reader.join();
    ASSERT_EQ((std::vector<std::string>{Value(0, 1), Value(1, 1)}), read);
    ASSERT_EQ((std::vector<std::string>{Value(0, 2), Value(1, 2)}),
              MultiGet({Key(0), Key(1)}));
  }
}

TEST_F(SafetySnapshotTest, MultiGetIsNotTornAcrossColumnFamilies) {
  DestroyAndReopen(TrapOptions());
  CreateColumnFamilies({"one", "two"}, TrapOptions());
  ASSERT_EQ(2, handles_.size());
  for (ColumnFamilyHandle* const cf : handles_) {
    ASSERT_OK(PutVersion(db_, cf, 0, 10, 1));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
    WaitForRalt(cf);
  }
  const std::string name = Key(0);
  const auto read_both = [&](std::vector<std::string>* values) {
    *values = std::vector<std::string>(2);
    for (const Status& s : db_->MultiGet(ReadOptions(), handles_,
                                         {Slice(name), Slice(name)}, values)) {
      ASSERT_OK(s);
    }
  };
  std::vector<std::string> read;
  FileGate slow_read(fs_.get(), FileOp::kRead, kSlowTable);
  std::thread reader([&] { read_both(&read); });
  // The read is in the first column family; the second one follows.
  ASSERT_TRUE(slow_read.WaitCaught());
  WriteBatch batch;
  for (ColumnFamilyHandle* const cf : handles_) {
    ASSERT_OK(batch.Put(cf, name, Value(0, 2)));
  }
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  std::string value;
  for (ColumnFamilyHandle* const cf : handles_) {
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
    ASSERT_OK(db_->Get(ReadOptions(), cf, name, &value));
    ASSERT_TRUE(InCache(name, cf));
  }
  slow_read.Open();
  reader.join();
  ASSERT_EQ((std::vector<std::string>{Value(0, 1), Value(0, 1)}), read);
  read_both(&read);
  ASSERT_EQ((std::vector<std::string>{Value(0, 2), Value(0, 2)}), read);
}

// ---- Snapshots ------------------------------------------------------------

TEST_F(SafetySnapshotTest, SnapshotSeesNoYoungerKey) {
  // Everything compacted to the slow tier must arrive there.
  Options db_options = TrapOptions();
  db_options.hotrap.no_retain = true;
  DestroyAndReopen(db_options);
  LoadSlow(10);
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(Put(Key(20), Value(20, 1)));
  ASSERT_OK(Put(Key(1), Value(1, 2)));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  MakeHot({Key(20)});
  const auto expect_old = [&] {
    ReadOptions options;
    options.snapshot = snapshot;
    EXPECT_EQ("NOT_FOUND", Get(Key(20), snapshot));
    EXPECT_EQ(Value(1, 1), Get(Key(1), snapshot));
    EXPECT_EQ((std::vector<std::string>{Value(1, 1), "NOT_FOUND"}),
              MultiGet({Key(1), Key(20)}, snapshot));
    const std::vector<std::string> keys = Scan(db_, options);
    EXPECT_EQ(0, std::count(keys.begin(), keys.end(), Key(20)));
  };
  Touch({Key(1), Key(20)});
  ASSERT_TRUE(InCache(Key(1)));
  ASSERT_TRUE(InCache(Key(20)));
  expect_old();
  ASSERT_NO_FATAL_FAILURE(Promote({Key(1), Key(20)}));
  expect_old();
  db_->ReleaseSnapshot(snapshot);
  EXPECT_EQ(Value(20, 1), Get(Key(20)));
  EXPECT_EQ(Value(1, 2), Get(Key(1)));
}

// What an old snapshot reads may not be the newest version.
TEST_F(SafetySnapshotTest, OldVersionOfASnapshotIsNotAdmitted) {
  DestroyAndReopen(TrapOptions());
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  LoadSlow(10);
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(Put(Key(0), Value(0, 2)));
  ASSERT_OK(Put(Key(1), Value(1, 2)));
  ASSERT_OK(Delete(Key(2)));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), cf, Key(3), Key(5)));
  // Both versions in one file, then in two levels.
  for (const int level : {kFirstSlowLevel, kFirstSlowLevel + 1}) {
    if (level == kFirstSlowLevel) {
      ASSERT_OK(Flush());
      ASSERT_OK(CompactLevel(db_, cf, 0, level));
    } else {
      ASSERT_OK(CompactAll(db_, cf, level));
    }
    for (int i = 0; i < 5; i++) {
      ASSERT_EQ(Value(i, 1), Get(Key(i), snapshot));
      ASSERT_EQ(Value(i, 1), MultiGet({Key(i)}, snapshot)[0]);
      ASSERT_FALSE(InCache(Key(i)));
    }
    ASSERT_GE(Counter(HotRapCounter::kRefusedSnapshot), 10);
    for (const bool promoted : {false, true}) {
      if (promoted) {
        RunPromotion({});
      }
      ExpectEverywhere(Key(0), Value(0, 2));
      ExpectEverywhere(Key(1), Value(1, 2));
      ExpectEverywhere(Key(2), "NOT_FOUND");
      ExpectEverywhere(Key(3), "NOT_FOUND");
      ExpectEverywhere(Key(4), "NOT_FOUND");
    }
  }
  db_->ReleaseSnapshot(snapshot);
}

// ---- Reads that see more than others, or under another name ---------------

TEST_F(SafetySnapshotTest, WhatARangeDeletionHidesIsNotAdmitted) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(3), Key(5)));
  // The snapshot keeps both in the slow tier.
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ReadOptions options;
  options.ignore_range_deletions = true;
  std::string value;
  ASSERT_OK(db_->Get(options, Key(3), &value));
  ASSERT_EQ(Value(3, 1), value);
  ExpectEverywhere(Key(3), "NOT_FOUND");
  RunPromotion({});
  ExpectEverywhere(Key(3), "NOT_FOUND");
  db_->ReleaseSnapshot(snapshot);
}

// Prepared but uncommitted versions are in the files, and invisible.
TEST_F(SafetySnapshotTest, WhatATransactionHidesIsNotAdmitted) {
  Options options = TrapOptions();
  options.hotrap.no_retain = true;
  DestroyAndReopen(options);
  LoadSlow(10);
  Close();

  TransactionDBOptions txn_options;
  txn_options.write_policy = WRITE_PREPARED;
  TransactionDB* txn_db = nullptr;
  ASSERT_OK(TransactionDB::Open(options, txn_options, dbname_, &txn_db));
  ColumnFamilyHandle* const cf = txn_db->DefaultColumnFamily();
  WaitForRalt(cf);
  std::unique_ptr<Transaction> txn(
      txn_db->BeginTransaction(WriteOptions(), TransactionOptions()));
  ASSERT_OK(txn->SetName("txn"));
  ASSERT_OK(txn->Put(Key(0), Value(0, 2)));
  ASSERT_OK(txn->Prepare());
  ASSERT_OK(CompactAll(txn_db, cf, kFirstSlowLevel + 1));
  std::string value;
  ASSERT_OK(txn_db->Get(ReadOptions(), Key(0), &value));
  EXPECT_EQ(Value(0, 1), value);
  EXPECT_FALSE(InCache(Key(0), cf));
  ASSERT_OK(txn->Commit());
  txn.reset();
  ASSERT_OK(txn_db->Get(ReadOptions(), Key(0), &value));
  EXPECT_EQ(Value(0, 2), value);
  delete txn_db;
}

class CaseBlindComparator : public Comparator {
 public:
  const char* Name() const override { return "CaseBlindComparator"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return Lower(a).compare(Lower(b));
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  static std::string Lower(const Slice& key) {
    std::string lower = key.ToString();
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return lower;
  }
};

// A copy would have the requested key's bytes; a scan would return other ones.
TEST_F(SafetySnapshotTest, AnEqualKeyOfOtherBytesIsNotAdmitted) {
  const CaseBlindComparator comparator;
  Options options = TrapOptions();
  options.comparator = &comparator;
  DestroyAndReopen(options);
  LoadSlow(10);
  ASSERT_EQ(Value(3, 1), Get("KEY00000003"));
  ASSERT_FALSE(InCache("KEY00000003"));
  ASSERT_EQ(Value(3, 1), Get(Key(3)));
  ASSERT_TRUE(InCache(Key(3)));
  Close();  // before the comparator is destroyed
}

// A copy must have all columns, and a blob index is not a value.
TEST_F(SafetySnapshotTest, OnlyWholeValuesAreAdmitted) {
  Options options = TrapOptions();
  options.enable_blob_files = true;
  options.min_blob_size = kValueBytes + 1;
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  const std::string blob(kValueBytes + 1, 'b');
  const WideColumns columns = {{kDefaultWideColumnName, "default"}, {"c", "d"}};
  ASSERT_OK(Put(Key(20), blob));
  ASSERT_OK(db_->PutEntity(WriteOptions(), cf, Key(21), columns));
  LoadSlow(10);

  ASSERT_EQ(blob, Get(Key(20)));
  ASSERT_EQ("default", Get(Key(21)));
  ASSERT_FALSE(InCache(Key(20)));
  ASSERT_FALSE(InCache(Key(21)));
  ASSERT_EQ(1, Counter(HotRapCounter::kRefusedBlob));
  ASSERT_EQ(1, Counter(HotRapCounter::kRefusedType));
  for (int round = 0; round < 2; round++) {
    PinnableWideColumns entity;
    ASSERT_OK(db_->GetEntity(ReadOptions(), cf, Key(21), &entity));
    ASSERT_EQ(columns, entity.columns());
    ASSERT_TRUE(InCache(Key(21)));
    ExpectEverywhere(Key(20), blob);
    ExpectEverywhere(Key(21), "default");
  }
}

#if ROCKSDB_MAJOR >= 11
// Nor are columns that are in blob files: a copy would hold the values, too.
TEST_F(SafetySnapshotTest, EntitiesInBlobFilesAreNotAdmitted) {
  Options options = TrapOptions();
  options.enable_blob_files = true;
  options.min_blob_size = kValueBytes + 1;
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  const std::string blob(kValueBytes + 1, 'b');
  const WideColumns columns = {{kDefaultWideColumnName, "default"},
                               {"c", blob}};
  ASSERT_OK(db_->PutEntity(WriteOptions(), cf, Key(21), columns));
  LoadSlow(10);
  for (int round = 0; round < 2; round++) {
    PinnableWideColumns entity;
    ASSERT_OK(db_->GetEntity(ReadOptions(), cf, Key(21), &entity));
    ASSERT_EQ(columns, entity.columns());
    ASSERT_FALSE(InCache(Key(21)));
  }
  ASSERT_EQ(2, Counter(HotRapCounter::kRefusedBlob));
}
#endif

// The result of a merge onto a cached record may be no entity. The read fails
// like one that finds the record in its file.
TEST_F(SafetySnapshotTest, AMergeOntoACachedRecordFails) {
  class TwinColumns : public MergeOperator {
   public:
    const char* Name() const override { return "TwinColumns"; }
    bool FullMergeV3(const MergeOperationInputV3& /*in*/,
                     MergeOperationOutputV3* out) const override {
      out->new_value =
          MergeOperationOutputV3::NewColumns{{"twin", "1"}, {"twin", "2"}};
      return true;
    }
  };
  Options options = TrapOptions();
  options.merge_operator = std::make_shared<TwinColumns>();
  DestroyAndReopen(options);
  LoadSlow(10);
  Touch({Key(0)});
  ASSERT_TRUE(InCache(Key(0)));
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  for (const int i : {0, 1}) {
    const std::string key = Key(i);
    ASSERT_OK(db_->Merge(WriteOptions(), cf, key, "operand"));
    PinnableWideColumns entity;
    const Status s = db_->GetEntity(ReadOptions(), cf, key, &entity);
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    const Slice slice = key;
    Status batch_s;
    db_->MultiGetEntity(ReadOptions(), cf, 1, &slice, &entity, &batch_s);
    EXPECT_TRUE(batch_s.IsCorruption()) << batch_s.ToString();
  }
  ASSERT_FALSE(InCache(Key(1)));
  Close();
}

// A file of a slow level on the fast path is as fast as a copy.
TEST_F(SafetySnapshotTest, WhatIsOnTheFastPathIsNotAdmitted) {
  Options options = TrapOptions();
  options.hotrap.enabled = false;
  options.hotrap.relocation_bytes_per_sec = 0;
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(Put(Key(0), Value(0, 1)));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), cf, AllFiles(db_, cf),
                              kFirstSlowLevel, /*output_path_id=*/0));
  options.hotrap.enabled = true;
  Reopen(options);
  WaitForRalt();
  ASSERT_EQ(Value(0, 1), Get(Key(0)));
  ASSERT_EQ(1, Counter(HotRapCounter::kRefusedOnFastPath));
  ASSERT_FALSE(InCache(Key(0)));
}

// ---- Row cache: it replays without the true sequence number ----------------

TEST_F(SafetySnapshotTest, RowCacheIsNotExact) {
  Options options = TrapOptions();
  options.row_cache = NewLRUCache(1 << 20);
  DestroyAndReopen(options);
  LoadSlow(10);
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(Put(Key(20), Value(20, 1)));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  MakeHot({Key(20)});
  // Read it into the row cache only.
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ASSERT_EQ(Value(20, 1), Get(Key(20)));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  ASSERT_EQ(Value(20, 1), Get(Key(20)));
  ASSERT_EQ(Value(20, 1), MultiGet({Key(20)})[0]);
  ASSERT_GE(Counter(HotRapCounter::kRefusedInexact), 1);
  // A copy with the row cache's sequence number would be visible here.
  RunPromotion({});
  ASSERT_EQ("NOT_FOUND", Get(Key(20), snapshot));
  ASSERT_EQ("NOT_FOUND", MultiGet({Key(20)}, snapshot)[0]);
  db_->ReleaseSnapshot(snapshot);
}

// Hits of the promotion cache must not enter the row cache of a file.
TEST_F(SafetySnapshotTest, RowCacheAndPromotionsAgree) {
  Options options = TrapOptions();
  options.row_cache = NewLRUCache(1 << 20);
  DestroyAndReopen(options);
  LoadSlow(10);
  for (int version = 2; version < 6; version++) {
    for (int i = 0; i < 10; i++) {
      ExpectEverywhere(Key(i), Value(i, version - 1));
    }
    RunPromotion(Keys(0, 10));
    for (int i = 0; i < 10; i++) {
      ExpectEverywhere(Key(i), Value(i, version - 1));
      ASSERT_OK(Put(Key(i), Value(i, version)));
      ExpectEverywhere(Key(i), Value(i, version));
    }
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  }
}

// ---- Compaction filters ---------------------------------------------------

class DropAllFilter : public CompactionFilter {
 public:
  bool Filter(int /*level*/, const Slice& key, const Slice& /*value*/,
              std::string* /*new_value*/, bool* /*changed*/) const override {
    return drop && key.compare(HotRapDBTestBase::Key(5)) < 0;
  }
  const char* Name() const override { return "DropAllFilter"; }

  std::atomic<bool> drop{false};
};

TEST_F(SafetySnapshotTest, WhatAFilterTookStaysAway) {
  DropAllFilter filter;
  Options options = TrapOptions();
  options.compaction_filter = &filter;
  DestroyAndReopen(options);
  LoadSlow(10);
  Touch(Keys(0, 10));
  ASSERT_TRUE(InCache(Key(0)));
  filter.drop = true;
  // Compact within the slow tier.
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1,
                         kFirstSlowLevel + 1));
  // ... and add a file that leads lookups there.
  ASSERT_OK(Put("a", "cover"));
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  for (int i = 0; i < 10; i++) {
    ExpectEverywhere(Key(i), i < 5 ? "NOT_FOUND" : Value(i, 1));
  }
  Close();  // before the filter is destroyed
}

}  // namespace ROCKSDB_NAMESPACE
