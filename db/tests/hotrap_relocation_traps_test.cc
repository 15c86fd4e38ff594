//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests events during the relocation of a table: reads, compactions, deletion
// and ingestion of files, faults, a close, a crash.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "file/filename.h"
#include "plugin/hotrap/test_util/hotrap_relocation_test_base.h"
#include "plugin/hotrap/test_util/path_faults.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"
#include "rocksdb/sst_file_writer.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// A nearly full disk.
class FullDisk : public FileSystemWrapper {
 public:
  explicit FullDisk(const std::shared_ptr<FileSystem>& target)
      : FileSystemWrapper(target) {}
  static const char* kClassName() { return "FullDisk"; }
  const char* Name() const override { return kClassName(); }
  IOStatus GetFreeSpace(const std::string& path, const IOOptions& options,
                        uint64_t* free_bytes, IODebugContext* dbg) override {
    const IOStatus s =
        FileSystemWrapper::GetFreeSpace(path, options, free_bytes, dbg);
    if (path.find("/fast") != std::string::npos) {
      *free_bytes = std::min(*free_bytes, left.load());
    }
    return s;
  }
  std::atomic<uint64_t> left{20 << 10};
};
}  // namespace

class HotRapRelocationTrapsTest : public HotRapRelocationTestBase {
 public:
  HotRapRelocationTrapsTest()
      : HotRapRelocationTestBase("hotrap_relocation_traps_test") {}
  ~HotRapRelocationTrapsTest() override { Close(); }

  Env* MakeEnv(const std::shared_ptr<FileSystem>& fs) {
    own_env_ = NewCompositeEnv(fs);
    return own_env_.get();
  }

  // Replaces all records, or those of a range that contains all.
  void IngestInsteadOf(const RangeOpt& range) {
    const std::string name = dbname_ + "/ingested.sst";
    SstFileWriter writer(EnvOptions(), db_->GetOptions());
    ASSERT_OK(writer.Open(name));
    ASSERT_OK(writer.Put(Key(5), "new"));
    ASSERT_OK(writer.Finish());
    IngestExternalFileArg arg;
    arg.column_family = db_->DefaultColumnFamily();
    arg.external_files = {name};
    arg.options.snapshot_consistency = false;
    arg.atomic_replace_range = range;
    ASSERT_OK(db_->IngestExternalFiles({arg}));
    ASSERT_EQ("new", Get(Key(5)));
    ASSERT_EQ("NOT_FOUND", Get(Key(6)));
    GoOnFast();
    // As in stock RocksDB, the next flush deletes what an ingestion replaced.
    ASSERT_OK(Put(Key(5), "newer"));
    ASSERT_OK(Flush());
    ExpectNoOrphans();
  }
  void CopyFolder(const std::string& from, const std::string& to) {
    ASSERT_OK(env_->CreateDirIfMissing(to));
    std::vector<std::string> children;
    ASSERT_OK(env_->GetChildren(from, &children));
    for (const std::string& child : children) {
      uint64_t number = 0;
      FileType type = kTempFile;
      if (ParseFileName(child, &number, &type) && type != kDBLockFile) {
        ASSERT_OK(CopyFile(env_->GetFileSystem().get(), from + "/" + child,
                           Temperature::kUnknown, to + "/" + child,
                           Temperature::kUnknown, 0, false, nullptr));
      }
    }
  }

 private:
  std::unique_ptr<Env> own_env_;
};

TEST_F(HotRapRelocationTrapsTest, SnapshotsAndIteratorsSeeTheSame) {
  DestroyAndReopen(RelocationOptions());
  Load();
  const Snapshot* const snapshot = db_->GetSnapshot();
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  ASSERT_OK(Put(Key(0), "new"));
  ASSERT_OK(Delete(Key(1)));
  ASSERT_NO_FATAL_FAILURE(BeginSlowly());
  ASSERT_EQ(ValueOf(0), Get(Key(0), snapshot));
  GoOnFast();
  int i = 0;
  for (; it->Valid(); it->Next(), i++) {
    ASSERT_EQ(Key(i), it->key().ToString());
    ASSERT_EQ(ValueOf(i), it->value().ToString());
  }
  ASSERT_OK(it->status());
  ASSERT_EQ(kKeys, i);
  it.reset();
  for (i = 0; i < kKeys; i++) {
    ASSERT_EQ(ValueOf(i), Get(Key(i), snapshot));
  }
  db_->ReleaseSnapshot(snapshot);
  ASSERT_EQ("new", Get(Key(0)));
  ASSERT_EQ("NOT_FOUND", Get(Key(1)));
  ExpectData(2);
}

TEST_F(HotRapRelocationTrapsTest, CloseDoesNotWaitForIt) {
  Options options = RelocationOptions();
  DestroyAndReopen(options);
  Load();
  ASSERT_NO_FATAL_FAILURE(BeginSlowly());
  // An hour per table.
  ASSERT_OK(Set("relocation_bytes_per_sec=20;"));
  Close();
  options.hotrap.relocation_bytes_per_sec = 0;
  Reopen(options);
  ExpectNoOrphans();
  ExpectData();
}

TEST_F(HotRapRelocationTrapsTest, KilledInTheMiddle) {
  Options options = RelocationOptions();
  DestroyAndReopen(options);
  Load();
  ASSERT_NO_FATAL_FAILURE(BeginSlowly());
  ASSERT_OK(Set("relocation_bytes_per_sec=20;"));
  // The files that a killed process leaves.
  const std::string copy = dbname_ + "/copy";
  ASSERT_OK(env_->CreateDirIfMissing(copy));
  ASSERT_NO_FATAL_FAILURE(CopyFolder(dbname_, copy + "/db"));
  ASSERT_NO_FATAL_FAILURE(CopyFolder(FastPath(), copy + "/fast"));
  ASSERT_NO_FATAL_FAILURE(CopyFolder(SlowPath(), copy + "/slow"));
  Close();
  for (int reopens = 0; reopens < 2; reopens++) {
    options.db_paths[0].path = copy + "/fast";
    options.db_paths[1].path = copy + "/slow";
    options.hotrap.relocation_bytes_per_sec = reopens * 1000000000;
    std::unique_ptr<DB> db;
    ASSERT_OK(DB::Open(options, copy + "/db", &db));
    std::vector<LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    size_t on_disk = 0;
    for (const std::string& path : {copy + "/fast", copy + "/slow"}) {
      std::vector<std::string> children;
      ASSERT_OK(env_->GetChildren(path, &children));
      for (const std::string& child : children) {
        on_disk += Slice(child).ends_with(".sst") ? 1 : 0;
      }
    }
    if (reopens == 0) {
      ASSERT_EQ(files.size(), on_disk);
    }
    std::string value;
    for (int i = 0; i < kKeys; i++) {
      ASSERT_OK(db->Get(ReadOptions(), Key(i), &value));
      ASSERT_EQ(ValueOf(i), value);
    }
  }
}

TEST_F(HotRapRelocationTrapsTest, CompactFilesGetsItsFiles) {
  DestroyAndReopen(RelocationOptions());
  Load();
  ASSERT_NO_FATAL_FAILURE(BeginSlowly());
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), db_->DefaultColumnFamily(),
                              AllFiles(db_, db_->DefaultColumnFamily()), 3));
  GoOnFast();
  ExpectNoOrphans();
  ExpectData();
}

TEST_F(HotRapRelocationTrapsTest, DeletedFilesAreAllDeleted) {
  DestroyAndReopen(RelocationOptions());
  Load();
  ASSERT_NO_FATAL_FAILURE(BeginSlowly());
  const RangeOpt all;
  ASSERT_OK(DeleteFilesInRanges(db_, db_->DefaultColumnFamily(), &all, 1));
  ASSERT_TRUE(AllFiles(db_, db_->DefaultColumnFamily()).empty());
  ASSERT_EQ("NOT_FOUND", Get(Key(5)));
  ASSERT_EQ(0, Stat("relocation_bytes_left"));
  ExpectNoOrphans();
}

TEST_F(HotRapRelocationTrapsTest, AnIngestionReplacesAllBesideIt) {
  ASSERT_NO_FATAL_FAILURE(BeginToMoveL0());
  IngestInsteadOf(RangeOpt());
}

TEST_F(HotRapRelocationTrapsTest, AnIngestionReplacesARangeBesideIt) {
  ASSERT_NO_FATAL_FAILURE(BeginToMoveL0());
  const std::string start = Key(0);
  const std::string limit = Key(20);
  IngestInsteadOf(RangeOpt(start, limit));
}

TEST_F(HotRapRelocationTrapsTest, L0IsPromotedBesideIt) {
  ASSERT_NO_FATAL_FAILURE(BeginToMoveL0());
  ASSERT_OK(
      experimental::PromoteL0(db_, db_->DefaultColumnFamily(), /*level=*/3));
  ASSERT_EQ(0, NumTableFilesAtLevel(0));
  ASSERT_EQ(1, NumTableFilesAtLevel(3));
  GoOnFast();
  ExpectNoOrphans();
  ExpectData(0, 10);
}

TEST_F(HotRapRelocationTrapsTest, LevelsAreChangedBesideIt) {
  DestroyAndReopen(RelocationOptions());
  Load();
  ASSERT_NO_FATAL_FAILURE(BeginSlowly());
  CompactRangeOptions compact_options;
  compact_options.change_level = true;
  compact_options.target_level = 1;
  ASSERT_OK(db_->CompactRange(compact_options, nullptr, nullptr));
  GoOnFast();
  ExpectNoOrphans();
  ExpectData();
}

// CompactRange passes over tables of the last level that are newer than the
// call, as a moved table is.
TEST_F(HotRapRelocationTrapsTest, AFilterSeesTheTableThatIsMoved) {
  class RemoveAll : public CompactionFilter {
   public:
    const char* Name() const override { return "RemoveAll"; }
    bool Filter(int, const Slice&, const Slice&, std::string*,
                bool*) const override {
      return removes.load();
    }
    std::atomic<bool> removes{false};
  };
  RemoveAll filter;
  for (const bool forced : {false, true}) {
    filter.removes.store(false);
    Options options = RelocationOptions();
    options.compaction_filter = &filter;
    DestroyAndReopen(options);
    Load();
    ASSERT_NO_FATAL_FAILURE(BeginSlowly());
    filter.removes.store(true);
    CompactRangeOptions compact_options;
    if (forced) {
      compact_options.bottommost_level_compaction =
          BottommostLevelCompaction::kForceOptimized;
    }
    ASSERT_OK(db_->CompactRange(compact_options, nullptr, nullptr));
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    EXPECT_FALSE(it->Valid());
    EXPECT_OK(it->status());
    it.reset();
    Close();
  }
}

TEST_F(HotRapRelocationTrapsTest, WritesAndCompactionsBesideIt) {
  DestroyAndReopen(RelocationOptions());
  Load();
  ASSERT_OK(Set("relocation_bytes_per_sec=2000000;"));
  for (int round = 0; round < 6; round++) {
    ASSERT_OK(SetBudget(round % 2 == 0 ? kLargeBudget : kSmallBudget));
    for (int i = 0; i < kKeys; i++) {
      ASSERT_OK(Put(Key(i), ValueOf(i)));
    }
    ASSERT_OK(Flush());
    if (round == 3) {
      ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    }
    ExpectData();
  }
  GoOnFast();
  ExpectData();
  ASSERT_OK(Put(Key(0), ValueOf(0)));
  ASSERT_OK(Flush());
  ExpectNoOrphans();
}

// Listeners learn of the start of each move, and exactly once of its end.
TEST_F(HotRapRelocationTrapsTest, ListenersAreTold) {
  class Listener : public EventListener {
   public:
    void OnTableFileCreationStarted(
        const TableFileCreationBriefInfo& info) override {
      std::lock_guard<std::mutex> lock(mutex);
      EXPECT_TRUE(begun.insert(info.file_path).second) << info.file_path;
    }
    void OnTableFileCreated(const TableFileCreationInfo& info) override {
      std::lock_guard<std::mutex> lock(mutex);
      EXPECT_EQ(1, begun.erase(info.file_path)) << info.file_path;
      if (info.status.ok()) {
        EXPECT_GT(info.table_properties.num_entries, 0);
        made.insert(info.file_path);
      } else {
        given_up++;
      }
    }
    std::mutex mutex;
    std::set<std::string> begun;
    std::set<std::string> made;
    int given_up = 0;
  };
  const auto listener = std::make_shared<Listener>();
  Options options = RelocationOptions();
  options.listeners = {listener};
  DestroyAndReopen(options);
  Load();
  ASSERT_NO_FATAL_FAILURE(BeginSlowly());
  Close();
  EXPECT_EQ(1, listener->given_up);
  Reopen(options);
  ASSERT_OK(SetBudget(kLargeBudget));
  GoOnFast();
  ASSERT_GT(Stat("relocation_tables_moved"), 0);
  const std::set<std::string> tables = TablesOfTheDB();
  Close();
  EXPECT_EQ(std::set<std::string>(), listener->begun);
  EXPECT_EQ(1, listener->given_up);
  for (const std::string& table : tables) {
    EXPECT_EQ(1, listener->made.count(table)) << table;
  }
}

// A copy that takes long keeps no other table, and no scan deletes it.
TEST_F(HotRapRelocationTrapsTest, ObsoleteTablesGoBesideACopy) {
  Options options = RelocationOptions();
  options.delete_obsolete_files_period_micros = 0;  // each time a full scan
  DestroyAndReopen(options);
  ASSERT_OK(Put(Key(0), ValueOf(0)));
  MoveAllTo(kFirstSlowLevel);
  ASSERT_OK(Set("relocation_bytes_per_sec=20;"));
  ASSERT_OK(SetBudget(kLargeBudget));
  WaitForACopy();
  // A compaction into L1, above the table that is being moved. (CompactFiles()
  // would take that table.)
  const int trigger = db_->GetOptions().level0_file_num_compaction_trigger;
  for (int i = 0; i < trigger; i++) {
    ASSERT_OK(Put(Key(0), ValueOf(0)));
    ASSERT_OK(
        Put(Key(1), ValueOf(1)));  // with one key it would be a trivial move
    ASSERT_OK(Flush());
  }
  for (int i = 0; i < 30000 && NumTableFilesAtLevel(0) > 0; i++) {
    env_->SleepForMicroseconds(1000);
  }
  ASSERT_EQ(0, NumTableFilesAtLevel(0));
  for (int i = 0;
       i < 10000 && TablesOnDisk().size() > TablesOfTheDB().size() + 1; i++) {
    env_->SleepForMicroseconds(1000);
  }
  ASSERT_EQ(TablesOnDisk().size(), TablesOfTheDB().size() + 1);
  ASSERT_TRUE(CopyIsThere());
  GoOnFast();
  ExpectNoOrphans();
}

TEST_F(HotRapRelocationTrapsTest, DroppedColumnFamily) {
  DestroyAndReopen(RelocationOptions());
  CreateColumnFamilies({"other"}, RelocationOptions());
  ColumnFamilyHandle* const cf = handles_[0];
  for (int i = 0; i < kKeys; i++) {
    ASSERT_OK(db_->Put(WriteOptions(), cf, Key(i), ValueOf(i)));
  }
  CompactToSlowTier(cf);
  ASSERT_OK(db_->SetOptions(
      cf, {{"hotrap",
            "{fast_budget_bytes=33554432;relocation_bytes_per_sec=40000;}"}}));
  for (int i = 0; i < 30000 && TablesOnDisk() == TablesOfTheDB(); i++) {
    env_->SleepForMicroseconds(1000);
  }
  ASSERT_OK(db_->DropColumnFamily(cf));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(cf));
  handles_.clear();
  ExpectNoOrphans();
}

TEST_F(HotRapRelocationTrapsTest, FastDiskHasNoRoom) {
  const auto fs = std::make_shared<FullDisk>(FileSystem::Default());
  Options options = RelocationOptions();
  options.env = MakeEnv(fs);
  DestroyAndReopen(options);
  Load();
  ASSERT_OK(SetBudget(kLargeBudget));
  env_->SleepForMicroseconds(100 * 1000);
  ASSERT_EQ(0, Stat("relocation_tables_moved"));
  fs->left.store(1ull << 40);
  ASSERT_OK(SetBudget(kLargeBudget + 1));
  WaitForRest();
  ExpectData();
}

TEST_F(HotRapRelocationTrapsTest, ReadsTellWhenThereIsRoom) {
  const auto fs = std::make_shared<FullDisk>(FileSystem::Default());
  Options options = RelocationOptions();
  options.env = MakeEnv(fs);
  DestroyAndReopen(options);
  Load();
  ASSERT_OK(SetBudget(kLargeBudget));
  env_->SleepForMicroseconds(100 * 1000);
  fs->left.store(1ull << 40);
  for (int i = 0; i < 10000 && Stat("relocation_bytes_left") > 0; i++) {
    ASSERT_EQ(ValueOf(i % kKeys), Get(Key(i % kKeys)));
    env_->SleepForMicroseconds(1000);
  }
  WaitForRest();
}

TEST_F(HotRapRelocationTrapsTest, FaultsOfTheFastDiskDoNotEndTheDB) {
  const auto fs = std::make_shared<PathFaults>(FileSystem::Default());
  Options options = RelocationOptions();
  options.env = MakeEnv(fs);
  options.hotrap.relocation_bytes_per_sec = 0;
  DestroyAndReopen(options);
  Load();
  PathFaults::Fault fault;
  fault.hits = [](const std::string& name) {
    return name.find("/fast/") != std::string::npos &&
           name.find(".sst") != std::string::npos;
  };
  fault.write = IOStatus::NoSpace("by test");
  fs->Begin(fault);
  ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
  ASSERT_OK(SetBudget(kLargeBudget));
  env_->SleepForMicroseconds(200 * 1000);
  ASSERT_EQ(0, Stat("relocation_tables_moved"));
  fs->End();
  ASSERT_OK(Put("key", "value"));
  ExpectData();
  ASSERT_OK(Flush());
  ExpectNoOrphans();
  Reopen(options);
  ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
  ASSERT_OK(SetBudget(kLargeBudget));
  WaitForRest();
  ExpectData();
}

TEST_F(HotRapRelocationTrapsTest, AMovedTableIsTheSame) {
  Options options = RelocationOptions();
  options.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  DestroyAndReopen(options);
  Load();
  std::vector<LiveFileMetaData> before;
  db_->GetLiveFilesMetaData(&before);
  ASSERT_OK(SetBudget(kLargeBudget));
  WaitForRest();
  std::vector<LiveFileMetaData> after;
  db_->GetLiveFilesMetaData(&after);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& old : before) {
    bool found = false;
    for (const auto& file : after) {
      if (file.smallestkey == old.smallestkey) {
        found = true;
        EXPECT_EQ(old.largestkey, file.largestkey);
        EXPECT_EQ(old.size, file.size);
        EXPECT_EQ(old.level, file.level);
        EXPECT_EQ(old.smallest_seqno, file.smallest_seqno);
        EXPECT_EQ(old.largest_seqno, file.largest_seqno);
        EXPECT_EQ(old.file_checksum, file.file_checksum);
        EXPECT_EQ(old.file_checksum_func_name, file.file_checksum_func_name);
        EXPECT_EQ(old.epoch_number, file.epoch_number);
        EXPECT_EQ(old.oldest_ancester_time, file.oldest_ancester_time);
        EXPECT_EQ(old.file_creation_time, file.file_creation_time);
        EXPECT_EQ(old.temperature, file.temperature);
        EXPECT_NE(old.name, file.name);
      }
    }
    EXPECT_TRUE(found) << old.smallestkey;
  }
  ASSERT_OK(db_->VerifyFileChecksums(ReadOptions()));
  ASSERT_OK(db_->VerifyChecksum());
}

}  // namespace ROCKSDB_NAMESPACE
