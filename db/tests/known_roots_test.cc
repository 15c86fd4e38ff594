//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that a DB whose paths were made by hotrap.slow_root or hotrap.fast_root
// is whole for everybody who opens it later without them, after a root or the
// DB was moved, and after a crash.

#include <algorithm>
#include <iterator>

#include "file/filename.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/test_util/root_test_base.h"
#include "rocksdb/env.h"
#include "rocksdb/ldb_tool.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/utilities/ldb_cmd.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/utilities/transaction_db.h"
#include "utilities/blob_db/blob_db.h"

namespace ROCKSDB_NAMESPACE {

class KnownRootsTest : public RootTestBase {
 public:
  KnownRootsTest() : RootTestBase("known_roots_test") {}

  // Keeps the tables in the slow folder, so that another program finds them.
  void MakeSlowDB() {
    MakeDB(SlowRoot());
    ASSERT_GT(NumTables(SlowOfDb()), 0);
  }
  Status OpenTransactionDB(const Options& options) {
    Close();
    TransactionDB* db = nullptr;
    const Status s =
        TransactionDB::Open(options, TransactionDBOptions(), Db(), &db);
    db_ = db;
    return s;
  }
};

// ---- Without the string -----------------------------------------------------

TEST_F(KnownRootsTest, WithoutTheString) {
  for (const bool slow : {true, false}) {
    const Options rooted = slow ? SlowRoot() : FastRoot();
    MakeDB(rooted);
    ASSERT_OK(Open(Plain(), Db()));
    EXPECT_EQ("0", Stat("active"));
    EXPECT_EQ(slow ? Folders({Db(), SlowOfDb()})
                   : Folders({Below(Nvme(), Db()), Db()}),
              PathsOf(db_));
    EXPECT_EQ(1u << 20, db_->GetOptions().cf_paths[0].target_size);
    ExpectUsable(Plain());
    // And with it again.
    ASSERT_OK(Open(rooted, Db()));
    EXPECT_EQ("1", Stat("active")) << Stat("inactive_reason");
    ExpectUsable(rooted);
    Close();
    ASSERT_OK(DestroyDB(Db(), Plain()));
    EXPECT_FALSE(Exists(Db()));
    EXPECT_FALSE(Exists(SlowOfDb()));
    EXPECT_FALSE(Exists(Below(Nvme(), Db())));
  }
}

TEST_F(KnownRootsTest, SwitchedOff) {
  MakeSlowDB();
  Options options = SlowRoot();
  options.hotrap.enabled = false;
  ASSERT_OK(Open(options, Db()));
  ExpectUsable(options);
  // Nothing of HotRAP is in the OPTIONS file, which then says nothing of roots.
  Close();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), Db(), &db_options, &families));
  EXPECT_TRUE(families[0].options.hotrap.slow_root.empty());
  ASSERT_OK(OpenBy(&db_, [&](auto* db) {
    return DB::Open(db_options, Db(), families, &handles_, db);
  }));
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(KnownRootsTest, Readers) {
  MakeSlowDB();
  for (const Options& options : {Plain(), SlowRoot()}) {
    ASSERT_OK(OpenReadOnly(options, Db()));
    EXPECT_EQ(kNumKeys, NumFound());
    ASSERT_OK(OpenAsSecondary(options, Db()));
    EXPECT_EQ(kNumKeys, NumFound());
  }
  // A tool that knows the paths from elsewhere, and the root from the OPTIONS
  // file: here the last path is not below it.
  Options options = SlowRoot();
  options.db_paths = {{SlowOfDb(), 1 << 20}, {Db(), 1ull << 40}};
  ASSERT_OK(OpenReadOnly(options, Db()));
  EXPECT_EQ(kNumKeys, NumFound());
  Close();
  EXPECT_TRUE(HasPathsFile());
}

// LDBTool as other programs have it, without our ldb's knowledge of paths.
TEST_F(KnownRootsTest, ADumpOfTheManifestMakesNothing) {
  MakeSlowDB();
  Close();
  std::vector<std::string> before;
  ASSERT_OK(env_->GetChildren(Hdd(), &before));
  std::string manifest;
  ASSERT_OK(ReadFileToString(env_, CurrentFileName(Db()), &manifest));
  manifest = Db() + "/" + manifest.substr(0, manifest.find('\n'));
  const std::string arguments[] = {"ldb", "manifest_dump", "--path=" + manifest,
                                   "--db=" + Db(), "--try_load_options"};
  const char* argv[5];
  std::transform(std::begin(arguments), std::end(arguments), argv,
                 [](const std::string& argument) { return argument.c_str(); });
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(0, LDBCommandRunner::RunCommand(5, argv, SlowRoot(), LDBOptions(),
                                            nullptr));
  EXPECT_NE(std::string::npos,
            testing::internal::GetCapturedStdout().find("next_file_number"));
  EXPECT_EQ("", testing::internal::GetCapturedStderr());
  std::vector<std::string> after;
  ASSERT_OK(env_->GetChildren(Hdd(), &after));
  EXPECT_EQ(before, after);
}

// Its writer puts tables into the slow folder later.
TEST_F(KnownRootsTest, ASecondaryThatWasThereBefore) {
  for (const Options& options : {Plain(), SlowRoot()}) {
    DB* primary = nullptr;
    ASSERT_OK(OpenBy(&primary,
                     [&](auto* db) { return DB::Open(SlowRoot(), Db(), db); }));
    ASSERT_OK(OpenAsSecondary(options, Db()));
    DB* const secondary = db_;
    db_ = primary;
    Fill();
    ASSERT_GT(NumTables(SlowOfDb()), 0);
    db_ = secondary;
    ASSERT_OK(db_->TryCatchUpWithPrimary());
    EXPECT_EQ(kNumKeys, NumFound());
    Close();
    delete primary;
    ASSERT_OK(DestroyDB(Db(), Plain()));
  }
}

TEST_F(KnownRootsTest, OtherKindsOfDB) {
  MakeSlowDB();
  for (const Options& options : {Plain(), SlowRoot()}) {
    ASSERT_OK(OpenTransactionDB(options));
    EXPECT_EQ(kNumKeys, NumFound());
    Close();
    ASSERT_OK(OpenBy(&db_, [&](auto* db) {
      return DB::OpenAndTrimHistory(options, Db(), {{"default", options}},
                                    &handles_, db, "");
    }));
    EXPECT_EQ(kNumKeys, NumFound());
    Close();
    std::vector<std::string> names;
    ASSERT_OK(DB::ListColumnFamilies(options, Db(), &names));
    EXPECT_EQ(std::vector<std::string>({"default"}), names);
  }
}

TEST_F(KnownRootsTest, BlobDB) {
  for (const Options& options : {SlowRoot(), Plain()}) {
    blob_db::BlobDB* db = nullptr;
    ASSERT_OK(
        blob_db::BlobDB::Open(options, blob_db::BlobDBOptions(), Db(), &db));
    db_ = db;
    ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
    std::string value;
    ASSERT_OK(db_->Get(ReadOptions(), "key", &value));
    EXPECT_EQ("value", value);
    Close();
  }
}

TEST_F(KnownRootsTest, BestEffortsRecovery) {
  MakeSlowDB();
  for (Options options : {Plain(), SlowRoot()}) {
    options.best_efforts_recovery = true;
    ASSERT_OK(Open(options, Db()));
    // It does not use the WAL.
    EXPECT_GE(NumFound(), kNumKeys - 10);
  }
}

TEST_F(KnownRootsTest, Repair) {
  for (const bool has_file : {true, false}) {
    for (const bool slow : {true, false}) {
      const Options rooted = slow ? SlowRoot() : FastRoot();
      MakeDB(rooted);
      if (!has_file) {
        ASSERT_OK(env_->DeleteFile(PathsFile::FileName(Db())));
      }
      ASSERT_OK(RepairDB(Db(), has_file ? Plain() : rooted));
      ExpectWhole(rooted, Db());
      ExpectWhole(Plain(), Db());
      Close();
      ASSERT_OK(DestroyDB(Db(), Plain()));
    }
  }
}

TEST_F(KnownRootsTest, ImportAndCheckpoint) {
  // A checkpoint needs all tables in the DB's folder.
  ASSERT_OK(Open(SlowRoot(), Db()));
  PutAll();
  Checkpoint* made = nullptr;
  ASSERT_OK(Checkpoint::Create(db_, &made));
  std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_OK(checkpoint->CreateCheckpoint(Folder("checkpoint")));
  ExportImportFilesMetaData* files = nullptr;
  ASSERT_OK(checkpoint->ExportColumnFamily(db_->DefaultColumnFamily(),
                                           Folder("export"), &files));
  std::unique_ptr<ExportImportFilesMetaData> metadata(files);
  ColumnFamilyHandle* cf = nullptr;
  ASSERT_OK(db_->CreateColumnFamilyWithImport(
      SlowRoot(), "imported", ImportColumnFamilyOptions(), *metadata, &cf));
  handles_.push_back(cf);
  EXPECT_EQ(Folders({Db(), SlowOfDb()}), PathsOf(db_, cf));
  EXPECT_EQ(kNumKeys, NumFound(cf));
  // The checkpoint's OPTIONS file has the root; its folder is another one.
  Close();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), Folder("checkpoint"),
                              &db_options, &families));
  ASSERT_OK(OpenBy(&db_, [&](auto* db) {
    return DB::Open(db_options, Folder("checkpoint"), families, &handles_, db);
  }));
  EXPECT_EQ(Below(Hdd(), Folder("checkpoint")), PathsOf(db_)[1]);
  EXPECT_EQ(kNumKeys, NumFound());
}

// ---- Going back to one path -------------------------------------------------

TEST_F(KnownRootsTest, TheFileGoesWithTheTables) {
  MakeSlowDB();
  MoveTables(SlowOfDb(), Db());
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_EQ(Folders({Db()}), PathsOf(db_));
  EXPECT_FALSE(HasPathsFile());
  ExpectUsable(Plain());
}

// RALT of a path that is forgotten, because no table lies there, goes with it.
TEST_F(KnownRootsTest, NoRaltIsLeftOnAForgottenPath) {
  const std::string ralt = RaltFolders::In(Below(Nvme(), Db()), 0);
  ASSERT_OK(Open(FastRoot(), Db()));
  for (int i = 0; i < 10000 && !Exists(ralt); i++) {
    env_->SleepForMicroseconds(1000);
  }
  ASSERT_TRUE(Exists(ralt));
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_EQ(Folders({Db()}), PathsOf(db_));
  EXPECT_FALSE(HasPathsFile());
  EXPECT_FALSE(Exists(ralt));
}

TEST_F(KnownRootsTest, RaltOfAnotherDBIsLeftOnAForgottenPath) {
  const std::string folder = Below(Nvme(), Db());
  ASSERT_OK(Open(FastRoot(), Db()));
  Close();
  ASSERT_OK(env_->CreateDirIfMissing(RaltFolders::In(folder, 0)));
  ASSERT_OK(WriteStringToFile(env_, "theirs", CurrentFileName(folder)));
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_FALSE(HasPathsFile());
  EXPECT_TRUE(Exists(RaltFolders::In(folder, 0)));
}

// The budget was the target_size of a path, which is in no OPTIONS file.
TEST_F(KnownRootsTest, TheBudgetOfAPath) {
  Options options = SlowRoot();
  options.hotrap.fast_budget_bytes = 0;
  Options given = options;
  given.db_paths = {{Db(), 2 << 20}};
  MakeDB(given);
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(2u << 20, db_->GetOptions().cf_paths[0].target_size);
  ExpectUsable(options);
  Close();
  ASSERT_OK(OpenBy(
      &db_, [&](auto* db) { return DB::OpenForReadOnly(options, Db(), db); }));
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(KnownRootsTest, TheBudgetIsTakenBack) {
  ASSERT_OK(Open(SlowRoot(), Db()));
  Fill();
  ASSERT_OK(db_->SetOptions({{"hotrap", "{fast_budget_bytes=0;}"}}));
  Close();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), Db(), &db_options, &families));
  const Options options(db_options, families[0].options);
  EXPECT_EQ(0, options.hotrap.fast_budget_bytes);
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(1u << 20, db_->GetOptions().cf_paths[0].target_size);
  ExpectUsable(options);
}

// The tables were copied. Those left behind may be removed at any time, so the
// DB must not go on with them.
TEST_F(KnownRootsTest, CopiesInTheSlowFolderAreLeftAlone) {
  MakeSlowDB();
  for (const std::string& name : Tables(SlowOfDb())) {
    std::string content;
    ASSERT_OK(ReadFileToString(env_, SlowOfDb() + "/" + name, &content));
    ASSERT_OK(WriteStringToFile(env_, content, Db() + "/" + name));
  }
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_EQ(Folders({Db()}), PathsOf(db_));
  Close();
  ASSERT_OK(DestroyDir(env_, SlowOfDb()));
  ASSERT_OK(Open(Plain(), Db()));
  ExpectUsable(Plain());
}

TEST_F(KnownRootsTest, WithoutADisk) {
  MakeSlowDB();
  Move(Hdd(), Folder("away"));
  for (const Options& options : {Plain(), SlowRoot()}) {
    const Status s = Open(options, Db());
    EXPECT_NOK(s);
    EXPECT_TRUE(Says(s, "hdd")) << s.ToString();
  }
  // Not mounted: the mount point is there.
  ASSERT_OK(env_->CreateDir(Hdd()));
  ExpectRefused(SlowRoot(), {SlowOfDb(), "mounted"});
  ExpectRefused(Plain(), {SlowOfDb()});
  ASSERT_OK(DestroyDir(env_, Hdd()));
  Move(Folder("away"), Hdd());
  ExpectWhole(Plain(), Db());
  ExpectWhole(SlowRoot(), Db());
}

// ---- Roots and DBs that move ------------------------------------------------

TEST_F(KnownRootsTest, AnotherRoot) {
  MakeSlowDB();
  Options options = SlowRoot();
  options.hotrap.slow_root = Nvme();
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(Folders({Db(), SlowOfDb(), Below(Nvme(), Db())}), PathsOf(db_));
  EXPECT_EQ("1", Stat("active")) << Stat("inactive_reason");
  ExpectUsable(options);
  // The old folder is empty now, and goes out of use.
  ASSERT_OK(Open(options, Db()));
  if (NumTables(SlowOfDb()) == 0) {
    EXPECT_EQ(Folders({Db(), Below(Nvme(), Db())}), PathsOf(db_));
  }
  ExpectWhole(Plain(), Db());
}

TEST_F(KnownRootsTest, FromASlowRootToAFastOne) {
  MakeSlowDB();
  ASSERT_OK(Open(FastRoot(), Db()));
  EXPECT_EQ(Folders({Below(Nvme(), Db()), SlowOfDb(), Db()}), PathsOf(db_));
  ExpectUsable(FastRoot());
  ExpectWhole(Plain(), Db());
}

// The paths that a program named itself are found, too.
TEST_F(KnownRootsTest, PathsThatWereGivenBefore) {
  ASSERT_OK(Open(OptionsFor({Db(), Hdd() + "/mine"}), Db()));
  Fill();
  ExpectWhole(Plain(), Db());
  EXPECT_EQ(Folders({Db(), Hdd() + "/mine"}), PathsOf(db_));
  // Below the root, it stays the slow path.
  ExpectWhole(SlowRoot(), Db());
  EXPECT_EQ(Folders({Db(), Hdd() + "/mine"}), PathsOf(db_));
  EXPECT_FALSE(Exists(SlowOfDb()));
  ExpectUsable(SlowRoot());
}

TEST_F(KnownRootsTest, AMovedDB) {
  MakeSlowDB();
  const std::string moved = Folder("moved");
  Move(Db(), moved);
  for (const Options& options : {SlowRoot(), Plain()}) {
    const Status s = Open(options, moved);
    EXPECT_NOK(s);
    EXPECT_TRUE(Says(s, SlowOfDb())) << s.ToString();
    EXPECT_TRUE(Says(s, "the DB was in " + Db())) << s.ToString();
  }
  EXPECT_GT(NumTables(SlowOfDb()), 0);
  std::filesystem::create_directories(Below(Hdd(), moved));
  MoveTables(SlowOfDb(), Below(Hdd(), moved));
  ExpectWhole(SlowRoot(), moved);
  EXPECT_EQ(Folders({moved, Below(Hdd(), moved)}), PathsOf(db_));
  ExpectWhole(Plain(), moved);
}

// Of a DB that was copied in part, and of a whole copy, the original is safe.
TEST_F(KnownRootsTest, ACopyOfTheDB) {
  MakeSlowDB();
  const std::string copy = Folder("copy");
  std::filesystem::copy(Db(), copy, std::filesystem::copy_options::recursive);
  EXPECT_NOK(Open(SlowRoot(), copy));
  EXPECT_NOK(Open(Plain(), copy));
  std::filesystem::remove_all(Below(Hdd(), copy));
  std::filesystem::copy(SlowOfDb(), Below(Hdd(), copy),
                        std::filesystem::copy_options::recursive);
  ASSERT_OK(Open(SlowRoot(), copy));
  EXPECT_EQ(kNumKeys, NumFound());
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  EXPECT_EQ(kNumKeys, NumFound());
  Close();
  ASSERT_OK(DestroyDB(copy, Plain()));
  ExpectWhole(SlowRoot(), Db());
}

TEST_F(KnownRootsTest, DestroyedAndMadeAgain) {
  for (int round = 0; round < 2; round++) {
    ASSERT_OK(Open(SlowRoot(), Db()));
    EXPECT_EQ(0, NumFound());
    Fill();
    Close();
    // Without the string, too.
    ASSERT_OK(DestroyDB(Db(), round == 0 ? Plain() : SlowRoot()));
    EXPECT_FALSE(Exists(SlowOfDb()));
  }
}

// ---- Crashes ----------------------------------------------------------------

// The paths are on the disk before any table is.
TEST_F(KnownRootsTest, AnOpenThatFailsHasNotedThePaths) {
  const Status s =
      OpenWithFamily(SlowRoot(), Db(), ColumnFamilyOptions(SlowRoot()));
  EXPECT_NOK(s);  // there is no such family
  PathsFile file;
  ASSERT_OK(PathsFile::Read(fs_, Db(), &file));
  const std::vector<DbPath>& paths = file.PathsOf(kDefaultColumnFamilyName);
  ASSERT_EQ(2u, paths.size());
  EXPECT_EQ(SlowOfDb(), paths[1].path);
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_EQ(Folders({Db()}), PathsOf(db_));
  EXPECT_FALSE(HasPathsFile());
  // Folders of before are not forgotten.
  ASSERT_OK(Open(SlowRoot(), Db()));
  Fill();
  Options other = SlowRoot();
  other.hotrap.slow_root = Nvme();
  EXPECT_NOK(OpenWithFamily(other, Db(), ColumnFamilyOptions(other)));
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(KnownRootsTest, WithoutTheFile) {
  MakeSlowDB();
  ASSERT_OK(env_->DeleteFile(PathsFile::FileName(Db())));
  ExpectRefused(Plain(), {"db_paths"});
  ExpectWhole(SlowRoot(), Db());
  EXPECT_TRUE(HasPathsFile());
  ExpectWhole(Plain(), Db());
}

// ---- Other file systems -----------------------------------------------------

TEST_F(KnownRootsTest, InMemory) {
  std::unique_ptr<Env> memory(NewMemEnv(Env::Default()));
  Options options = SlowRoot();
  options.env = memory.get();
  ASSERT_OK(memory->CreateDirIfMissing(Hdd()));
  ASSERT_OK(memory->CreateDirIfMissing(root_));
  ASSERT_OK(Open(options, Db()));
  Fill();
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_FALSE(Exists(SlowOfDb()));
  EXPECT_FALSE(Exists(Db()));
  Options plain = Plain();
  plain.env = memory.get();
  ASSERT_OK(Open(plain, Db()));
  EXPECT_EQ(kNumKeys, NumFound());
  Close();
}

}  // namespace ROCKSDB_NAMESPACE
