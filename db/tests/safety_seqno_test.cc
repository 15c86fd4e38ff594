//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests two copies of one record: promotion of records with sequence number 0,
// and SingleDelete of a promoted copy.

#include <algorithm>

#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {

class SafetySeqnoTest : public HotRapSafetyTestBase {
 public:
  SafetySeqnoTest() : HotRapSafetyTestBase("safety_seqno_test") {}

  // Expects that every kind of read finds no Key(0).
  void ExpectSingleDeleted() {
    ExpectEverywhere(Key(0), "NOT_FOUND");
    const std::vector<std::string> keys = Scan(db_, ReadOptions());
    EXPECT_EQ(0, std::count(keys.begin(), keys.end(), Key(0)));
    EXPECT_EQ(Value(1, 1), Get(Key(1)));
  }
};

// ---- Sequence number 0: an iterator returns two copies at 0 as two keys ----

TEST_F(SafetySeqnoTest, ScansMeetPromotedKeysOnce) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  Touch({Key(0)});
  const PromotionRecordPtr record = Cached(Key(0));
  ASSERT_NE(nullptr, record);
  ASSERT_EQ(0, record->seq) << "nothing to test: not zeroed";
  const std::vector<std::string> expected = Scan(db_, ReadOptions());
  ASSERT_EQ(10 + kFillersEnd - kFillersBegin, expected.size());
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 10)));

  const std::vector<std::string> expected_backwards(expected.rbegin(),
                                                    expected.rend());
  const Snapshot* const snapshot = db_->GetSnapshot();
  const std::string first = Key(2);
  const std::string end = Key(8);
  const Slice lower = first;
  const Slice upper = end;
  for (const bool at_snapshot : {false, true}) {
    ReadOptions options;
    options.snapshot = at_snapshot ? snapshot : nullptr;
    EXPECT_EQ(expected, Scan(db_, options));
    EXPECT_EQ(expected_backwards, Scan(db_, options, /*backwards=*/true));
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    EXPECT_EQ(Keys(2, 8), Scan(db_, options));
    const std::vector<std::string> backwards =
        Scan(db_, options, /*backwards=*/true);
    EXPECT_EQ(Keys(2, 8),
              std::vector<std::string>(backwards.rbegin(), backwards.rend()));
  }
  db_->ReleaseSnapshot(snapshot);

  // Wherever the copies move.
  for (const int level : {1, kFirstSlowLevel, kFirstSlowLevel + 1}) {
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(),
                           level == 1 ? 0 : level - 1, level));
    EXPECT_EQ(expected, Scan(db_, ReadOptions()));
    EXPECT_EQ(expected_backwards, Scan(db_, ReadOptions(), /*backwards=*/true));
  }
}

// ---- SingleDelete must not remove only the copy ---------------------------

TEST_F(SafetySeqnoTest, SingleDeleteEndsCopyAndOriginal) {
  const Options options = TrapOptions();
  DestroyAndReopen(options);
  LoadSlow(10);
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 10)));
  ColumnFamilyHandle* cf = db_->DefaultColumnFamily();
  ASSERT_OK(SingleDelete(Key(0)));
  ExpectSingleDeleted();
  ASSERT_OK(Flush());
  ExpectSingleDeleted();
  // The SingleDelete meets the copy; the original is not among the inputs.
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ExpectSingleDeleted();
  Reopen(options);
  ExpectSingleDeleted();
  cf = db_->DefaultColumnFamily();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ExpectSingleDeleted();
  Reopen(options);
  ExpectSingleDeleted();
}

// Copies remain after hotrap.enabled is switched off.
TEST_F(SafetySeqnoTest, SingleDeleteAfterHotRapWasSwitchedOff) {
  Options options = TrapOptions();
  DestroyAndReopen(options);
  LoadSlow(10);
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 10)));
  options.hotrap.enabled = false;
  Reopen(options);
  ASSERT_EQ(nullptr, Tier());
  ASSERT_OK(SingleDelete(Key(0)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
  ExpectSingleDeleted();
}

// ... and after RALT's folder is deleted.
TEST_F(SafetySeqnoTest, SingleDeleteAfterRaltWasDeleted) {
  Options options = TrapOptions();
  DestroyAndReopen(options);
  LoadSlow(10);
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 10)));
  Close();
  ASSERT_OK(DestroyDir(env_, FastPath() + "/hotrap.ralt.0"));
  options.hotrap.enabled = false;
  Reopen(options);
  ASSERT_OK(SingleDelete(Key(0)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, 1));
  ExpectSingleDeleted();
}

// Put, SingleDelete, Put, SingleDelete: each SingleDelete removes one Put.
TEST_F(SafetySeqnoTest, SingleDeleteTwice) {
  DestroyAndReopen(TrapOptions());
  LoadSlow(10);
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 10)));
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  ASSERT_OK(SingleDelete(Key(0)));
  ASSERT_OK(Flush());
  ASSERT_OK(Put(Key(0), Value(0, 2)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ExpectEverywhere(Key(0), Value(0, 2));
  ASSERT_OK(SingleDelete(Key(0)));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactLevel(db_, cf, 0, 1));
  ExpectSingleDeleted();
  ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
  ExpectSingleDeleted();
}

TEST_F(SafetySeqnoTest, SingleDeleteOfATransaction) {
  const Options options = TrapOptions();
  DestroyAndReopen(options);
  LoadSlow(10);
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, 10)));
  Close();

  TransactionDB* txn_db = nullptr;
  ASSERT_OK(
      TransactionDB::Open(options, TransactionDBOptions(), dbname_, &txn_db));
  std::unique_ptr<Transaction> txn(
      txn_db->BeginTransaction(WriteOptions(), TransactionOptions()));
  ASSERT_OK(txn->SingleDelete(Key(0)));
  ASSERT_OK(txn->Commit());
  txn.reset();
  ASSERT_OK(txn_db->Flush(FlushOptions()));
  ASSERT_OK(CompactLevel(txn_db, txn_db->DefaultColumnFamily(), 0, 1));
  std::string value;
  ASSERT_TRUE(txn_db->Get(ReadOptions(), Key(0), &value).IsNotFound());
  delete txn_db;

  Reopen(options);
  ExpectSingleDeleted();
}

}  // namespace ROCKSDB_NAMESPACE
