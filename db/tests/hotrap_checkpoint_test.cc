//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that a checkpoint of a DB over several paths is a whole DB, with its
// tables on the disks that they were on and with its hot set, for whoever opens
// it.

#include <atomic>
#include <thread>

#include "db/column_family.h"
#include "plugin/hotrap/db/backup/checkpoint_source.h"
#include "plugin/hotrap/test_util/copied_db_test_base.h"
#include "plugin/hotrap/test_util/dying_file_system.h"
#include "rocksdb/env_encryption.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class HotRapCheckpointTest : public CopiedDBTestBase {
 public:
  HotRapCheckpointTest() : CopiedDBTestBase("hotrap_checkpoint_test") {}

  // Options by which a copy that has its tables in one folder is opened.
  Options TwoPathsOfCopy() {
    return OptionsFor({Copy(), Folder("slow_of_copy")});
  }
  bool IsLink(const std::string& from, const std::string& to) {
    bool same = false;
    EXPECT_OK(fs_->AreFilesSame(from, to, IOOptions(), &same, nullptr));
    return same;
  }
};

// ---- Where the tables are ---------------------------------------------------

TEST_F(HotRapCheckpointTest, OneFolderWithoutARoot) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  Fill();
  const size_t num_tables = Tables(Fast()).size() + Tables(Slow()).size();
  ASSERT_OK(TakeCheckpoint());
  EXPECT_EQ(kNumKeys, NumFound());
  const std::vector<std::string> slow = Tables(Slow());
  ASSERT_FALSE(slow.empty());
  for (const std::string& name : slow) {
    EXPECT_TRUE(IsLink(Slow() + "/" + name, Copy() + "/" + name));
  }
  // The flush has made one more.
  EXPECT_EQ(num_tables + 1, Tables(Copy()).size());
  EXPECT_FALSE(Exists(PathsFile::FileName(Copy())));
  ExpectWhole(Plain(), Copy());
  ExpectWhole(TwoPathsOfCopy(), Copy());
  ASSERT_OK(OpenReadOnly(Plain(), Copy()));
  EXPECT_EQ(kNumKeys, NumFound());
  ExpectWhole(TwoPaths(), Fast());
}

TEST_F(HotRapCheckpointTest, FoldersBelowTheRoots) {
  for (const bool slow : {true, false}) {
    const Options rooted = slow ? SlowRoot() : FastRoot();
    const std::string fast_copy = slow ? Copy() : Below(Nvme(), Copy());
    const std::string slow_copy = slow ? SlowOfCopy() : Copy();
    MakeHotDB(rooted);
    ASSERT_OK(TakeCheckpoint());
    EXPECT_EQ(0, NumLinkFolders(PathsOf(db_)[0]));
    EXPECT_GT(NumTables(fast_copy), 0);
    EXPECT_GT(NumTables(slow_copy), 0);
    EXPECT_EQ(0, NumTemporary(Copy()));
    EXPECT_TRUE(HasRalt(fast_copy));
    // A second one beside it, and none of the same name.
    ASSERT_OK(TakeCheckpoint(db_, Folder("second")));
    EXPECT_TRUE(TakeCheckpoint().IsInvalidArgument());
    Close();
    for (const std::string& name : {Db(), Below(Hdd(), Db())}) {
      std::filesystem::remove_all(name);
    }
    std::filesystem::remove_all(Below(Nvme(), Db()));
    for (const std::string& copy : {Copy(), Folder("second")}) {
      ASSERT_OK(OpenReadOnly(Plain(), copy));
      EXPECT_EQ(kNumKeys, NumFound());
      ASSERT_OK(OpenAsSecondary(Plain(), copy));
      EXPECT_EQ(kNumKeys, NumFound());
      ASSERT_OK(Open(rooted, copy));
      EXPECT_EQ(kNumKeys, NumFound());
      EXPECT_EQ(kNumHot, NumHot());
      EXPECT_EQ("1", Stat("active")) << Stat("inactive_reason");
      ExpectWhole(Plain(), copy);
      Close();
      ASSERT_OK(DestroyDB(copy, Plain()));
      EXPECT_FALSE(Exists(copy));
    }
    EXPECT_FALSE(Exists(SlowOfCopy()));
    EXPECT_FALSE(Exists(Below(Nvme(), Copy())));
  }
}

// The DB's paths say which root has made them.
TEST_F(HotRapCheckpointTest, OpenedWithoutTheString) {
  for (const bool slow : {true, false}) {
    MakeDB(slow ? SlowRoot() : FastRoot());
    ASSERT_OK(Open(Plain(), Db()));
    ASSERT_OK(TakeCheckpoint());
    EXPECT_GT(NumTables(slow ? Copy() : Below(Nvme(), Copy())), 0);
    EXPECT_GT(NumTables(slow ? SlowOfCopy() : Copy()), 0);
    ExpectWhole(Plain(), Copy());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
    ASSERT_OK(DestroyDB(Db(), Plain()));
  }
}

TEST_F(HotRapCheckpointTest, ARootOfItsOwn) {
  ASSERT_OK(env_->CreateDir(Folder("backup_disk")));
  Options options = TwoPaths();
  options.hotrap.checkpoint_slow_root = Folder("backup_disk");
  ASSERT_OK(Open(options, Fast()));
  Fill();
  ASSERT_OK(TakeCheckpoint());
  EXPECT_GT(NumTables(Below(Folder("backup_disk"), Copy())), 0);
  ExpectWhole(Plain(), Copy());
  Close();
  ASSERT_OK(DestroyDB(Copy(), Plain()));
  // A disk that is not there.
  ASSERT_OK(Open(options, Fast()));
  Move(Folder("backup_disk"), Folder("away"));
  const Status s = TakeCheckpoint();
  EXPECT_TRUE(Says(s, "slow_root")) << s.ToString();
  EXPECT_FALSE(Exists(Copy()));
  EXPECT_FALSE(Exists(Copy() + ".tmp"));
}

// Tables of another disk are copied, and those of the same are linked
// nevertheless.
TEST_F(HotRapCheckpointTest, LinksWhereTheyCanBe) {
  class TwoDisks : public FileSystemWrapper {
   public:
    explicit TwoDisks(const std::string& other)
        : FileSystemWrapper(FileSystem::Default()), other_(other) {}
    const char* Name() const override { return "TwoDisks"; }
    IOStatus LinkFile(const std::string& from, const std::string& to,
                      const IOOptions& options, IODebugContext* dbg) override {
      return Slice(from).starts_with(other_) == Slice(to).starts_with(other_)
                 ? target()->LinkFile(from, to, options, dbg)
                 : IOStatus::NotSupported("No cross FS links allowed");
    }

   private:
    const std::string other_;
  };
  // A checkpoint has the tables of the fast levels first.
  for (const std::string& elsewhere : {Slow(), Fast()}) {
    const std::unique_ptr<Env> env(
        NewCompositeEnv(std::make_shared<TwoDisks>(elsewhere)));
    Options options = TwoPaths();
    options.env = env.get();
    ASSERT_OK(Open(options, Fast()));
    Fill();
    ASSERT_OK(TakeCheckpoint());
    for (const std::string& path : {Fast(), Slow()}) {
      ASSERT_FALSE(Tables(path).empty());
      for (const std::string& name : Tables(path)) {
        EXPECT_EQ(path != elsewhere,
                  IsLink(path + "/" + name, Copy() + "/" + name))
            << path << " " << name;
      }
    }
    Close();
    ExpectWhole(Plain(), Copy());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
    ASSERT_OK(DestroyDB(Fast(), options));
  }
}

TEST_F(HotRapCheckpointTest, NotOverTablesOfOthers) {
  MakeHotDB(SlowRoot());
  ASSERT_OK(env_->CreateDirIfMissing(Folder("x")));
  std::filesystem::create_directories(SlowOfCopy());
  ASSERT_OK(WriteStringToFile(env_, "theirs", SlowOfCopy() + "/000001.sst"));
  const Status s = TakeCheckpoint();
  EXPECT_TRUE(s.IsInvalidArgument() || s.IsIOError()) << s.ToString();
  EXPECT_TRUE(Says(s, SlowOfCopy())) << s.ToString();
  EXPECT_EQ(1, NumTables(SlowOfCopy()));
  EXPECT_FALSE(Exists(Copy()));
  EXPECT_FALSE(Exists(Copy() + ".tmp"));
}

// Below the root is another DB's own folder, all of which is in its WAL.
TEST_F(HotRapCheckpointTest, NotIntoAnotherDB) {
  std::filesystem::create_directories(SlowOfCopy());
  ASSERT_OK(Open(Plain(), SlowOfCopy()));
  ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
  MakeHotDB(SlowRoot());
  const Status s = TakeCheckpoint();
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(Says(s, SlowOfCopy())) << s.ToString();
  EXPECT_EQ(0, NumTables(SlowOfCopy()));
  EXPECT_FALSE(Exists(Copy()));
  EXPECT_FALSE(Exists(Copy() + ".tmp"));
}

// ... since an attempt was killed.
TEST_F(HotRapCheckpointTest, TheFolderHasBecomeAnotherDBs) {
  MakeHotDB(SlowRoot());
  ASSERT_OK(TakeCheckpoint());
  Close();
  // As if it had not been finished.
  ASSERT_OK(env_->RenameFile(Copy(), Copy() + ".tmp"));
  ASSERT_OK(DestroyDir(env_, SlowOfCopy()));
  ASSERT_OK(Open(Plain(), SlowOfCopy()));
  PutAll();
  Close();
  const int tables = NumTables(SlowOfCopy());
  EXPECT_GT(tables, 0);
  ASSERT_OK(Open(SlowRoot(), Db()));
  const Status s = TakeCheckpoint();
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(Says(s, SlowOfCopy())) << s.ToString();
  EXPECT_EQ(tables, NumTables(SlowOfCopy()));
  Close();
  ExpectWhole(Plain(), SlowOfCopy());
}

TEST_F(HotRapCheckpointTest, OnePathIsAsEver) {
  ASSERT_OK(Open(Plain(), Db()));
  PutAll();
  ASSERT_OK(TakeCheckpoint());
  const CheckpointSource source(db_, Folder("other"));
  EXPECT_EQ(db_, source.db());
  const CheckpointSource backup(db_);
  EXPECT_EQ(db_, backup.db());
  for (const std::string& name : Names(Copy())) {
    uint64_t number = 0;
    FileType type = kTempFile;
    EXPECT_TRUE(ParseFileName(name, &number, &type)) << name;
    EXPECT_NE(kTempFile, type) << name;
  }
  ExpectWhole(Plain(), Copy());
}

TEST_F(HotRapCheckpointTest, ColumnFamiliesWithPathsOfTheirOwn) {
  const ColumnFamilyOptions family =
      FamilyOn(SlowRoot(), Folder("fast_of_family"), Folder("slow_of_family"));
  ColumnFamilyOptions own = family;
  own.hotrap = HotRapOptions();
  ASSERT_OK(Open(SlowRoot(), Db()));
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(own, "family", &handle));
  handles_.push_back(handle);
  Fill();
  Fill(handle);
  ASSERT_OK(TakeCheckpoint());
  Close();
  const auto whole = [&](const ColumnFamilyOptions& options) {
    ASSERT_OK(OpenWithFamily(SlowRoot(), Copy(), options));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  };
  whole(Plain());
  whole(SlowRoot());
  ColumnFamilyOptions moved = Plain();
  moved.cf_paths = {
      {Folder("a"), 1 << 20}, {Folder("b"), 1ull << 40}, {Copy(), 0}};
  whole(moved);
}

TEST_F(HotRapCheckpointTest, TheWalOfATransactionDB) {
  const Options options = SlowRoot();
  TransactionDB* db = nullptr;
  ASSERT_OK(TransactionDB::Open(options, TransactionDBOptions(), Db(), &db));
  db_ = db;
  Fill();
  std::unique_ptr<Transaction> prepared(
      db->BeginTransaction(WriteOptions(), TransactionOptions()));
  ASSERT_OK(prepared->SetName("prepared"));
  ASSERT_OK(prepared->Put("pending", "value"));
  ASSERT_OK(prepared->Prepare());
  ASSERT_OK(TakeCheckpoint(db, Copy(), 1 << 30));
  ASSERT_OK(prepared->Rollback());
  prepared.reset();
  Close();
  ASSERT_OK(TransactionDB::Open(options, TransactionDBOptions(), Copy(), &db));
  db_ = db;
  EXPECT_EQ(kNumKeys, NumFound());
  std::vector<Transaction*> found;
  db->GetAllPreparedTransactions(&found);
  ASSERT_EQ(1u, found.size());
  ASSERT_OK(found[0]->Commit());
  delete found[0];
  std::string value;
  EXPECT_OK(db->Get(ReadOptions(), "pending", &value));
}

TEST_F(HotRapCheckpointTest, BlobFilesAreOnTheFirstPath) {
  for (const bool slow : {true, false}) {
    Options options = slow ? SlowRoot() : FastRoot();
    options.enable_blob_files = true;
    ASSERT_OK(Open(options, Db()));
    Fill();
    ASSERT_OK(TakeCheckpoint());
    ExpectWhole(options, Copy());
    ExpectWhole(Plain(), Copy());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
    ASSERT_OK(DestroyDB(Db(), Plain()));
  }
}

// By hand, as programs do that have no Checkpoint.
TEST_F(HotRapCheckpointTest, LiveFilesSayWhereTheyAre) {
  MakeHotDB(SlowRoot());
  ASSERT_OK(db_->DisableFileDeletions());
  std::vector<LiveFileStorageInfo> files;
  ASSERT_OK(
      db_->GetLiveFilesStorageInfo(LiveFilesStorageInfoOptions(), &files));
  ASSERT_OK(env_->CreateDir(Copy()));
  for (const LiveFileStorageInfo& file : files) {
    const std::string to = Copy() + "/" + file.relative_filename;
    if (file.replacement_contents.empty()) {
      ASSERT_OK(CopyFile(fs_, file.directory + "/" + file.relative_filename,
                         Temperature::kUnknown, to, Temperature::kUnknown,
                         file.trim_to_size ? file.size : 0, false, nullptr));
    } else {
      ASSERT_OK(WriteStringToFile(env_, file.replacement_contents, to));
    }
  }
  ASSERT_OK(db_->EnableFileDeletions());
  ExpectWhole(Plain(), Copy());
}

#if ROCKSDB_MAJOR >= 11
TEST_F(HotRapCheckpointTest, ByACheckpointEngine) {
  for (const bool links : {true, false}) {
    MakeHotDB(SlowRoot());
    CheckpointEngineOptions options;
    options.use_link_file_when_available = links;
    options.max_background_operations = 3;
    std::unique_ptr<CheckpointEngine> engine;
    ASSERT_OK(CheckpointEngine::Open(options, &engine));
    uint64_t sequence = 0;
    ASSERT_OK(engine->CreateCheckpoint(db_, Copy(), &sequence,
                                       CreateCheckpointOptions()));
    EXPECT_GT(NumTables(SlowOfCopy()), 0);
    ASSERT_OK(Open(SlowRoot(), Copy()));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumHot, NumHot());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
    ASSERT_OK(DestroyDB(Db(), Plain()));
  }
}
#endif

// ---- The hot set ------------------------------------------------------------

TEST_F(HotRapCheckpointTest, TheHotSetMayStay) {
  Options options = SlowRoot();
  options.hotrap.checkpoint_hot_set = false;
  MakeHotDB(options);
  ASSERT_OK(TakeCheckpoint());
  EXPECT_FALSE(HasRalt(Copy()));
  ExpectWhole(Plain(), Copy());
}

// With what its hot set holds read once, the copy serves the same share of
// reads from the fast path.
TEST_F(HotRapCheckpointTest, TheHitRateOfTheOriginal) {
  Options options = SlowRoot();
  // Both folders may be on one disk.
  options.hotrap.promote_only_if_slower = false;
  options.hotrap.promotion_cache_bytes = 4 << 10;
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 1000;
  BlockBasedTableOptions table_options;
  table_options.no_block_cache = true;
  options.table_factory.reset(NewBlockBasedTableFactory(table_options));
  MakeHotDB(options);
  double of_original = 0;
  for (int i = 0; i < 20; i++) {
    of_original = ReadHot();
  }
  EXPECT_GT(of_original, 50);
  ASSERT_OK(TakeCheckpoint());
  ASSERT_OK(Open(options, Copy()));
  EXPECT_EQ(kNumHot, NumHot());
  ReadHot();
  EXPECT_GE(ReadHot(), of_original - 2);
}

// RALT goes on while the checkpoint is made, and deletes the runs that were
// linked.
TEST_F(HotRapCheckpointTest, TheHotSetOfABusyRalt) {
  MakeHotDB(SlowRoot());
  std::atomic<bool> done{false};
  std::thread accesses([&] {
    for (int i = 0; !done; i++) {
      OpenRalt()->RecordAccess(Key(3 * (i % kNumHot)), 100);
      if (i % 50 == 0) {
        EXPECT_OK(OpenRalt()->Flush());
      }
    }
  });
  for (int i = 0; i < 5; i++) {
    ASSERT_OK(TakeCheckpoint(db_, Copy() + std::to_string(i)));
  }
  done = true;
  accesses.join();
  for (int i = 0; i < 5; i++) {
    ASSERT_OK(Open(SlowRoot(), Copy() + std::to_string(i)));
    EXPECT_EQ(kNumHot, NumHot());
    EXPECT_EQ("0", Stat("ralt_resets"));
  }
}

TEST_F(HotRapCheckpointTest, AnEncryptedEnvEncryptsAll) {
  std::shared_ptr<EncryptionProvider> provider;
  ASSERT_OK(EncryptionProvider::CreateFromString(ConfigOptions(), "CTR://test",
                                                 &provider));
  const std::unique_ptr<Env> encrypted(NewEncryptedEnv(env_, provider));
  Options options = SlowRoot();
  options.env = encrypted.get();
  MakeHotDB(options);
  ASSERT_OK(TakeCheckpoint());
  Close();
  const std::string manifest = RaltFolders::In(Copy(), 0) + "/MANIFEST";
  std::string bytes;
  ASSERT_OK(ReadFileToString(env_, manifest, &bytes));
  EXPECT_EQ(std::string::npos, bytes.find("RLTRMAN1"));
  ASSERT_OK(ReadFileToString(encrypted.get(), manifest, &bytes));
  EXPECT_EQ(0u, bytes.find("RLTRMAN1"));
  ASSERT_OK(Open(options, Copy()));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumHot, NumHot());
  Close();
}

TEST_F(HotRapCheckpointTest, LinksOfAKilledProcessGo) {
  MakeHotDB(SlowRoot());
  Close();
  const std::string left = RaltFolders::LinksIn(Db(), "SESSION", 7);
  const auto make = [&] {
    ASSERT_OK(env_->CreateDir(left));
    ASSERT_OK(WriteStringToFile(env_, "left", left + "/000007.dbtmp"));
  };
  make();
  ASSERT_OK(Open(SlowRoot(), Db()));
  EXPECT_EQ(kNumHot, NumHot());
  EXPECT_FALSE(Exists(left));
  Close();
  make();
  ASSERT_OK(DestroyDB(Db(), Plain()));
  EXPECT_FALSE(Exists(Db()));
}

// ---- At any moment ----------------------------------------------------------

TEST_F(HotRapCheckpointTest, Killed) {
  MakeHotDB(SlowRoot());
  Close();
  const auto fs = std::make_shared<DyingFileSystem>(
      FileSystem::Default(), [&](const std::string& name) {
        return name.find("/copy") != std::string::npos;
      });
  const std::unique_ptr<Env> env(NewCompositeEnv(fs));
  bool finished = false;
  int after = 0;
  for (; !finished; after++) {
    Options options = SlowRoot();
    options.env = env.get();
    fs->DieAfter(1 << 30);
    ASSERT_OK(Open(options, Db()));
    fs->DieAfter(after);
    const Status s = TakeCheckpoint();
    finished = s.ok();
    EXPECT_NE(finished, fs->dead());
    EXPECT_EQ(kNumKeys, NumFound());
    Close();
    // There is a whole one or none, and another attempt has the name.
    if (!finished) {
      EXPECT_FALSE(Exists(Copy()));
      ASSERT_OK(Open(SlowRoot(), Db()));
      ASSERT_OK(TakeCheckpoint());
    }
    EXPECT_FALSE(Exists(Copy() + ".tmp"));
    ASSERT_OK(Open(SlowRoot(), Copy()));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumHot, NumHot());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
    EXPECT_FALSE(Exists(SlowOfCopy()));
  }
  EXPECT_GT(after, 10);
  ExpectWhole(SlowRoot(), Db());
}

// Every checkpoint has all that was written before it, and nothing after a gap.
TEST_F(HotRapCheckpointTest, UnderLoad) {
  const Options options = SlowRootForLoad();
  MakeHotDB(options);
  WriterBeside writer(db_);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    for (int i = 0; !done; i++) {
      std::string value;
      ASSERT_OK(db_->Get(ReadOptions(), Key(3 * (i % kNumHot)), &value));
    }
  });
  std::vector<int> at_least;
  for (int i = 0; i < 6; i++) {
    env_->SleepForMicroseconds(50000);
    at_least.push_back(writer.written());
    ASSERT_OK(TakeCheckpoint(db_, Copy() + std::to_string(i),
                             i % 2 == 0 ? 0 : uint64_t{1} << 40));
  }
  writer.Stop();
  done = true;
  reader.join();
  for (int i = 0; i < 6; i++) {
    ASSERT_OK(Open(i % 3 == 0 ? Plain() : options, Copy() + std::to_string(i)));
    EXPECT_EQ(kNumKeys, NumFound());
    writer.ExpectBeginning(db_, at_least[i]);
  }
}

}  // namespace ROCKSDB_NAMESPACE
