//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests transactions whose writes are in the files before they are committed.
// The newest version there may not be visible to anyone.

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {

struct WritePreparedCase {
  TxnDBWritePolicy policy;
  bool commits;
};

class HotRapWritePreparedTest
    : public HotRapCrossingTestBase,
      public testing::WithParamInterface<WritePreparedCase> {
 public:
  HotRapWritePreparedTest()
      : HotRapCrossingTestBase("hotrap_write_prepared_test") {}

  // Creates and opens a DB with these options.
  void OpenTransactionDB(const Options& options) {
    Close();
    TransactionDBOptions txn_options;
    txn_options.write_policy = GetParam().policy;
    TransactionDB* txn_db = nullptr;
    ASSERT_OK(TransactionDB::Open(options, txn_options, dbname_, &txn_db));
    db_ = txn_db;
    WaitForRalt();
  }

  std::unique_ptr<Transaction> Write(int version) {
    auto* const txn_db = static_cast<TransactionDB*>(db_);
    std::unique_ptr<Transaction> txn(
        txn_db->BeginTransaction(WriteOptions(), TransactionOptions()));
    EXPECT_OK(txn->SetName("txn"));
    for (int i = 0; i < kCount; i++) {
      EXPECT_OK(txn->Put(Key(i), Value(i, version)));
    }
    return txn;
  }

  void FlushToLastFastLevel() {
    ASSERT_OK(db_->Flush(FlushOptions()));
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
  }
};

// The uncommitted version stays on the fast tier; the committed one moves down.
TEST_P(HotRapWritePreparedTest, CrossingBeforeTheEndOfATransaction) {
  Options options = CrossingOptions();
  options.two_write_queues = true;
  DestroyAndReopen(options);
  OpenTransactionDB(options);
  LoadFast();
  std::unique_ptr<Transaction> txn = Write(3);
  ASSERT_OK(txn->Prepare());
  FlushToLastFastLevel();
  const Snapshot* const before = db_->GetSnapshot();

  ASSERT_OK(Cross());
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ExpectVersion(2);
  ASSERT_OK(GetParam().commits ? txn->Commit() : txn->Rollback());
  txn.reset();
  const int version = GetParam().commits ? 3 : 2;
  ExpectVersion(version);
  ReadOptions at_snapshot;
  at_snapshot.snapshot = before;
  for (int i = 0; i < kCount; i++) {
    std::string value;
    ASSERT_OK(db_->Get(at_snapshot, Key(i), &value));
    EXPECT_EQ(Value(i, 2), value);
  }
  db_->ReleaseSnapshot(before);

  // The retained version is now committed or rolled back, and moves like any
  // other.
  ASSERT_OK(db_->Flush(FlushOptions()));
  ASSERT_OK(Cross());
  ExpectVersion(version);
  OpenTransactionDB(options);
  ExpectVersion(version);
  ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
  ExpectVersion(version);
}

// Reads through a commit cache admit nothing, so nothing they see is promoted.
// The crossing promotes nothing that is older than a prepared version.
TEST_P(HotRapWritePreparedTest, ReadsBesideAPreparedTransaction) {
  const Options options = CrossingOptions();
  DestroyAndReopen(options);
  OpenTransactionDB(options);
  LoadCovered();
  const std::unique_ptr<Transaction> txn = Write(2);
  ASSERT_OK(txn->Prepare());
  Touch(Keys(0, kCount));
  FlushToLastFastLevel();
  Touch(Keys(0, kCount));
  EXPECT_EQ(0u, Counter(HotRapCounter::kAdmissions));
  std::map<std::string, std::string> stats;
  ASSERT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
  EXPECT_NE(std::string::npos,
            stats["promotion_blocked_reason"].find("write-prepared"));

  ASSERT_OK(Cross());
  for (int i = 0; i < kCount; i++) {
    ExpectEverywhere(Key(i), Value(i, 1));
  }
  ASSERT_OK(GetParam().commits ? txn->Commit() : txn->Rollback());
  for (int i = 0; i < kCount; i++) {
    ExpectEverywhere(Key(i), Value(i, GetParam().commits ? 2 : 1));
  }
}

INSTANTIATE_TEST_CASE_P(
    Policies, HotRapWritePreparedTest,
    testing::Values(WritePreparedCase{WRITE_PREPARED, true},
                    WritePreparedCase{WRITE_PREPARED, false},
                    WritePreparedCase{WRITE_UNPREPARED, true},
                    WritePreparedCase{WRITE_UNPREPARED, false}));

}  // namespace ROCKSDB_NAMESPACE
