//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests changes that bypass the memtables, and writes that cover ranges,
// between the moment when a record enters the promotion cache and its
// promotion. After each, the DB must give the same answers as an untiered DB.

#include <atomic>
#include <functional>
#include <thread>

#include "db/db_impl/db_impl.h"
#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

// Where Key(3) to Key(6) are when the change happens.
enum class Stage {
  kCached,       // in the promotion cache
  kBeingBuilt,   // checked, and being written to the promoted file
  kBeforeQueue,  // ... while the MANIFEST is busy with the change
};

class SafetyIngestTest : public HotRapSafetyTestBase {
 public:
  SafetyIngestTest() : HotRapSafetyTestBase("safety_files_test") {}
  ~SafetyIngestTest() override {
    untiered_.reset();
    EXPECT_OK(DestroyDB(UntieredPath(), UntieredOptions()));
  }

  std::string UntieredPath() const { return dbname_ + "_untiered"; }

  Options FilesOptions() {
    Options options = TrapOptions();
    options.allow_ingest_behind = ingest_behind_;
    return options;
  }

  Options UntieredOptions() {
    Options options = FilesOptions();
    options.hotrap.enabled = false;
    options.db_paths = {{UntieredPath() + "/a", 1 << 20},
                        {UntieredPath() + "/b", 1ull << 40}};
    return options;
  }

  using Change = std::function<Status(DB*)>;

  Status Both(const Change& change) {
    Status s = change(db_);
    return s.ok() ? change(untiered_.get()) : s;
  }

  // Expects the untiered DB's answer for every key and kind of read.
  void ExpectSame() {
    std::vector<std::string> keys = Keys(0, 20);
    for (const auto& key : Fillers()) {
      keys.push_back(key);
    }
    const std::vector<std::string> found = MultiGet(keys);
    for (size_t i = 0; i < keys.size(); i++) {
      std::string expected;
      if (!untiered_->Get(ReadOptions(), keys[i], &expected).ok()) {
        expected = "NOT_FOUND";
      }
      ASSERT_EQ(expected, Get(keys[i])) << keys[i];
      ASSERT_EQ(expected, found[i]) << keys[i];
    }
    for (const bool backwards : {false, true}) {
      ASSERT_EQ(Scan(untiered_.get(), ReadOptions(), backwards),
                Scan(db_, ReadOptions(), backwards));
    }
  }

  void Open() {
    DestroyAndReopen(FilesOptions());
    ASSERT_OK(DestroyDB(UntieredPath(), UntieredOptions()));
    ASSERT_OK(DB::Open(UntieredOptions(), UntieredPath(), &untiered_));
  }

  // Writes keys [0, 20) and the fillers at version 1 into level 3, two records
  // per file.
  void LoadBoth() {
    ASSERT_OK(Both([](DB* db) {
      ColumnFamilyHandle* const cf = db->DefaultColumnFamily();
      Status s = PutVersion(db, cf, 0, 20, 1);
      if (s.ok()) {
        s = PutVersion(db, cf, kFillersBegin, kFillersEnd, 1);
      }
      return s.ok() ? CompactAll(db, cf, kFirstSlowLevel + 1, 2 << 10) : s;
    }));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, 20)));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  }

  // Adds a file to level 2 or, above that, to level 1, whose range covers all
  // keys but which holds none of them. Reads meet a slow level there, and
  // ingestion cannot go below it.
  void CoverAll() {
    ASSERT_OK(Both([](DB* db) {
      Status s = db->Put(WriteOptions(), "a", "cover");
      if (s.ok()) {
        s = db->Put(WriteOptions(), "z", "cover");
      }
      return s.ok() ? CompactToCover(db) : s;
    }));
  }
  static Status CompactToCover(DB* db) {
    Status s = db->Flush(FlushOptions());
    return s.ok()
               ? CompactLevel(db, db->DefaultColumnFamily(), 0, kFirstSlowLevel)
               : s;
  }

  // Writes Key(3) to Key(6) at `version` into the file for Ingest().
  Status WriteTableToIngest(int version) {
    SstFileWriter writer(EnvOptions(), FilesOptions());
    Status s = writer.Open(dbname_ + "/to_ingest.sst");
    for (int i = 3; i < 7 && s.ok(); i++) {
      s = writer.Put(Key(i), Value(i, version));
    }
    return s.ok() ? writer.Finish() : s;
  }
  Change Ingest(int version, const IngestExternalFileOptions& options = {}) {
    return [this, version, options](DB* db) {
      const Status s = WriteTableToIngest(version);
      return s.ok()
                 ? db->IngestExternalFile({dbname_ + "/to_ingest.sst"}, options)
                 : s;
    };
  }

 protected:
  std::unique_ptr<DB> untiered_;
  bool ingest_behind_ = false;
};

class SafetyFilesTest : public SafetyIngestTest,
                        public testing::WithParamInterface<Stage> {
 public:
  static constexpr int kRefillBegin = 2000;
  static constexpr int kRefillEnd = 2030;

  // Writes other keys into the slow tier.
  static Change Refill() {
    return [](DB* db) {
      ColumnFamilyHandle* const cf = db->DefaultColumnFamily();
      Status s = PutVersion(db, cf, kRefillBegin, kRefillEnd, 1);
      if (s.ok()) {
        s = db->Flush(FlushOptions());
      }
      return s.ok() ? CompactLevel(db, cf, 0, kFirstSlowLevel) : s;
    };
  }

  // Brings the keys to the stage, makes the change, and compares from there on
  // until all work has ended. `refill` refills a slow tier that the change has
  // emptied.
  void Run(const Change& change, const Change& refill = nullptr) {
    const std::vector<std::string> keys = Keys(3, 7);
    if (GetParam() == Stage::kCached) {
      Touch(keys);
      for (const auto& key : keys) {
        ASSERT_TRUE(InCache(key));
      }
      ASSERT_OK(Both(change));
    } else {
      FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
      ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, keys));
      if (GetParam() == Stage::kBeingBuilt) {
        ASSERT_OK(Both(change));
        ASSERT_NO_FATAL_FAILURE(ExpectSame());
        LetGo(&build);
      } else {
        FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
        Status s;
        std::thread changer([&] { s = change(db_); });
        EXPECT_TRUE(manifest.WaitCaught());
        // A promotion that did not wait for the queue would enter it, after its
        // last check, within this time.
        build.Open();
        env_->SleepForMicroseconds(300 * 1000);
        manifest.Open();
        changer.join();
        WaitForPromotionIdle();
        ASSERT_OK(s);
        ASSERT_OK(change(untiered_.get()));
      }
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame());
    std::vector<std::string> more;
    if (refill) {
      ASSERT_OK(Both(refill));
      more = Keys(kRefillBegin, kRefillEnd);
      ASSERT_NO_FATAL_FAILURE(MakeHot(more));
    }
    ASSERT_NO_FATAL_FAILURE(RunPromotion(more));
    ASSERT_NO_FATAL_FAILURE(ExpectSame());
    ASSERT_OK(Both([](DB* db) { return db->Flush(FlushOptions()); }));
    ASSERT_NO_FATAL_FAILURE(ExpectSame());
    Reopen(FilesOptions());
    ASSERT_NO_FATAL_FAILURE(ExpectSame());
    ASSERT_OK(Both([](DB* db) {
      CompactRangeOptions options;
      options.bottommost_level_compaction =
          BottommostLevelCompaction::kForceOptimized;
      return db->CompactRange(options, nullptr, nullptr);
    }));
    ASSERT_NO_FATAL_FAILURE(ExpectSame());
  }
};

TEST_P(SafetyFilesTest, DeleteRange) {
  if (GetParam() == Stage::kBeforeQueue) {
    GTEST_SKIP() << "writes no MANIFEST";
  }
  Open();
  LoadBoth();
  CoverAll();
  Run([](DB* db) { return db->DeleteRange(WriteOptions(), Key(4), Key(6)); });
}

TEST_P(SafetyFilesTest, DeleteRangeFlushed) {
  Open();
  LoadBoth();
  CoverAll();
  Run([](DB* db) {
    Status s = db->DeleteRange(WriteOptions(), Key(4), Key(6));
    return s.ok() ? db->Flush(FlushOptions()) : s;
  });
}

TEST_P(SafetyFilesTest, DeleteFilesInRange) {
  Open();
  LoadBoth();
  CoverAll();
  Run([](DB* db) {
    const std::string begin = Key(2);
    const std::string end = Key(9);
    const Slice begin_slice = begin;
    const Slice end_slice = end;
    return DeleteFilesInRange(db, db->DefaultColumnFamily(), &begin_slice,
                              &end_slice);
  });
}

// There is nothing between the file and the slow copy, so the file goes to the
// slow tier.
TEST_P(SafetyFilesTest, IngestIntoTheSlowTier) {
  Open();
  LoadBoth();
  Run(Ingest(2));
}

// Into the fast tier, where the promoted file would hide it.
TEST_P(SafetyFilesTest, IngestIntoTheFastTier) {
  Open();
  LoadBoth();
  CoverAll();
  Run(Ingest(2));
}

TEST_P(SafetyFilesTest, IngestBehind) {
  ingest_behind_ = true;
  Open();
  LoadBoth();
  IngestExternalFileOptions options;
  options.ingest_behind = true;
  Run(Ingest(0, options));
}

// All files of the slow tier are replaced by one, which is not a rewrite of
// them.
TEST_P(SafetyFilesTest, IngestInPlaceOfEverything) {
  Open();
  LoadBoth();
  const auto change = [this](DB* db) {
    IngestExternalFileArg arg;
    arg.column_family = db->DefaultColumnFamily();
    arg.external_files = {dbname_ + "/to_ingest.sst"};
    arg.options.snapshot_consistency = false;
    arg.atomic_replace_range = RangeOpt();
    const Status s = WriteTableToIngest(2);
    return s.ok() ? db->IngestExternalFiles({arg}) : s;
  };
  Run(change, Refill());
}

// The slow file moves up into level 1, where a tombstone can remove its keys
// without a crossing.
TEST_P(SafetyFilesTest, ChangeLevel) {
  if (GetParam() == Stage::kBeforeQueue) {
    GTEST_SKIP() << "the changes are several, the MANIFEST is not held up long";
  }
  Open();
  LoadBoth();
  const Change change = [](DB* db) {
    CompactRangeOptions options;
    options.change_level = true;
    options.target_level = 1;
    Status s = db->CompactRange(options, nullptr, nullptr);
    if (s.ok()) {
      s = db->DeleteRange(WriteOptions(), Key(4), Key(6));
    }
    if (s.ok()) {
      s = db->Delete(WriteOptions(), Key(3));
    }
    if (s.ok()) {
      s = db->Flush(FlushOptions());
    }
    return s.ok() ? CompactLevel(db, db->DefaultColumnFamily(), 0, 1) : s;
  };
  Run(change, Refill());
}

INSTANTIATE_TEST_SUITE_P(Stages, SafetyFilesTest,
                         testing::Values(Stage::kCached, Stage::kBeingBuilt,
                                         Stage::kBeforeQueue));

// The promotion has made its last check; the ingestion must not choose a level
// by a version without it.
TEST_F(SafetyIngestTest, IngestWhileThePromotionIsInstalled) {
  Open();
  LoadBoth();
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(3, 7)));
  // The ingestion has its file number and is copying the file.
  FileGate copy(fs_.get(), FileOp::kCreate, "/(fast|slow)/[0-9]+\\.sst$");
  IngestExternalFileOptions options;
  options.write_global_seqno = true;
  Status s;
  std::thread ingester([&] { s = Ingest(2, options)(db_); });
  EXPECT_TRUE(copy.WaitCaught());
  FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
  build.Open();
  EXPECT_TRUE(manifest.WaitCaught());
  // The file gets its sequence number after the level is chosen.
  FileGate level_chosen(fs_.get(), FileOp::kOpenToRewrite, "\\.sst$");
  copy.Open();
  EXPECT_FALSE(level_chosen.WaitCaught(std::chrono::milliseconds(500)));
  level_chosen.Open();
  manifest.Open();
  ingester.join();
  WaitForPromotionIdle();
  ASSERT_OK(s);
  ASSERT_GT(Counter(HotRapCounter::kPromotedRecords), 0);
  ASSERT_OK(Ingest(2, options)(untiered_.get()));
  ExpectSame();
  Reopen(FilesOptions());
  ExpectSame();
}

#ifndef NDEBUG
// An ingestion that waited for another column family's flush does not have the
// mutex back yet. No promotion may start to be installed at that point.
TEST_F(SafetyIngestTest, IngestIsAnnounced) {
  Open();
  LoadBoth();
  CreateColumnFamilies({"flushed"}, FilesOptions());
  ASSERT_OK(db_->Put(WriteOptions(), handles_[0], Key(5), "x"));
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(3, 7)));

  std::unique_ptr<FileGate> manifest;
  SyncPoint::GetInstance()->SetCallBack(
      "DBImpl::FlushMemTable:FlushMemTableFinished", [&](void* /*arg*/) {
        manifest =
            std::make_unique<FileGate>(fs_.get(), FileOp::kAppend, kManifest);
        build.Open();
        EXPECT_FALSE(manifest->WaitCaught(std::chrono::milliseconds(300)));
      });
  SyncPoint::GetInstance()->EnableProcessing();
  FileGate level_chosen(fs_.get(), FileOp::kOpenToRewrite, "\\.sst$");
  std::vector<IngestExternalFileArg> args(2);
  for (auto& arg : args) {
    arg.external_files = {dbname_ + "/to_ingest.sst"};
    arg.options.write_global_seqno = true;
  }
  args[0].column_family = db_->DefaultColumnFamily();
  args[1].column_family = handles_[0];
  ASSERT_OK(WriteTableToIngest(2));
  Status s;
  std::thread ingester([&] { s = db_->IngestExternalFiles(args); });
  EXPECT_TRUE(level_chosen.WaitCaught());
  level_chosen.Open();
  if (manifest != nullptr) {
    manifest->Open();
  }
  ingester.join();
  SyncPoint::GetInstance()->DisableProcessing();
  SyncPoint::GetInstance()->ClearAllCallBacks();
  WaitForPromotionIdle();
  ASSERT_OK(s);
  ASSERT_OK(Ingest(2)(untiered_.get()));
  ExpectSame();
}

// RocksDB leaves such a lag after a MANIFEST error from which it recovers by
// itself. Ingestions must not wait for that again and again.
TEST_F(SafetyIngestTest, IngestEndsALagThatNobodyElseEnds) {
  Open();
  LoadBoth();
  DBImpl* const db = Tier()->db();
  ColumnFamilyData* const cfd = Tier()->cfd();
  {
    InstrumentedMutexLock lock(db->mutex());
    VersionEdit edit;
    ASSERT_OK(db->GetVersionSet()->LogAndApply(
        cfd, ReadOptions(), WriteOptions(), &edit, db->mutex(), nullptr));
    ASSERT_NE(cfd->GetSuperVersion()->current, cfd->current());
  }
  ASSERT_OK(WriteTableToIngest(2));
  CreateColumnFamilies({"other"}, FilesOptions());
  ASSERT_OK(
      db_->IngestExternalFile(handles_[0], {dbname_ + "/to_ingest.sst"}, {}));
  InstrumentedMutexLock lock(db->mutex());
  EXPECT_EQ(cfd->GetSuperVersion()->current, cfd->current());
}

// Another column family's MANIFEST writer writes the edit of a compaction: its
// version is current, but its SuperVersion is not installed yet. This is a race
// in stock RocksDB; see docs/reliability.md.
TEST_F(SafetyIngestTest, IngestWaitsForTheSuperVersion) {
  Open();
  CreateColumnFamilies({"first", "second"}, FilesOptions());
  for (DB* db : {db_, untiered_.get()}) {
    ASSERT_OK(PutVersion(db, db->DefaultColumnFamily(), 0, 20, 1));
    ASSERT_OK(db->Flush(FlushOptions()));
  }
  for (ColumnFamilyHandle* cf : handles_) {
    ASSERT_OK(db_->Put(WriteOptions(), cf, Key(0), "x"));
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
  }
  ASSERT_OK(WriteTableToIngest(2));
  // RocksDB itself takes care of the first column family.
  std::vector<IngestExternalFileArg> args(2);
  for (auto& arg : args) {
    arg.external_files = {dbname_ + "/to_ingest.sst"};
  }
  args[0].column_family = handles_[0];
  args[1].column_family = db_->DefaultColumnFamily();
  std::atomic<int> queued{0};
  std::atomic<bool> ingested{false};
  Status ingest_status;
  std::thread ingester;
  SyncPoint::GetInstance()->SetCallBack(
      "VersionSet::LogAndApply:BeforeWriterWaiting",
      [&](void* /*arg*/) { queued++; });
  SyncPoint::GetInstance()->SetCallBack(
      "VersionSet::LogAndApply:WakeUpAndDone", [&](void* arg) {
        if (ingester.joinable()) {
          return;
        }
        auto* const mutex = static_cast<InstrumentedMutex*>(arg);
        mutex->Unlock();
        ingester = std::thread([&] {
          ingest_status = db_->IngestExternalFiles(args);
          ingested.store(true);
        });
        env_->SleepForMicroseconds(300000);
        EXPECT_FALSE(ingested.load());
        mutex->Lock();
      });
  SyncPoint::GetInstance()->EnableProcessing();
  const auto wait_until_queued = [&](int count) {
    while (queued.load() < count) {
      env_->SleepForMicroseconds(1000);
    }
  };

  FileGate manifest(fs_.get(), FileOp::kAppend, kManifest);
  Status status[3];
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&, i] {
      ColumnFamilyHandle* const cf =
          i < 2 ? handles_[i] : db_->DefaultColumnFamily();
      status[i] = CompactLevel(db_, cf, 0, 1);
    });
    // The first writer writes alone, the second one also what queues up after
    // it.
    wait_until_queued(i + 1);
  }
  manifest.Open();
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_TRUE(ingester.joinable());
  ingester.join();
  SyncPoint::GetInstance()->DisableProcessing();
  SyncPoint::GetInstance()->ClearAllCallBacks();
  for (const Status& s : status) {
    ASSERT_OK(s);
  }
  ASSERT_OK(ingest_status);
  ASSERT_OK(Ingest(2)(untiered_.get()));
  ExpectSame();
}
#endif

}  // namespace ROCKSDB_NAMESPACE
