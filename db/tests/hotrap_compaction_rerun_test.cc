//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests compactions that promote while the slow tier changes. Changes elsewhere
// do not matter, however many there are. After a change below what it promotes,
// a compaction discards its output and runs again, unnoticed by its caller.

#include <atomic>
#include <functional>
#include <thread>

#include "plugin/hotrap/test_util/hotrap_pathway_test_base.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"
#include "rocksdb/sst_file_manager.h"
#include "rocksdb/sst_file_writer.h"

namespace ROCKSDB_NAMESPACE {

namespace {
enum class How { kCompactFiles, kCompactRange, kAutomatic };
constexpr How kAllWays[] = {How::kCompactFiles, How::kCompactRange,
                            How::kAutomatic};
}  // namespace

class HotRapCompactionRerunTest : public HotRapPathwayTestBase {
 public:
  HotRapCompactionRerunTest()
      : HotRapPathwayTestBase("hotrap_compaction_rerun_test") {}

  // Opens the DB, caches Key(3) to Key(6), and makes a compaction due that
  // takes them.
  void Prepare(Options options, How how) {
    if (how == How::kAutomatic) {
      options.disable_auto_compactions = false;
    }
    DestroyAndReopen(options);
    if (how == How::kAutomatic) {
      ASSERT_NO_FATAL_FAILURE(LoadToOverlap());
    } else {
      ASSERT_NO_FATAL_FAILURE(Load());
    }
    ASSERT_NO_FATAL_FAILURE(TouchIntoCache(Keys(3, 7)));
  }

  Status RunCompaction(How how) {
    if (how == How::kCompactFiles) {
      return Compact();
    }
    if (how == How::kCompactRange) {
      return db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    }
    const Status s = experimental::SuggestCompactRange(db_, /*begin=*/nullptr,
                                                       /*end=*/nullptr);
    return s.ok() ? db_->WaitForCompact(WaitForCompactOptions()) : s;
  }

  // Calls `change` when the compaction has taken the records and not written
  // anything yet.
  void Run(const Options& options, How how,
           const std::function<void()>& change) {
    ASSERT_NO_FATAL_FAILURE(Prepare(options, how));
    FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
    Status s;
    std::thread compaction([&] { s = RunCompaction(how); });
    EXPECT_TRUE(gate.WaitCaught());
    change();
    gate.Open();
    compaction.join();
    ASSERT_OK(s);
    WaitForRest();
  }

  // Changes more ranges than the invalidation ring holds.
  void IngestElsewhere() {
    constexpr int kIngestions = 34;
    constexpr int kFiles = 16;
    for (int i = 0; i < kIngestions; i++) {
      std::vector<std::string> tables;
      for (int j = 0; j < kFiles; j++) {
        tables.push_back(dbname_ + "/to_ingest." + std::to_string(j));
        SstFileWriter writer(EnvOptions(), CrossingOptions());
        ASSERT_OK(writer.Open(tables.back()));
        ASSERT_OK(writer.Put("z" + Key(i * kFiles + j), "x"));
        ASSERT_OK(writer.Finish());
      }
      IngestExternalFileOptions options;
      options.move_files = true;
      ASSERT_OK(db_->IngestExternalFile(tables, options));
    }
  }

  void DeleteFilesOf(const std::string& begin, const std::string& end) {
    const Slice begin_slice = begin;
    const Slice end_slice = end;
    EXPECT_OK(DeleteFilesInRange(db_, db_->DefaultColumnFamily(), &begin_slice,
                                 &end_slice));
  }
};

// ---- Elsewhere --------------------------------------------------------------

// For CompactFiles() see SafetyCompactionTest.SlowTierChangesElsewhere.
TEST_P(HotRapCompactionRerunTest, ManyIngestionsElsewhere) {
  for (const How how : {How::kCompactRange, How::kAutomatic}) {
    SCOPED_TRACE(static_cast<int>(how));
    Run(CrossingOptions(), how, [&] { IngestElsewhere(); });
    EXPECT_EQ(0, Counter(HotRapCounter::kCompactionReruns));
    EXPECT_EQ(4, Counter(HotRapCounter::kCompactionPromotedRecords));
    EXPECT_EQ("x", Get("z" + Key(0)));
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), Value(i, 1));
    }
  }
}

TEST_P(HotRapCompactionRerunTest, ManyIngestionsBesideAPromotionByFlush) {
  Options options = CrossingOptions();
  options.hotrap.promotion_cache_bytes = 16 << 10;
  KeepCompactionsOut(&options);
  DestroyAndReopen(options);
  WaitForRalt();
  ASSERT_NO_FATAL_FAILURE(LoadSlow(10));
  FileGate build(fs_.get(), FileOp::kCreate, kFastTable);
  ASSERT_NO_FATAL_FAILURE(PromoteUpTo(&build, Keys(3, 7)));
  IngestElsewhere();
  LetGo(&build);
  EXPECT_EQ(0, Counter(HotRapCounter::kDroppedInvalidated));
  for (const auto& key : Keys(3, 7)) {
    EXPECT_TRUE(AnsweredByFastTier(key));
  }
}

// ---- Below what it promotes -------------------------------------------------

// Nothing is paused, and nothing stays behind.
TEST_P(HotRapCompactionRerunTest, DeleteFilesInRanges) {
  for (const How how : kAllWays) {
    SCOPED_TRACE(static_cast<int>(how));
    std::set<std::string> gone;
    Run(CrossingOptions(), how, [&] {
      // Deletes all files that are not being compacted.
      DeleteFilesOf("a", "z");
      for (const auto& key : Keys(0, kCount)) {
        if (Get(key) == "NOT_FOUND") {
          gone.insert(key);
        }
      }
    });
    EXPECT_GT(gone.size(), 0);
    EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));
    EXPECT_EQ(0, TablesThatAreNotLive());
    const auto expect = [&] {
      for (int i = 0; i < kCount; i++) {
        ExpectEverywhere(Key(i),
                         gone.count(Key(i)) > 0 ? "NOT_FOUND" : Value(i, 1));
      }
    };
    expect();
    Reopen(CrossingOptions());
    expect();
  }
}

// A change makes each run stale, as long as the run takes records.
TEST_P(HotRapCompactionRerunTest, ItEnds) {
  class Overtaker : public EventListener {
   public:
    void OnTableFileCreated(const TableFileCreationInfo& info) override {
      if (info.reason == TableFileCreationReason::kCompaction && change &&
          info.file_path.find("/fast/") != std::string::npos) {
        change();
      }
    }
    std::function<void()> change;
  };
  for (const How how : {How::kCompactFiles, How::kAutomatic}) {
    SCOPED_TRACE(static_cast<int>(how));
    const auto listener = std::make_shared<Overtaker>();
    Options options = CrossingOptions();
    options.listeners.push_back(listener);
    ASSERT_NO_FATAL_FAILURE(Prepare(options, how));
    std::atomic<int> next{3};
    listener->change = [&] {
      const int i = next.fetch_add(1);
      if (i < 7) {
        ChangeSlowTier(i, i);
      }
    };
    ASSERT_OK(RunCompaction(how));
    WaitForRest();
    listener->change = nullptr;
    EXPECT_GE(Counter(HotRapCounter::kCompactionReruns), 2);
    if (how == How::kCompactFiles) {
      // The third run took nothing.
      EXPECT_EQ(2, Counter(HotRapCounter::kCompactionReruns));
      EXPECT_EQ(0, Counter(HotRapCounter::kCompactionPromotedRecords));
    }
    EXPECT_EQ(0, TablesThatAreNotLive());
    if (how == How::kAutomatic) {
      EXPECT_EQ(0, NumTableFilesAtLevel(FromLevel()));
    }
    ExpectCovered();
  }
}

// Listeners learn of all tables that are created and deleted, and of one
// compaction.
TEST_P(HotRapCompactionRerunTest, TheBooksAreRight) {
  class Bookkeeper : public EventListener {
   public:
    void OnTableFileCreated(const TableFileCreationInfo& info) override {
      std::lock_guard<std::mutex> lock(mutex);
      if (info.status.ok()) {
        tables.insert(info.file_path);
      }
    }
    void OnTableFileDeleted(const TableFileDeletionInfo& info) override {
      std::lock_guard<std::mutex> lock(mutex);
      EXPECT_EQ(1, tables.erase(info.file_path)) << info.file_path;
    }
    std::mutex mutex;
    std::set<std::string> tables;
  };
  const auto books = std::make_shared<Bookkeeper>();
  Options options = CrossingOptions();
  options.listeners.push_back(books);
  options.sst_file_manager.reset(NewSstFileManager(gated_env_.get()));
  ASSERT_NO_FATAL_FAILURE(Prepare(options, How::kCompactFiles));
  FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
  Status s;
  CompactionJobInfo info;
  std::thread compaction([&] {
    std::vector<std::string> inputs;
    for (const auto& file : FilesAtLevel(FromLevel())) {
      inputs.push_back(file.name);
    }
    s = db_->CompactFiles(CompactionOptions(), inputs, ToLevel(),
                          /*output_path_id=*/Crosses() ? 1 : 0,
                          /*output_file_names=*/nullptr, &info);
  });
  EXPECT_TRUE(gate.WaitCaught());
  ChangeSlowTier(5, 5);
  gate.Open();
  compaction.join();
  ASSERT_OK(s);
  EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));

  std::set<std::string> live;
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const auto& file : files) {
    live.insert(file.db_path + file.name);
  }
  EXPECT_EQ(live, books->tables);
  // The SstFileManager tracks files of the first path only.
  std::set<std::string> tracked;
  for (const auto& [name, bytes] :
       options.sst_file_manager->GetTrackedFiles()) {
    if (Slice(name).ends_with(".sst")) {
      tracked.insert(name);
    }
  }
  for (const auto& name : tracked) {
    EXPECT_EQ(1, live.count(name)) << name;
  }
  std::set<std::string> of_compaction(info.input_files.begin(),
                                      info.input_files.end());
  of_compaction.insert(info.output_files.begin(), info.output_files.end());
  for (const auto& [name, properties] : info.table_properties) {
    EXPECT_EQ(1, of_compaction.count(name)) << name;
  }
  // The cover and kCount keys; no record of the first run counts.
  EXPECT_EQ(kCount + 1, info.stats.num_input_records);
  EXPECT_EQ(kCount + 1 + 3, info.stats.num_output_records);
}

TEST_P(HotRapCompactionRerunTest, BlobFilesGoAsWell) {
  if (Crosses()) {
    return;  // not with blob files
  }
  const auto count_blobs = [&] {
    std::vector<std::string> names;
    EXPECT_OK(env_->GetChildren(FastPath(), &names));
    return std::count_if(names.begin(), names.end(), [](const auto& name) {
      return Slice(name).ends_with(".blob");
    });
  };
  ASSERT_NO_FATAL_FAILURE(Prepare(CrossingOptions(), How::kCompactFiles));
  ASSERT_OK(db_->SetOptions({{"enable_blob_files", "true"}}));
  FileGate gate(fs_.get(), FileOp::kCreate, kFastTable);
  Status s;
  std::thread compaction([&] { s = Compact(); });
  EXPECT_TRUE(gate.WaitCaught());
  ChangeSlowTier(5, 5);
  gate.Open();
  compaction.join();
  ASSERT_OK(s);
  EXPECT_EQ(1, Counter(HotRapCounter::kCompactionReruns));
  std::vector<LiveFileStorageInfo> live;
  ASSERT_OK(db_->GetLiveFilesStorageInfo(LiveFilesStorageInfoOptions(), &live));
  EXPECT_EQ(std::count_if(
                live.begin(), live.end(),
                [](const auto& file) { return file.file_type == kBlobFile; }),
            count_blobs());
  EXPECT_GT(count_blobs(), 0);
  ExpectCovered();
}

// Concurrent ingestions, deletions and compactions: each returns OK, what
// should stay stays, and what was deleted does not come back.
TEST_P(HotRapCompactionRerunTest, AllAtOnce) {
  Options options = CrossingOptions();
  options.disable_auto_compactions = false;
  DestroyAndReopen(options);
  ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
  WaitForRalt();
  constexpr int kKeep = 1000;  // keys from here on stay
  for (int round = 0; round < 4; round++) {
    const int begin = round * kCount;
    ASSERT_OK(PutVersion(db_, cf, begin, begin + kCount, 1));
    ASSERT_OK(PutVersion(db_, cf, kKeep, kKeep + kCount, 1));
    Status s = CompactAll(db_, cf, kFirstSlowLevel + 1, 4 << 10);
    ASSERT_TRUE(s.ok() || s.IsAborted() || s.IsInvalidArgument())
        << s.ToString();  // an automatic compaction has the files
    for (const auto& keys :
         {Keys(begin, begin + kCount), Keys(kKeep, kKeep + kCount)}) {
      ASSERT_NO_FATAL_FAILURE(MakeHot(keys));
      Touch(keys);
    }
    ASSERT_OK(Put("a", "cover"));
    ASSERT_OK(Put("y", "cover"));
    ASSERT_OK(Flush());
    std::atomic<bool> done{false};
    std::thread compactor([&] {
      EXPECT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
      done = true;
    });
    std::thread deleter([&] {
      for (int i = begin; i < begin + kCount; i += 4) {
        DeleteFilesOf(Key(i), Key(i + 8));
      }
    });
    std::set<std::string> gone;
    do {
      for (const auto& key : Keys(begin, begin + kCount)) {
        if (Get(key) == "NOT_FOUND") {
          gone.insert(key);
        } else {
          EXPECT_EQ(0, gone.count(key)) << key << " is back";
        }
      }
    } while (!done);
    deleter.join();
    compactor.join();
    WaitForRest();
    for (const auto& key : gone) {
      EXPECT_EQ("NOT_FOUND", Get(key));
    }
    for (int i = kKeep; i < kKeep + kCount; i++) {
      ExpectEverywhere(Key(i), Value(i, 1));
    }
    // The next flush deletes files that were in use.
    ASSERT_OK(Put("a", "cover"));
    ASSERT_OK(Flush());
    WaitForRest();
    EXPECT_EQ(0, TablesThatAreNotLive());
  }
}

INSTANTIATE_PATHWAYS(HotRapCompactionRerunTest);

}  // namespace ROCKSDB_NAMESPACE
