//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests changes of the slow tier, the keys and the levels between the moment
// when a compaction takes records from the promotion cache and its
// installation. Also tests SingleDelete of promoted records.

#include <atomic>
#include <functional>
#include <thread>

#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "plugin/hotrap/test_util/hotrap_pathway_test_base.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {

class SafetyCompactionTest : public HotRapPathwayTestBase {
 public:
  SafetyCompactionTest() : HotRapPathwayTestBase("safety_compaction_test") {}

  // Opens, loads, and caches Key(3) to Key(6). Calls `change` when the
  // compaction has taken them and not written anything yet.
  void Run(const Options& options, const std::function<void()>& change) {
    DestroyAndReopen(options);
    ASSERT_NO_FATAL_FAILURE(Load());
    ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
    FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
    std::thread compaction([&] { status_ = Compact(); });
    EXPECT_TRUE(gate.WaitCaught());
    change();
    gate.Open();
    compaction.join();
  }

  // Runs `compact` as far as it gets while a table is ingested except for its
  // MANIFEST record.
  void IngestAsideOf(const std::function<Status()>& compact) {
    FileGate number(fs_.get(), FileOp::kAppend, kManifest);
    Status ingested;
    std::thread ingester(
        [&] { ingested = db_->IngestExternalFile({TablePath()}, {}); });
    // The ingestion first reserves a file number.
    EXPECT_TRUE(number.WaitCaught());
    FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
    number.Open();
    EXPECT_TRUE(manifest.WaitCaught());
    std::thread compaction([&] { status_ = compact(); });
    env_->SleepForMicroseconds(300 * 1000);
    manifest.Open();
    ingester.join();
    compaction.join();
    ASSERT_OK(ingested);
    ASSERT_OK(status_);
    ASSERT_OK(db_->SetOptions({{"disable_auto_compactions", "true"}}));
    WaitForRest();
    ExpectToTheEnd(CrossingOptions(), [&] {
      for (int i = 0; i < kCount; i++) {
        ExpectEverywhere(Key(i), Value(i, i >= 3 && i < 6 ? 2 : 1));
      }
    });
  }

  // Expects the same wherever the records move from here.
  void ExpectToTheEnd(const Options& options,
                      const std::function<void()>& expect) {
    expect();
    ASSERT_OK(Flush());
    expect();
    // Repeat if it did not run.
    if (NumTableFilesAtLevel(FromLevel()) > 0) {
      ASSERT_OK(Compact());
    }
    expect();
    Reopen(options);
    expect();
    if (NumTableFilesAtLevel(kLastFastLevel) > 0) {
      ASSERT_OK(Cross());
    }
    expect();
    if (NumTableFilesAtLevel(kFirstSlowLevel + 2) > 0) {
      return;  // ingested behind: nothing may be compacted into that level
    }
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
    expect();
  }

  // Deletes the files that Load() put into the slow tier, and returns the
  // deleted keys.
  void DeleteCovered(std::set<std::string>* gone) {
    const std::string begin = Key(0);
    const std::string end = Key(kCount);
    const Slice begin_slice = begin;
    const Slice end_slice = end;
    EXPECT_OK(DeleteFilesInRange(db_, db_->DefaultColumnFamily(), &begin_slice,
                                 &end_slice));
    for (const auto& key : Keys(0, kCount)) {
      if (Get(key) == "NOT_FOUND") {
        gone->insert(key);
      }
    }
  }

  void ExpectGone(const std::set<std::string>& gone) {
    EXPECT_GT(gone.size(), 0);
    ExpectToTheEnd(CrossingOptions(), [&] {
      for (int i = 0; i < kCount; i++) {
        ExpectEverywhere(Key(i),
                         gone.count(Key(i)) > 0 ? "NOT_FOUND" : Value(i, 1));
      }
    });
  }

  Status WriteTable(int begin, int end, int version) {
    SstFileWriter writer(EnvOptions(), CrossingOptions());
    Status s = writer.Open(TablePath());
    for (int i = begin; i < end && s.ok(); i++) {
      s = writer.Put(Key(i), Value(i, version));
    }
    return s.ok() ? writer.Finish() : s;
  }
  std::string TablePath() const { return dbname_ + "/to_ingest.sst"; }

 protected:
  Status status_;  // result of the compaction
  std::thread release_;
};

// ---- The slow tier changes below it -----------------------------------------

// The files may be deleted at once, but deleted keys must not come back.
TEST_P(SafetyCompactionTest, DeleteFilesInRange) {
  std::set<std::string> gone;
  Run(CrossingOptions(), [&] { DeleteCovered(&gone); });
  ASSERT_OK(status_);
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));
  ExpectGone(gone);
}

// The deletion has chosen its files but is not installed when the compaction
// makes its last check.
TEST_P(SafetyCompactionTest, DeleteFilesInRangeAtTheLastLook) {
  std::set<std::string> gone;
  std::thread deleter;
  std::unique_ptr<FileGate> manifest;
  Run(CrossingOptions(), [&] {
    manifest =
        std::make_unique<FileGate>(fs_.get(), FileOp::kAppend, kManifest);
    deleter = std::thread([&] { DeleteCovered(&gone); });
    EXPECT_TRUE(manifest->WaitCaught());
    release_ = std::thread([&] {
      // Time for the check.
      env_->SleepForMicroseconds(300 * 1000);
      manifest->Open();
    });
  });
  release_.join();
  deleter.join();
  ASSERT_OK(status_);
  EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));
  ExpectGone(gone);
}

// The compaction has made its last check but is not installed. The deletion
// follows it in the MANIFEST, and promoted records stay.
TEST_P(SafetyCompactionTest, DeleteFilesInRangeWhileItIsInstalled) {
  DestroyAndReopen(CrossingOptions());
  ASSERT_NO_FATAL_FAILURE(Load());
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  std::set<std::string> gone;
  std::atomic<bool> returned{false};
  std::thread deleter;
  {
    FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
    std::thread compaction([&] { status_ = Compact(); });
    EXPECT_TRUE(manifest.WaitCaught());
    deleter = std::thread([&] {
      DeleteCovered(&gone);
      returned = true;
    });
    // Give it time to show that it waits.
    env_->SleepForMicroseconds(300 * 1000);
    EXPECT_FALSE(returned);
    manifest.Open();
    compaction.join();
  }
  deleter.join();
  ASSERT_OK(status_);
  // Records promoted into a file of their own were deleted with it.
  EXPECT_GE(gone.size(), kCount - 4);
  EXPECT_EQ(4, Counter(HotRapCounter::kCompactionPromotedRecords));
  ExpectGone(gone);
}

// A change of the slow tier that bypasses all waiting is found by the last
// check, and records that are not stale are still promoted.
TEST_P(SafetyCompactionTest, SlowTierChangesPastTheGuard) {
  Run(CrossingOptions(), [&] { ChangeSlowTier(5, 5); });
  ASSERT_OK(status_);
  const std::set<std::string> promoted = {Key(3), Key(4), Key(6)};
  EXPECT_EQ(promoted, Promoted());
  EXPECT_EQ(3, Counter(HotRapCounter::kCompactionPromotedRecords));
  EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));
  EXPECT_EQ(0, TablesThatAreNotLive());
  EXPECT_FALSE(InCache(Key(5)));
  ExpectCovered();
}

// An ingestion has chosen its level, but is not installed when an automatic
// compaction is picked and installed. (CompactFiles() would wait.)
TEST_P(SafetyCompactionTest, IngestionOnItsWay) {
  Options options = CrossingOptions();
  options.disable_auto_compactions = false;
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(LoadToOverlap());
  // The ingestion goes to a level that the compaction does not write to.
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1,
                         kFirstSlowLevel + 2));
  ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  ASSERT_OK(WriteTable(3, 6, 2));
  IngestAsideOf([&] {
    const Status s =
        experimental::SuggestCompactRange(db_, /*begin=*/nullptr, nullptr);
    return s.ok() ? db_->WaitForCompact(WaitForCompactOptions()) : s;
  });
}

// A CompactFiles() over several levels would lift older data above an ingested
// file that is not installed yet.
TEST_P(SafetyCompactionTest, IngestionOnItsWayBetweenTheLevels) {
  DestroyAndReopen(CrossingOptions());
  ASSERT_NO_FATAL_FAILURE(Load());
  ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1,
                         kFirstSlowLevel + 2));
  ASSERT_OK(WriteTable(3, 6, 2));
  IngestAsideOf([&] {
    return CompactLevel(db_, db_->DefaultColumnFamily(), FromLevel(),
                        kFirstSlowLevel + 2);
  });
}

// An ingestion that flushes first waits for listeners of the flush, so a
// listener must not wait for the ingestion. Without the guard this hangs.
TEST_P(SafetyCompactionTest, CompactFilesInTheFlushOfAnIngestion) {
  class Listener : public EventListener {
   public:
    void OnFlushCompleted(DB* db, const FlushJobInfo& /*info*/) override {
      if (armed.exchange(false)) {
        status = CompactLevel(db, db->DefaultColumnFamily(),
                              kFirstSlowLevel + 1, kFirstSlowLevel + 2);
      }
    }
    std::atomic<bool> armed{false};
    Status status;
  };
  const auto listener = std::make_shared<Listener>();
  Options options = CrossingOptions();
  options.listeners.push_back(listener);
  DestroyAndReopen(options);
  ASSERT_NO_FATAL_FAILURE(Load());
  ASSERT_OK(Put(Key(3), Value(3, 1)));
  ASSERT_OK(WriteTable(3, 6, 2));
  listener->armed = true;
  ASSERT_OK(db_->IngestExternalFile({TablePath()}, {}));
  // The ingestion does not wait until the flush's thread has ended.
  WaitForRest();
  ASSERT_OK(listener->status);
  EXPECT_EQ(1, NumTableFilesAtLevel(kFirstSlowLevel + 2));
  for (int i = 0; i < kCount; i++) {
    ExpectEverywhere(Key(i), Value(i, i >= 3 && i < 6 ? 2 : 1));
  }
}

// Tables ingested into an empty DB have sequence number 0, and so do the first
// reads. No later write may be mistaken for equally old.
TEST_P(SafetyCompactionTest, ReadBeforeTheFirstWrite) {
  for (const bool range : {false, true}) {
    SCOPED_TRACE(range);
    DestroyAndReopen(CrossingOptions());
    WaitForRalt();
    ASSERT_OK(WriteTable(0, kCount, 1));
    ASSERT_OK(db_->IngestExternalFile({TablePath()}, {}));
    ASSERT_EQ(0, db_->GetLatestSequenceNumber());
    ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
    // The table is on the first path.
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 2));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount)));
    Touch(Keys(3, 7));
    if (range) {
      ASSERT_OK(db_->DeleteRange(WriteOptions(), cf, Key(3), Key(6)));
    } else {
      ASSERT_OK(Put(Key(3), Value(3, 2)));
    }
    ASSERT_EQ(1, db_->GetLatestSequenceNumber());
    ASSERT_OK(Put("a", "cover"));
    ASSERT_OK(Put("z", "cover"));
    ASSERT_NO_FATAL_FAILURE(MakeInput());
    ASSERT_OK(Compact());
    const auto expect = [&] {
      for (int i = 0; i < kCount; i++) {
        ExpectEverywhere(Key(i), range && i >= 3 && i < 6
                                     ? "NOT_FOUND"
                                     : Value(i, !range && i == 3 ? 2 : 1));
      }
    };
    expect();
    Reopen(CrossingOptions());
    expect();
  }
}

// Changes beside the records do not matter, however many there are.
TEST_P(SafetyCompactionTest, SlowTierChangesElsewhere) {
  Run(CrossingOptions(), [&] {
    for (int i = 0; i < 1000; i++) {
      ChangeSlowTier(7, 9);
    }
  });
  ASSERT_OK(status_);
  EXPECT_EQ(AsSet(Keys(3, 7)), Promoted());
  EXPECT_EQ(0, Counter(HotRapCounter::kCompactionReruns));
  ExpectCovered();
}

// Ingests files on both sides of the compaction's range at once.
TEST_P(SafetyCompactionTest, IngestAround) {
  Run(CrossingOptions(), [&] {
    std::vector<std::string> tables;
    for (const std::string key : {"A", "z"}) {
      tables.push_back(TablePath() + key);
      SstFileWriter writer(EnvOptions(), CrossingOptions());
      ASSERT_OK(writer.Open(tables.back()));
      ASSERT_OK(writer.Put(key, "x"));
      ASSERT_OK(writer.Finish());
    }
    ASSERT_OK(db_->IngestExternalFile(tables, {}));
  });
  ASSERT_OK(status_);
  EXPECT_EQ(AsSet(Keys(3, 7)), Promoted());
  EXPECT_EQ("x", Get("A"));
  EXPECT_EQ("x", Get("z"));
}

TEST_P(SafetyCompactionTest, Ingest) {
  Run(CrossingOptions(), [&] {
    ASSERT_OK(WriteTable(3, 6, 2));
    ASSERT_OK(db_->IngestExternalFile({TablePath()}, {}));
  });
  ExpectToTheEnd(CrossingOptions(), [&] {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), Value(i, i >= 3 && i < 6 ? 2 : 1));
    }
    ExpectScans(CoveredKeys());
  });
}

TEST_P(SafetyCompactionTest, IngestBehind) {
  Options options = CrossingOptions();
  options.allow_ingest_behind = true;
  Run(options, [&] {
    ASSERT_OK(WriteTable(3, 6, 0));
    IngestExternalFileOptions ingestion;
    ingestion.ingest_behind = true;
    ASSERT_OK(db_->IngestExternalFile({TablePath()}, ingestion));
  });
  ExpectToTheEnd(options, [&] { ExpectCovered(); });
}

// An ingestion that replaces everything waits for the compaction, or is
// refused.
TEST_P(SafetyCompactionTest, IngestInPlaceOfEverything) {
  Status ingested;
  std::thread ingester;
  Run(CrossingOptions(), [&] {
    ASSERT_OK(WriteTable(3, 6, 2));
    ingester = std::thread([&] {
      IngestExternalFileArg arg;
      arg.column_family = db_->DefaultColumnFamily();
      arg.external_files = {TablePath()};
      arg.options.snapshot_consistency = false;
      arg.atomic_replace_range = RangeOpt();
      ingested = db_->IngestExternalFiles({arg});
    });
    env_->SleepForMicroseconds(100 * 1000);
  });
  ingester.join();
  const auto expect = [&] {
    if (!ingested.ok()) {
      ExpectCovered();
      return;
    }
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), i >= 3 && i < 6 ? Value(i, 2) : "NOT_FOUND");
    }
    ExpectScans(Keys(3, 6));
  };
  ExpectToTheEnd(CrossingOptions(), expect);
}

TEST_P(SafetyCompactionTest, ChangeLevel) {
  Status changed;
  std::thread changer;
  Run(CrossingOptions(), [&] {
    changer = std::thread([&] {
      CompactRangeOptions options;
      options.change_level = true;
      options.target_level = 1;
      changed = db_->CompactRange(options, nullptr, nullptr);
    });
    env_->SleepForMicroseconds(100 * 1000);
  });
  changer.join();
  // Refused if the compaction has filled a level in between.
  changed.PermitUncheckedError();
  ASSERT_OK(Delete(Key(3)));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(4), Key(6)));
  ExpectToTheEnd(CrossingOptions(), [&] {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), i >= 3 && i < 6 ? "NOT_FOUND" : Value(i, 1));
    }
  });
}

// ---- The keys change above it -----------------------------------------------

TEST_P(SafetyCompactionTest, Writes) {
  for (const bool flushed : {false, true}) {
    Run(CrossingOptions(), [&] {
      ASSERT_OK(Put(Key(3), Value(3, 2)));
      ASSERT_OK(Delete(Key(4)));
      ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(5), Key(7)));
      if (flushed) {
        // The gate has caught one operation and lets the others pass.
        ASSERT_OK(Flush());
      }
    });
    ASSERT_OK(status_);
    EXPECT_EQ(4, Counter(HotRapCounter::kCompactionPromotedRecords));
    ExpectToTheEnd(CrossingOptions(), [&] {
      for (int i = 0; i < kCount; i++) {
        ExpectEverywhere(Key(i), i == 3            ? Value(i, 2)
                                 : i >= 4 && i < 7 ? "NOT_FOUND"
                                                   : Value(i, 1));
      }
    });
  }
}

// ---- SingleDelete must not remove only the copy ---------------------------

class SafetyCopyTest : public SafetyCompactionTest {
 public:
  // Expects that every kind of read finds no Key(3).
  void ExpectSingleDeleted() {
    ExpectEverywhere(Key(3), "NOT_FOUND");
    const std::vector<std::string> keys = Scan(db_, ReadOptions());
    EXPECT_EQ(0, std::count(keys.begin(), keys.end(), Key(3)));
    ExpectEverywhere(Key(4), Value(4, 1));
  }
};

TEST_P(SafetyCopyTest, SingleDeleteAfterPromotion) {
  const Options options = CrossingOptions();
  for (const bool in_transaction : {false, true}) {
    DestroyAndReopen(options);
    Load();
    ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
    ASSERT_OK(Compact());
    ASSERT_EQ(AsSet(Keys(3, 7)), Promoted());
    if (in_transaction) {
      Close();
      TransactionDB* txn_db = nullptr;
      ASSERT_OK(TransactionDB::Open(options, TransactionDBOptions(), dbname_,
                                    &txn_db));
      std::unique_ptr<Transaction> txn(
          txn_db->BeginTransaction(WriteOptions(), TransactionOptions()));
      ASSERT_OK(txn->SingleDelete(Key(3)));
      ASSERT_OK(txn->Commit());
      txn.reset();
      delete txn_db;
      Reopen(options);
    } else {
      ASSERT_OK(SingleDelete(Key(3)));
    }
    ExpectSingleDeleted();
    ASSERT_OK(Flush());
    ExpectSingleDeleted();
    // The SingleDelete meets the copy; the original is not among the inputs.
    ASSERT_OK(CompactLevel(db_, db_->DefaultColumnFamily(), 0, kLastFastLevel));
    ExpectSingleDeleted();
    Reopen(options);
    ExpectSingleDeleted();
    ASSERT_OK(Cross());
    ExpectSingleDeleted();
    ASSERT_OK(CompactAll(db_, db_->DefaultColumnFamily(), kFirstSlowLevel + 1));
    ExpectSingleDeleted();
    Reopen(options);
    ExpectSingleDeleted();
  }
}

INSTANTIATE_PATHWAYS(SafetyCompactionTest);
INSTANTIATE_PATHWAYS(SafetyCopyTest);

}  // namespace ROCKSDB_NAMESPACE
