//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that backups of a DB over several paths are restored to one path or
// two, with the hot set, and that they are RocksDB's backups in all else.

#include "db/column_family.h"
#include "plugin/hotrap/db/backup/stock_backup_engine.h"
#include "plugin/hotrap/test_util/copied_db_test_base.h"
#include "plugin/hotrap/test_util/dying_file_system.h"
#include "rocksdb/c.h"
#include "rocksdb/env_encryption.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/hotrap_defaults.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/utilities/backup_engine.h"
#include "rocksdb/version.h"
#include "utilities/backup/backup_engine_impl.h"

namespace ROCKSDB_NAMESPACE {

class HotRapBackupTest : public CopiedDBTestBase {
 public:
  HotRapBackupTest() : CopiedDBTestBase("hotrap_backup_test") {}
  ~HotRapBackupTest() override { Close(); }

  BackupEngineOptions EngineOptions() const {
    return BackupEngineOptions(Folder("backups"));
  }
  std::unique_ptr<BackupEngine> OpenEngine(const BackupEngineOptions& options,
                                           Env* env = nullptr) {
    BackupEngine* engine = nullptr;
    EXPECT_OK(
        BackupEngine::Open(options, env == nullptr ? env_ : env, &engine));
    return std::unique_ptr<BackupEngine>(engine);
  }
  std::unique_ptr<BackupEngine> OpenEngine() {
    return OpenEngine(EngineOptions());
  }
  static Status Restore(
      BackupEngineReadOnlyBase* engine, const std::string& folder,
      RestoreOptions::Mode mode = RestoreOptions::Mode::kPurgeAllFiles) {
    return engine->RestoreDBFromLatestBackup(RestoreOptions(false, mode),
                                             folder, folder);
  }
  // The DB is closed, and gone with its tables.
  void RemoveDB() {
    Close();
    ASSERT_OK(DestroyDB(Db(), Plain()));
    ASSERT_FALSE(Exists(Db()));
  }
  // RocksDB deletes them in the background.
  void ExpectNoTemporary() {
    for (int i = 0; i < 10000 && NumTemporary(Copy()) > 0; i++) {
      env_->SleepForMicroseconds(1000);
    }
    EXPECT_EQ(0, NumTemporary(Copy()));
  }
  int NumIn(const std::string& folder) {
    return static_cast<int>(Names(EngineOptions().backup_dir + folder).size());
  }
};

// ---- To one path or two -----------------------------------------------------

TEST_F(HotRapBackupTest, OneFolderWithoutARoot) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  Fill();
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_, /*flush_before_backup=*/true));
  ASSERT_OK(engine->VerifyBackup(1, /*verify_with_checksum=*/true));
  ASSERT_OK(Restore(engine.get(), Copy()));
  EXPECT_FALSE(Exists(PathsFile::FileName(Copy())));
  ExpectWhole(Plain(), Copy());
  ExpectNoTemporary();
  ExpectWhole(OptionsFor({Copy(), Folder("slow_of_copy")}), Copy());
  ExpectWhole(OptionsFor({Folder("fast_of_copy"), Copy()}), Copy());
}

TEST_F(HotRapBackupTest, FoldersBelowTheRoots) {
  for (const bool slow : {true, false}) {
    const Options rooted = slow ? SlowRoot() : FastRoot();
    const std::string fast_copy = slow ? Copy() : Below(Nvme(), Copy());
    const std::string slow_copy = slow ? SlowOfCopy() : Copy();
    MakeHotDB(rooted);
    auto engine = OpenEngine();
    ASSERT_OK(engine->CreateNewBackup(db_));
    EXPECT_EQ(0, NumLinkFolders(PathsOf(db_)[0]));
    RemoveDB();
    ASSERT_OK(engine->VerifyBackup(1, true));
    ASSERT_OK(Restore(engine.get(), Copy() + "/"));
    EXPECT_GT(NumTables(fast_copy), 0);
    EXPECT_GT(NumTables(slow_copy), 0);
    EXPECT_TRUE(HasRalt(fast_copy));
    EXPECT_EQ(0, NumTemporary(Copy()));
    ASSERT_OK(OpenReadOnly(Plain(), Copy()));
    EXPECT_EQ(kNumKeys, NumFound());
    ASSERT_OK(Open(rooted, Copy()));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumHot, NumHot());
    ExpectWhole(Plain(), Copy());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
    EXPECT_FALSE(Exists(SlowOfCopy()));
    engine.reset();
    std::filesystem::remove_all(EngineOptions().backup_dir);
  }
}

// The slow disk of the backup's OPTIONS is not there.
TEST_F(HotRapBackupTest, ToAMachineWithOneDisk) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  RemoveDB();
  Move(Hdd(), Folder("away"));
  ASSERT_OK(Restore(engine.get(), Copy()));
  EXPECT_TRUE(HasRalt(Copy()));
  EXPECT_FALSE(Exists(PathsFile::FileName(Copy())));
  ExpectWhole(Plain(), Copy());
  // Later there is one.
  Close();
  Move(Folder("away"), Hdd());
  ASSERT_OK(Open(SlowRoot(), Copy()));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumHot, NumHot());
}

TEST_F(HotRapBackupTest, WhoRestoresMaySayWhere) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  RemoveDB();
  HotRapOptions one_path;
  const uint64_t id = AddHotRapDefaults(Copy(), "*", one_path);
  ASSERT_OK(Restore(engine.get(), Copy()));
  RemoveHotRapDefaults(id);
  EXPECT_EQ(0, NumTables(SlowOfCopy()));
  ExpectWhole(Plain(), Copy());
}

// By paths that the program gave, where the DB was or still is.
TEST_F(HotRapBackupTest, ToThePathsThatTheDBHad) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  Fill();
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  // Another history with the same numbers.
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(0),
                             Key(kNumKeys)));
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  Fill();
  Close();
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(Restore(engine.get(), Fast()));
    EXPECT_GT(NumTables(Slow()), 0);
    ExpectWhole(TwoPaths(), Fast());
    ExpectWhole(Plain(), Fast());
    Close();
    if (i == 0) {
      // The disk of the DB's folder is new.
      ASSERT_OK(DestroyDir(env_, Fast()));
    } else {
      ASSERT_OK(DestroyDir(env_, Slow()));
    }
  }
}

// A backup of the same folder on a machine with one disk.
TEST_F(HotRapBackupTest, ThePathsThatTheDBHadAreNotThere) {
  ASSERT_OK(env_->CreateDir(Folder("disk")));
  ASSERT_OK(Open(OptionsFor({Fast(), Folder("disk/slow")}), Fast()));
  Fill();
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  Close();
  ASSERT_OK(DestroyDir(env_, Fast()));
  ASSERT_OK(DestroyDir(env_, Folder("disk")));
  ASSERT_OK(Restore(engine.get(), Fast()));
  EXPECT_FALSE(Exists(Folder("disk")));
  ExpectWhole(Plain(), Fast());
}

TEST_F(HotRapBackupTest, NoTableOfBeforeStays) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_, true));
  const size_t fast = Tables(Db()).size();
  const size_t slow = Tables(SlowOfDb()).size();
  Fill();
  ASSERT_OK(db_->Put(WriteOptions(), "more", "value"));
  Close();
  // A copy of a table in the other folder, and one of another number.
  Options options = SlowRoot();
  RootTestBase::Copy(SlowOfDb() + "/" + Tables(SlowOfDb())[0],
                     Db() + "/" + Tables(SlowOfDb())[0]);
  for (const auto mode : {RestoreOptions::Mode::kPurgeAllFiles,
                          RestoreOptions::Mode::kKeepLatestDbSessionIdFiles,
                          RestoreOptions::Mode::kVerifyChecksum}) {
    ASSERT_OK(Restore(engine.get(), Db(), mode));
    EXPECT_EQ(fast, Tables(Db()).size());
    EXPECT_EQ(slow, Tables(SlowOfDb()).size());
    ASSERT_OK(Open(options, Db()));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumHot, NumHot());
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), "more", &value).IsNotFound());
    ASSERT_OK(db_->Put(WriteOptions(), "more", "value"));
    ASSERT_OK(db_->Flush(FlushOptions()));
    Close();
  }
}

TEST_F(HotRapBackupTest, NotOverTablesOfAnotherDB) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  RemoveDB();
  // One whose second path is where the copy's would be.
  Options other = OptionsFor({Folder("other"), SlowOfCopy()});
  std::filesystem::create_directories(SlowOfCopy());
  ASSERT_OK(Open(other, Folder("other")));
  Fill();
  Close();
  PathOwner::Forget(fs_, SlowOfCopy());
  const Status s = Restore(engine.get(), Copy());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, SlowOfCopy())) << s.ToString();
  ExpectWhole(other, Folder("other"));
  // All that another one has is in its WAL.
  ASSERT_OK(Open(Plain(), SlowOfCopy()));
  ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
  Close();
  EXPECT_TRUE(Restore(engine.get(), Copy()).IsInvalidArgument());
}

// ---- As RocksDB's backups ---------------------------------------------------

// Who restores it without HotRAP has a whole DB, and none of RALT's files.
TEST_F(HotRapBackupTest, ByAStockEngine) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  RemoveDB();
  StockBackups stock;
  ASSERT_OK(StockBackups::OpenReadOnly(EngineOptions(), env_, &stock));
  ASSERT_OK(stock.reader->VerifyBackup(1, true));
  ASSERT_OK(Restore(stock.reader, Copy()));
  EXPECT_GT(NumTemporary(Copy()), 0);
  ExpectWhole(Plain(), Copy());
  ExpectNoTemporary();
}

TEST_F(HotRapBackupTest, Incremental) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_, true));
  const int shared = NumIn("/shared_checksum");
  EXPECT_EQ(NumTables(Db()) + NumTables(SlowOfDb()), shared);
  ASSERT_OK(db_->Put(WriteOptions(), "second", "value"));
  ASSERT_OK(engine->CreateNewBackup(db_, true));
  EXPECT_EQ(shared + 1, NumIn("/shared_checksum"));
  RemoveDB();
  std::vector<BackupInfo> infos;
  engine->GetBackupInfo(&infos, /*include_file_details=*/true);
  ASSERT_EQ(2u, infos.size());
  // As RocksDB opens a backup where it is.
  Options options = Plain();
  options.env = infos[1].env_for_open.get();
  ASSERT_OK(OpenReadOnly(options, infos[1].name_for_open));
  EXPECT_EQ(kNumKeys, NumFound());
  Close();
  for (const BackupID id : {1, 2}) {
    ASSERT_OK(
        engine->RestoreDBFromBackup(RestoreOptions(), id, Copy(), Copy()));
    ASSERT_OK(Open(SlowRoot(), Copy()));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumHot, NumHot());
    std::string value;
    EXPECT_EQ(id == 2, db_->Get(ReadOptions(), "second", &value).ok());
    Close();
  }
  ASSERT_OK(engine->DeleteBackup(1));
  ASSERT_OK(engine->GarbageCollect());
  EXPECT_EQ(1, NumIn("/private"));
  ASSERT_OK(engine->PurgeOldBackups(0));
  EXPECT_EQ(0, NumIn("/private"));
  EXPECT_EQ(0, NumIn("/shared_checksum"));
  EXPECT_TRUE(Restore(engine.get(), Copy()).IsNotFound());
}

TEST_F(HotRapBackupTest, FilesLeftToAnotherEngine) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_, true));
  BackupEngineOptions engine_options(Folder("second"));
  engine_options.schema_version = 2;
  auto second = OpenEngine(engine_options);
  CreateBackupOptions options;
  int excluded = 0;
  options.exclude_files_callback = [&](MaybeExcludeBackupFile* begin,
                                       MaybeExcludeBackupFile* end) {
    for (auto* file = begin; file != end; ++file) {
      file->exclude_decision = true;
      excluded++;
    }
  };
  ASSERT_OK(second->CreateNewBackup(options, db_));
  EXPECT_EQ(NumTables(Db()) + NumTables(SlowOfDb()), excluded);
  RemoveDB();
  RestoreOptions restore;
  EXPECT_TRUE(second->RestoreDBFromLatestBackup(restore, Copy(), Copy())
                  .IsInvalidArgument());
  restore.alternate_dirs.push_front(engine.get());
  ASSERT_OK(second->RestoreDBFromLatestBackup(restore, Copy(), Copy()));
  EXPECT_GT(NumTables(SlowOfCopy()), 0);
  ASSERT_OK(Open(SlowRoot(), Copy()));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumHot, NumHot());
}

TEST_F(HotRapBackupTest, ChecksumsAndARateLimit) {
  Options options = SlowRoot();
  options.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  MakeHotDB(options);
  BackupEngineOptions engine_options = EngineOptions();
  engine_options.backup_rate_limiter.reset(NewGenericRateLimiter(
      1 << 30, 100 * 1000, 10, RateLimiter::Mode::kAllIo));
  engine_options.restore_rate_limiter.reset(NewGenericRateLimiter(1 << 30));
  engine_options.max_background_operations = 3;
  auto engine = OpenEngine(engine_options);
  ASSERT_OK(engine->CreateNewBackup(db_, true));
  std::vector<BackupInfo> infos;
  engine->GetBackupInfo(&infos);
  EXPECT_GE(static_cast<uint64_t>(
                engine_options.backup_rate_limiter->GetTotalBytesThrough()),
            infos[0].size);
  ASSERT_OK(Restore(engine.get(), Copy()));
  EXPECT_GE(static_cast<uint64_t>(
                engine_options.restore_rate_limiter->GetTotalBytesThrough()),
            infos[0].size / 2);
  ASSERT_OK(Open(options, Copy()));
  EXPECT_OK(db_->VerifyFileChecksums(ReadOptions()));
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(HotRapBackupTest, ADamagedTableIsFound) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  RemoveDB();
  const std::string folder = EngineOptions().backup_dir + "/shared_checksum";
  const std::string table = folder + "/" + Names(folder)[0];
  std::string bytes;
  ASSERT_OK(ReadFileToString(env_, table, &bytes));
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_OK(WriteStringToFile(env_, bytes, table));
  EXPECT_TRUE(engine->VerifyBackup(1, true).IsCorruption());
  EXPECT_TRUE(Restore(engine.get(), Copy()).IsCorruption());
  EXPECT_FALSE(Exists(Copy() + "/CURRENT"));
}

TEST_F(HotRapBackupTest, CheckpointsOfSeveralDBs) {
  auto engine = OpenEngine();
  for (const std::string name : {"a", "b"}) {
    MakeHotDB(SlowRoot());
    ASSERT_OK(db_->Put(WriteOptions(), "name", name));
    ASSERT_OK(TakeCheckpoint(db_, Folder(name)));
    RemoveDB();
    ASSERT_OK(Open(SlowRoot(), Folder(name)));
    ASSERT_EQ(kNumHot, NumHot());
    ASSERT_OK(engine->CreateNewBackup(db_));
    Close();
    ASSERT_OK(DestroyDB(Folder(name), Plain()));
  }
  for (const BackupID id : {1, 2}) {
    ASSERT_OK(
        engine->RestoreDBFromBackup(RestoreOptions(), id, Copy(), Copy()));
    ASSERT_OK(Open(SlowRoot(), Copy()));
    std::string value;
    ASSERT_OK(db_->Get(ReadOptions(), "name", &value));
    EXPECT_EQ(id == 1 ? "a" : "b", value);
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumHot, NumHot());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
  }
}

TEST_F(HotRapBackupTest, BlobFiles) {
  for (const bool slow : {true, false}) {
    Options options = slow ? SlowRoot() : FastRoot();
    options.enable_blob_files = true;
    ASSERT_OK(Open(options, Db()));
    Fill();
    auto engine = OpenEngine();
    ASSERT_OK(engine->CreateNewBackup(db_, true));
    RemoveDB();
    ASSERT_OK(Restore(engine.get(), Copy()));
    ExpectWhole(options, Copy());
    ExpectWhole(Plain(), Copy());
    Close();
    ASSERT_OK(DestroyDB(Copy(), Plain()));
    ASSERT_OK(engine->PurgeOldBackups(0));
  }
}

TEST_F(HotRapBackupTest, AnEncryptedEnvEncryptsAll) {
  std::shared_ptr<EncryptionProvider> provider;
  ASSERT_OK(EncryptionProvider::CreateFromString(ConfigOptions(), "CTR://test",
                                                 &provider));
  const std::unique_ptr<Env> encrypted(NewEncryptedEnv(env_, provider));
  Options options = SlowRoot();
  options.env = encrypted.get();
  MakeHotDB(options);
  auto engine = OpenEngine(EngineOptions(), encrypted.get());
  ASSERT_OK(engine->CreateNewBackup(db_));
  Close();
  const std::string folder = EngineOptions().backup_dir + "/private/1";
  int encrypted_manifests = 0;
  for (const std::string& name : Names(folder)) {
    std::string bytes;
    ASSERT_OK(ReadFileToString(env_, folder + "/" + name, &bytes));
    EXPECT_EQ(std::string::npos, bytes.find("RLTRMAN1")) << name;
    ASSERT_OK(ReadFileToString(encrypted.get(), folder + "/" + name, &bytes));
    encrypted_manifests += bytes.find("RLTRMAN1") == 0 ? 1 : 0;
  }
  EXPECT_EQ(1, encrypted_manifests);
  ASSERT_OK(Restore(engine.get(), Copy()));
  ASSERT_OK(Open(options, Copy()));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumHot, NumHot());
  Close();
}

TEST_F(HotRapBackupTest, FromC) {
  char* error = nullptr;
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_disable_auto_compactions(options, 1);
  MakeHotDB(SlowRoot());
  Close();
  rocksdb_t* db = rocksdb_open(options, Db().c_str(), &error);
  ASSERT_EQ(nullptr, error);
  rocksdb_checkpoint_t* const checkpoint =
      rocksdb_checkpoint_object_create(db, &error);
  ASSERT_EQ(nullptr, error);
  rocksdb_checkpoint_create(checkpoint, Folder("checkpoint").c_str(), 0,
                            &error);
  ASSERT_EQ(nullptr, error) << error;
  rocksdb_checkpoint_object_destroy(checkpoint);
  rocksdb_backup_engine_t* const engine = rocksdb_backup_engine_open(
      options, EngineOptions().backup_dir.c_str(), &error);
  ASSERT_EQ(nullptr, error);
  rocksdb_backup_engine_create_new_backup(engine, db, &error);
  ASSERT_EQ(nullptr, error) << error;
  rocksdb_restore_options_t* const restore = rocksdb_restore_options_create();
  rocksdb_backup_engine_restore_db_from_latest_backup(
      engine, Copy().c_str(), Copy().c_str(), restore, &error);
  ASSERT_EQ(nullptr, error) << error;
  rocksdb_restore_options_destroy(restore);
  rocksdb_backup_engine_close(engine);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  ExpectWhole(Plain(), Folder("checkpoint"));
  ExpectWhole(Plain(), Copy());
}

// ---- At any moment ----------------------------------------------------------

TEST_F(HotRapBackupTest, KilledBackups) {
  MakeHotDB(SlowRoot());
  Close();
  const auto fs = std::make_shared<DyingFileSystem>(
      FileSystem::Default(), [&](const std::string& name) {
        return name.find("/backups/") != std::string::npos;
      });
  const std::unique_ptr<Env> env(NewCompositeEnv(fs));
  int whole = 0;
  for (int after = 0; whole == 0; after++) {
    fs->DieAfter(1 << 30);
    ASSERT_OK(Open(SlowRoot(), Db()));
    {
      auto engine = OpenEngine(EngineOptions(), env.get());
      fs->DieAfter(after);
      whole = engine->CreateNewBackup(db_).ok() ? 1 : 0;
      EXPECT_NE(whole == 1, fs->dead());
      EXPECT_EQ(kNumKeys, NumFound());
    }
    auto engine = OpenEngine();
    std::vector<BackupInfo> infos;
    engine->GetBackupInfo(&infos);
    EXPECT_EQ(static_cast<size_t>(whole), infos.size()) << after;
    if (whole == 0) {
      ASSERT_OK(engine->GarbageCollect());
      EXPECT_EQ(0, NumIn("/shared_checksum"));
      EXPECT_EQ(0, NumIn("/private"));
    }
    Close();
  }
  ASSERT_OK(Restore(OpenEngine().get(), Copy()));
  ExpectWhole(SlowRoot(), Copy());
}

TEST_F(HotRapBackupTest, KilledRestores) {
  MakeHotDB(SlowRoot());
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(0),
                             Key(kNumKeys)));
  ASSERT_OK(db_->Flush(FlushOptions()));
  Close();
  const auto fs = std::make_shared<DyingFileSystem>(
      FileSystem::Default(), [&](const std::string& name) {
        return name.find("/backups/") == std::string::npos;
      });
  const std::unique_ptr<Env> env(NewCompositeEnv(fs));
  const auto broken = OpenEngine(EngineOptions(), env.get());
  bool finished = false;
  int after = 0;
  for (; !finished; after++) {
    fs->DieAfter(after);
    finished = Restore(broken.get(), Db()).ok();
    fs->DieAfter(1 << 30);
    // The old DB, the new one, or none: not a mixture.
    if (Exists(Db() + "/CURRENT") && Open(SlowRoot(), Db()).ok()) {
      const int found = NumFound();
      EXPECT_TRUE(found == 0 || found == kNumKeys) << found;
      EXPECT_TRUE(found == kNumKeys || !finished);
    }
    Close();
  }
  EXPECT_GT(after, 10);
  ASSERT_OK(Restore(engine.get(), Db()));
  ASSERT_OK(Open(SlowRoot(), Db()));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumHot, NumHot());
}

#if ROCKSDB_MAJOR >= 11
// Its MANIFEST would still have the path numbers of before.
TEST_F(HotRapBackupTest, AReusedManifest) {
  Options options = Plain();
  options.reuse_manifest_on_open = true;
  ASSERT_OK(Open(options, Db()));
  PutAll();
  Close();
  const int tables = NumTables(Db());
  options = FastRoot();
  options.reuse_manifest_on_open = true;
  ASSERT_OK(Open(options, Db()));
  ASSERT_EQ(tables, NumTables(Db()));
  auto engine = OpenEngine();
  ASSERT_OK(engine->CreateNewBackup(db_));
  Close();
  ASSERT_OK(Restore(engine.get(), Copy()));
  EXPECT_EQ(tables, NumTables(Copy()));
  ExpectWhole(FastRoot(), Copy());
}
#endif

TEST_F(HotRapBackupTest, UnderLoad) {
  const Options options = SlowRootForLoad();
  MakeHotDB(options);
  WriterBeside writer(db_);
  std::vector<int> at_least;
  auto engine = OpenEngine();
  for (int i = 0; i < 5; i++) {
    env_->SleepForMicroseconds(50000);
    at_least.push_back(writer.written());
    ASSERT_OK(engine->CreateNewBackup(db_, i % 2 == 0));
  }
  writer.Stop();
  Close();
  for (int i = 0; i < 5; i++) {
    ASSERT_OK(engine->VerifyBackup(i + 1, true));
    ASSERT_OK(
        engine->RestoreDBFromBackup(RestoreOptions(), i + 1, Copy(), Copy()));
    ASSERT_OK(Open(options, Copy()));
    EXPECT_EQ(kNumKeys, NumFound());
    writer.ExpectBeginning(db_, at_least[i]);
    Close();
  }
}

// RocksDB's tests reach into its engine.
TEST_F(HotRapBackupTest, HooksOfRocksDBsTests) {
  BackupEngineOptions options = EngineOptions();
  options.schema_version = 2;
  auto engine = OpenEngine(options);
  TEST_SetBackupMetaSchemaOptions(engine.get(), TEST_BackupMetaSchemaOptions());
  ASSERT_OK(Open(Plain(), Db()));
  PutAll();
  ASSERT_OK(engine->CreateNewBackup(db_));
  ASSERT_OK(Restore(engine.get(), Copy()));
  ExpectWhole(Plain(), Copy());
}

}  // namespace ROCKSDB_NAMESPACE
