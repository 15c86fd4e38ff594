//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that everything that opens, copies or destroys a DB works over two
// paths, or refuses before touching anything. For RepairDB see
// repair_plan_test.cc.

#include <unistd.h>

#include <set>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/checkpoint.h"

namespace ROCKSDB_NAMESPACE {

class OpenersTest : public TwoPathTestBase {
 public:
  OpenersTest() : TwoPathTestBase("openers_test") {}

  Status OpenAsSecondary(const Options& options) {
    return OpenAsSecondary(options, Fast());
  }
  Status OpenAsSecondary(const Options& options, const std::string& dbname) {
    Close();
    Options all_open(options);
    all_open.max_open_files = -1;
    return DB::OpenAsSecondary(all_open, dbname, Folder("secondary"), &db_);
  }
  // Leaves the keys in tables on the first path.
  void PutAll(ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_OK(db_->Put(WriteOptions(), cf, Key(i), Value(i)));
    }
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
  }
  // The disk of the slow folder is not mounted.
  void Unmount() {
    Move(Slow(), Folder("away"));
    ASSERT_OK(env_->CreateDir(Slow()));
  }
  void Mount() {
    ASSERT_OK(DestroyDir(env_, Slow()));
    Move(Folder("away"), Slow());
  }
  static bool Names(const Status& s, const std::string& text) {
    return s.ToString().find(text) != std::string::npos;
  }
  std::string Known() {
    std::string text;
    EXPECT_OK(ReadFileToString(env_, PathsFile::FileName(Fast()), &text));
    return text;
  }
  // The files that a refused call must not change.
  std::vector<std::map<std::string, uint64_t>> AllContents() {
    return {Contents(Fast()), Contents(Slow())};
  }
};

// ---- best_efforts_recovery -------------------------------------------------

TEST_F(OpenersTest, BestEffortsOfAWholeDB) {
  for (const bool hotrap : {false, true}) {
    ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
    MakeDB();
    Options options = TwoPaths();
    options.hotrap.enabled = hotrap;
    Options best(options);
    best.best_efforts_recovery = true;
    ASSERT_OK(Open(best, Fast()));
    // The WAL is not read.
    EXPECT_LE(kNumKeys - 10, NumFound());
    ASSERT_OK(Open(options, Fast()));
    EXPECT_LE(kNumKeys - 10, NumFound());
    Close();
  }
}

TEST_F(OpenersTest, BestEffortsAfterAMove) {
  MakeDB();
  MoveTables(Slow(), Fast());
  Options best = OptionsFor({});
  best.best_efforts_recovery = true;
  ASSERT_OK(Open(best, Fast()));
  EXPECT_LE(kNumKeys - 10, NumFound());
}

TEST_F(OpenersTest, BestEffortsWithoutThePaths) {
  MakeDB();
  const auto before = AllContents();
  for (const bool is_known : {true, false}) {
    if (!is_known) {
      ASSERT_OK(PathsFile::Remove(fs_, Fast()));
    }
    for (const bool in_options : {false, true}) {
      Options best = in_options ? OptionsFor({Fast()}) : OptionsFor({});
      best.best_efforts_recovery = true;
      const Status s = Open(best, Fast());
      EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
      EXPECT_EQ(is_known, Names(s, "has tables in " + Slow())) << s.ToString();
    }
  }
  EXPECT_EQ(before[1], Contents(Slow()));
  ExpectWhole(TwoPaths(), Fast());
}

// The DB's folder is not the one of its tables.
TEST_F(OpenersTest, WithoutThePathsWhileAllTablesAreOnTheFirst) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(TwoPaths(), dbname));
  PutAll();
  Close();
  const auto before = AllContents();
  const Options none = OptionsFor({});
  Options best(none);
  best.best_efforts_recovery = true;
  const auto expect_refusal = [&](const Status& s) {
    EXPECT_NOK(s);
    EXPECT_TRUE(Names(s, "Tables not found")) << s.ToString();
    EXPECT_EQ(before, AllContents());
    Close();
  };
  expect_refusal(DB::OpenForReadOnly(none, dbname, &db_));
  expect_refusal(OpenAsSecondary(none, dbname));
  expect_refusal(Open(none, dbname));
  expect_refusal(Open(best, dbname));
  ExpectWhole(TwoPaths(), dbname);
}

TEST_F(OpenersTest, BestEffortsWithoutThePathsOfAColumnFamily) {
  const std::string dbname = Folder("db");
  Options options = OptionsFor({});
  options.create_missing_column_families = true;
  ColumnFamilyOptions family(options);
  family.cf_paths = {{Fast(), 1 << 20}, {Slow(), 1ull << 40}};
  ASSERT_OK(OpenWithFamily(options, dbname, family));
  PutAll();
  PutAll(handles_[1]);
  Close();
  const auto before = AllContents();
  Options best(options);
  best.best_efforts_recovery = true;
  const Status s = OpenWithFamily(best, dbname, best);
  EXPECT_NOK(s);
  EXPECT_TRUE(Names(s, "Tables not found")) << s.ToString();
  EXPECT_EQ(before, AllContents());
  ASSERT_OK(OpenWithFamily(options, dbname, family));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
}

// A disk is not mounted.
TEST_F(OpenersTest, BestEffortsWithoutADisk) {
  MakeDB();
  Move(Slow(), Folder("away"));
  Options best = TwoPaths();
  best.best_efforts_recovery = true;
  const Status s = Open(best, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Names(s, "is its disk mounted?")) << s.ToString();
  ASSERT_OK(env_->DeleteDir(Slow()));
  Move(Folder("away"), Slow());
  ExpectWhole(TwoPaths(), Fast());
}

// The older MANIFEST needs no tables on that disk.
TEST_F(OpenersTest, BestEffortsWithoutADiskButWithAnOlderManifest) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  std::string manifest;
  ASSERT_OK(ReadFileToString(env_, CurrentFileName(Fast()), &manifest));
  manifest.pop_back();
  Copy(Fast() + "/" + manifest, Folder("older"));
  Fill();
  ExpectWhole(TwoPaths(), Fast());
  Close();
  Copy(Folder("older"), Fast() + "/" + manifest);
  Unmount();
  Options best = TwoPaths();
  best.best_efforts_recovery = true;
  EXPECT_NOK(Open(best, Fast()));
  Mount();
  ExpectWhole(TwoPaths(), Fast());
}

TEST_F(OpenersTest, BestEffortsWithoutADiskInAnotherOrder) {
  MakeDB();
  Unmount();
  Options best = OptionsFor({Slow(), Fast()});
  best.best_efforts_recovery = true;
  EXPECT_NOK(Open(best, Fast()));
  Mount();
  ExpectWhole(TwoPaths(), Fast());
}

// Best-efforts recovery is meant for lost tables.
TEST_F(OpenersTest, BestEffortsWithoutOneTable) {
  MakeDB();
  ASSERT_OK(Open(TwoPaths(), Fast()));
  ASSERT_OK(db_->Put(WriteOptions(), "later", "value"));
  ASSERT_OK(db_->Flush(FlushOptions()));
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  Close();
  for (const auto& file : live) {
    if (file.smallestkey == "later") {
      ASSERT_OK(env_->DeleteFile(file.db_path + file.name));
    }
  }
  Options best = TwoPaths();
  best.best_efforts_recovery = true;
  ASSERT_OK(Open(best, Fast()));
  EXPECT_LE(kNumKeys - 10, NumFound());
}

// ---- Secondary and follower ------------------------------------------------

TEST_F(OpenersTest, Secondary) {
  MakeDB();
  ASSERT_OK(OpenAsSecondary(TwoPaths()));
  EXPECT_EQ(kNumKeys, NumFound());
  // Later tables may be on either path.
  DB* primary = nullptr;
  ASSERT_OK(DB::Open(TwoPaths(), Fast(), &primary));
  for (int i = 0; i < kNumKeys; i++) {
    ASSERT_OK(primary->Put(WriteOptions(), Key(i), "new"));
  }
  ASSERT_OK(primary->Flush(FlushOptions()));
  ASSERT_OK(db_->TryCatchUpWithPrimary());
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), Key(0), &value));
  EXPECT_EQ("new", value);
  CompactRangeOptions compact;
  compact.change_level = true;
  compact.target_level = 4;
  compact.target_path_id = 1;
  ASSERT_OK(primary->CompactRange(compact, nullptr, nullptr));
  ASSERT_OK(primary->Put(WriteOptions(), Key(0), "newer"));
  ASSERT_OK(primary->Flush(FlushOptions()));
  ASSERT_OK(db_->TryCatchUpWithPrimary());
  ASSERT_OK(db_->Get(ReadOptions(), Key(0), &value));
  EXPECT_EQ("newer", value);
  ASSERT_OK(db_->Get(ReadOptions(), Key(1), &value));
  EXPECT_EQ("new", value);
  ASSERT_OK(primary->Close());
  delete primary;
}

TEST_F(OpenersTest, SecondaryAfterAMove) {
  MakeDB();
  MoveTables(Slow(), Fast());
  ASSERT_OK(OpenAsSecondary(OptionsFor({Fast()})));
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(OpenersTest, SecondaryWithoutThePaths) {
  MakeDB();
  const auto before = AllContents();
  for (const bool is_known : {true, false}) {
    if (!is_known) {
      ASSERT_OK(PathsFile::Remove(fs_, Fast()));
    }
    // Without a list of paths, a secondary would look for tables in the
    // primary's folder.
    const Status s = OpenAsSecondary(OptionsFor({}));
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_EQ(is_known, Names(s, "has tables in " + Slow())) << s.ToString();
  }
  EXPECT_EQ(before[1], Contents(Slow()));
}

// The list of paths was long enough when the secondary was opened.
TEST_F(OpenersTest, SecondaryWithoutThePathsOfLaterTables) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  PutAll();
  Options options = OptionsFor({});
  options.max_open_files = -1;
  DB* opened = nullptr;
  ASSERT_OK(DB::OpenAsSecondary(options, Fast(), Folder("secondary"), &opened));
  const std::unique_ptr<DB> secondary(opened);
  Fill();
  EXPECT_NOK(secondary->TryCatchUpWithPrimary());
}

TEST_F(OpenersTest, Follower) {
  MakeDB();
  const auto before = AllContents();
  std::unique_ptr<DB> follower;
  for (const Options& options : {TwoPaths(), OptionsFor({})}) {
    Options all_open(options);
    all_open.max_open_files = -1;
    const Status s =
        DB::OpenAsFollower(all_open, Folder("follower"), Fast(), &follower);
    EXPECT_TRUE(s.IsNotSupported() || s.IsInvalidArgument()) << s.ToString();
  }
  EXPECT_EQ(before, AllContents());
}

TEST_F(OpenersTest, FollowerOfOnePath) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
  ASSERT_OK(db_->Flush(FlushOptions()));
  Close();
  Options options = OptionsFor({});
  options.max_open_files = -1;
  std::unique_ptr<DB> follower;
  ASSERT_OK(DB::OpenAsFollower(options, Folder("follower"), Fast(), &follower));
  std::string value;
  EXPECT_OK(follower->Get(ReadOptions(), "key", &value));
  follower.reset();
}

// ---- Export, checkpoint ----------------------------------------------------

TEST_F(OpenersTest, ExportColumnFamily) {
  MakeDB();
  ASSERT_OK(Open(TwoPaths(), Fast()));
  Checkpoint* checkpoint = nullptr;
  ASSERT_OK(Checkpoint::Create(db_, &checkpoint));
  const std::unique_ptr<Checkpoint> checkpoint_guard(checkpoint);
  ExportImportFilesMetaData* metadata = nullptr;
  ASSERT_OK(checkpoint->ExportColumnFamily(db_->DefaultColumnFamily(),
                                           Folder("export"), &metadata));
  const std::unique_ptr<ExportImportFilesMetaData> metadata_guard(metadata);
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  EXPECT_EQ(live.size(), metadata->files.size());
  EXPECT_EQ(static_cast<int>(live.size()), NumTables(Folder("export")));
  ColumnFamilyHandle* imported = nullptr;
  ASSERT_OK(db_->CreateColumnFamilyWithImport(TwoPaths(), "imported",
                                              ImportColumnFamilyOptions(),
                                              *metadata, &imported));
  handles_.push_back(imported);
  EXPECT_EQ(kNumKeys, NumFound(imported));
}

TEST_F(OpenersTest, CheckpointRefuses) {
  MakeDB();
  ASSERT_OK(Open(TwoPaths(), Fast()));
  Checkpoint* checkpoint = nullptr;
  ASSERT_OK(Checkpoint::Create(db_, &checkpoint));
  const std::unique_ptr<Checkpoint> guard(checkpoint);
  EXPECT_TRUE(
      checkpoint->CreateCheckpoint(Folder("checkpoint")).IsNotSupported());
  EXPECT_TRUE(env_->FileExists(Folder("checkpoint")).IsNotFound());
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(OpenersTest, ListColumnFamilies) {
  MakeDB();
  std::vector<std::string> names;
  ASSERT_OK(DB::ListColumnFamilies(DBOptions(), Fast(), &names));
  EXPECT_EQ(1u, names.size());
}

// ---- The file with the paths -----------------------------------------------

TEST_F(OpenersTest, PathsAreKept) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  const std::string two = "HOTRAP_PATHS 1\ndb " + Fast() +
                          "\npaths 1048576:" + Fast() +
                          " 1099511627776:" + Slow() + "\n";
  EXPECT_EQ(two, Known());
  ColumnFamilyOptions family(TwoPaths());
  family.cf_paths = {{Folder("cf_fast/"), 1}, {Folder("cf_slow"), 2}};
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(family, "family", &handle));
  handles_.push_back(handle);
  const std::string with_family = two + "cf family 1:" + Folder("cf_fast") +
                                  " 2:" + Folder("cf_slow") + "\n";
  EXPECT_EQ(with_family, Known());
  // Removed with the family.
  ASSERT_OK(db_->DropColumnFamily(handle));
  EXPECT_EQ(two, Known());
  ASSERT_OK(Open(TwoPaths(), Fast()));
  EXPECT_EQ(two, Known());
  // The file is written only if it differs.
  uint64_t before = 0;
  uint64_t after = 0;
  ASSERT_OK(
      WriteStringToFile(env_, two + "# mine\n", PathsFile::FileName(Fast())));
  ASSERT_OK(env_->GetFileSize(PathsFile::FileName(Fast()), &before));
  ASSERT_OK(Open(TwoPaths(), Fast()));
  ASSERT_OK(env_->GetFileSize(PathsFile::FileName(Fast()), &after));
  EXPECT_EQ(before, after);
  // The file is not deleted.
  ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
  ASSERT_OK(db_->Flush(FlushOptions()));
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  ASSERT_OK(db_->EnableFileDeletions());
  EXPECT_EQ(before, Known().size());
}

TEST_F(OpenersTest, OnePathKeepsNoFile) {
  for (const std::vector<std::string>& folders :
       {std::vector<std::string>{}, {Fast()}, {Fast(), Fast() + "/"}}) {
    ASSERT_OK(Open(OptionsFor(folders), Fast()));
    ColumnFamilyHandle* handle = nullptr;
    ASSERT_OK(db_->CreateColumnFamily(
        OptionsFor({}), "family" + std::to_string(folders.size()), &handle));
    ASSERT_OK(db_->DropColumnFamily(handle));
    handles_.push_back(handle);
    EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
    Close();
  }
  // Back to one path.
  MakeDB();
  EXPECT_TRUE(PathsFile::Exists(fs_, Fast()));
  MoveTables(Slow(), Fast());
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
}

// No other family has several paths.
TEST_F(OpenersTest, PathsOfADroppedFamilyAreForgotten) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  ColumnFamilyOptions family(OptionsFor({}));
  family.cf_paths = {{Folder("cf_fast"), 1 << 20},
                     {Folder("cf_slow"), 1ull << 40}};
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(family, "family", &handle));
  handles_.push_back(handle);
  EXPECT_TRUE(PathsFile::Exists(fs_, Fast()));
  ASSERT_OK(db_->DropColumnFamily(handle));
  EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
}

TEST_F(OpenersTest, ReadersWriteNoFile) {
  MakeDB();
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  for (const bool all_open : {false, true}) {
    Options options = TwoPaths();
    options.max_open_files = all_open ? -1 : 100;
    ASSERT_OK(DB::OpenForReadOnly(options, Fast(), &db_));
    Close();
  }
  ASSERT_OK(OpenAsSecondary(TwoPaths()));
  Close();
  EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
}

// Neither damage to the file nor an error while writing it matters.
TEST_F(OpenersTest, PathsCannotBeKept) {
  MakeDB();
  ASSERT_OK(WriteStringToFile(env_, std::string(1000, '\xff'),
                              PathsFile::FileName(Fast())));
  ExpectWhole(TwoPaths(), Fast());
  EXPECT_NE(std::string::npos, Known().find(Slow()));
  Close();
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  ASSERT_OK(env_->CreateDir(PathsFile::FileName(Fast()) + ".tmp"));
  ExpectWhole(TwoPaths(), Fast());
  Close();
  ASSERT_OK(env_->DeleteDir(PathsFile::FileName(Fast()) + ".tmp"));
}

// ---- DestroyDB -------------------------------------------------------------

TEST_F(OpenersTest, DestroyWithoutThePaths) {
  for (const bool in_options : {false, true}) {
    Options options = TwoPaths();
    options.create_missing_column_families = true;
    ColumnFamilyOptions family(options);
    family.cf_paths = {{Folder("cf_fast"), 1 << 20},
                       {Folder("cf_slow"), 1ull << 40}};
    ASSERT_OK(OpenWithFamily(options, Fast(), family));
    Fill();
    Fill(handles_[1]);
    Close();
    ASSERT_OK(DestroyDB(Fast(), in_options ? OptionsFor({Fast()}) : Options()));
    for (const char* folder : {"fast", "slow", "cf_fast", "cf_slow"}) {
      EXPECT_TRUE(env_->FileExists(Folder(folder)).IsNotFound()) << folder;
    }
  }
}

TEST_F(OpenersTest, DestroyWithThePaths) {
  MakeDB();
  ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
  EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
  EXPECT_TRUE(env_->FileExists(Slow()).IsNotFound());
}

// The file of a copy names the folders of the original.
TEST_F(OpenersTest, DestroyACopy) {
  MakeDB();
  CopyFolder(Fast(), Folder("copy"));
  const auto before = AllContents();
  ASSERT_OK(DestroyDB(Folder("copy"), Options()));
  EXPECT_EQ(before, AllContents());
  EXPECT_TRUE(env_->FileExists(Folder("copy")).IsNotFound());
  ExpectWhole(TwoPaths(), Fast());
}

// Another DB has its tables in the folders of a dropped column family.
TEST_F(OpenersTest, DestroyAfterAColumnFamilyWasDropped) {
  const std::string first = Folder("db");
  ASSERT_OK(Open(OptionsFor({}), first));
  ColumnFamilyOptions family(OptionsFor({}));
  family.cf_paths = {{Fast(), 1 << 20}, {Slow(), 1ull << 40}};
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(family, "family", &handle));
  handles_.push_back(handle);
  ASSERT_OK(db_->Put(WriteOptions(), handle, "key", "value"));
  ASSERT_OK(db_->DropColumnFamily(handle));
  Close();
  ASSERT_OK(Open(TwoPaths(), Folder("other")));
  Fill();
  Close();
  const auto before = AllContents();
  ASSERT_OK(DestroyDB(first, OptionsFor({})));
  EXPECT_EQ(before, AllContents());
  ExpectWhole(TwoPaths(), Folder("other"));
}

// ... or in folders named by a file that stock RocksDB has left behind.
TEST_F(OpenersTest, DestroyByAnOldFile) {
  const std::string first = Folder("db");
  ASSERT_OK(Open(OptionsFor({}), first));
  PutAll();
  Close();
  PathsFile old;
  old.db_folder = PathsFile::Folder(fs_, first);
  old.db_paths = TwoPaths().db_paths;
  ASSERT_OK(old.Write(fs_, first));
  ASSERT_OK(Open(TwoPaths(), Folder("other")));
  Fill();
  Close();
  const auto before = AllContents();
  DestroyDB(first, OptionsFor({})).PermitUncheckedError();
  EXPECT_EQ(before, AllContents());
  ExpectWhole(TwoPaths(), Folder("other"));
}

// The file is needed until the tables are gone.
TEST_F(OpenersTest, DestroyThroughALink) {
  const std::string link = Folder("link");
  ASSERT_OK(Open(TwoPaths(), Folder("db")));
  Fill();
  Close();
  ASSERT_EQ(0, symlink(Folder("db").c_str(), link.c_str()));
  DestroyDB(link, OptionsFor({})).PermitUncheckedError();
  EXPECT_EQ(0, unlink(link.c_str()));
  EXPECT_EQ(NumTables(Fast()) + NumTables(Slow()) > 0,
            PathsFile::Exists(fs_, Folder("db")));
}

// Another DB is in a folder that once held tables of this one.
// The DB's own folder is on a disk that is not mounted.
TEST_F(OpenersTest, NoNewDBOverTables) {
  MakeDB();
  Move(Fast(), Folder("away"));
  Options options = OptionsFor({Fast(), Slow()});
  options.create_if_missing = true;
  const Status s = Open(options, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find(Slow())) << s.ToString();
  Close();
  ASSERT_OK(DestroyDir(env_, Fast()));
  Move(Folder("away"), Fast());
  ExpectWhole(OptionsFor({Fast(), Slow()}), Fast());
}

TEST_F(OpenersTest, DestroyLeavesOthersAlone) {
  MakeDB();
  MoveTables(Slow(), Fast());
  ASSERT_OK(Open(OptionsFor({}), Slow()));
  for (int i = 0; i < kNumKeys; i++) {
    ASSERT_OK(db_->Put(WriteOptions(), Key(i), Value(i)));
  }
  Close();
  ASSERT_OK(DestroyDB(Fast(), Options()));
  ExpectWhole(OptionsFor({}), Slow());
}

TEST_F(OpenersTest, DestroyOnePath) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  Close();
  ASSERT_OK(DestroyDB(Fast(), Options()));
  EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
}

}  // namespace ROCKSDB_NAMESPACE
