//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/destroy_plan.h"

#include <unistd.h>

#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/test_util/dying_file_system.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// A folder that cannot be changed, or not even be listed.
class BrokenFileSystem : public FileSystemWrapper {
 public:
  BrokenFileSystem(std::string folder, bool is_listed)
      : FileSystemWrapper(FileSystem::Default()),
        folder_(std::move(folder)),
        is_listed_(is_listed) {}
  const char* Name() const override { return "BrokenFileSystem"; }

  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* result,
                       IODebugContext* dbg) override {
    return !is_listed_ && dir == folder_
               ? IOStatus::IOError("broken")
               : target()->GetChildren(dir, options, result, dbg);
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* dbg) override {
    return name.compare(0, folder_.size(), folder_) == 0
               ? IOStatus::IOError("broken")
               : target()->DeleteFile(name, options, dbg);
  }

 private:
  const std::string folder_;
  const bool is_listed_;
};

}  // namespace

class DestroyPlanTest : public TwoPathTestBase {
 public:
  DestroyPlanTest() : TwoPathTestBase("destroy_plan_test") {}

  void ExpectGone() {
    EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
    EXPECT_TRUE(env_->FileExists(Slow()).IsNotFound());
  }
  // Its HOTRAP_PATHS names the two paths, and its tables are in its folder.
  void MakeDBThatHadTwoPaths(const std::string& dbname) {
    ASSERT_OK(Open(OptionsFor({}), dbname));
    PutAll();
    Close();
    PathsFile old;
    old.db_folder = PathsFile::Folder(fs_, dbname);
    old.db_paths = TwoPaths().db_paths;
    ASSERT_OK(old.Write(fs_, dbname));
  }
};

TEST_F(DestroyPlanTest, WithoutThePaths) {
  for (const bool in_options : {false, true}) {
    Options options = TwoPaths();
    options.create_missing_column_families = true;
    const ColumnFamilyOptions family =
        FamilyOn(options, Folder("cf_fast"), Folder("cf_slow"));
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

TEST_F(DestroyPlanTest, WithThePaths) {
  MakeDB();
  ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
  EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
  EXPECT_TRUE(env_->FileExists(Slow()).IsNotFound());
}

// The file of a copy names the folders of the original.
TEST_F(DestroyPlanTest, ACopy) {
  MakeDB();
  CopyFolder(Fast(), Folder("copy"));
  PathOwner::Forget(fs_, Slow());
  const auto before = AllContents();
  ASSERT_OK(DestroyDB(Folder("copy"), Options()));
  EXPECT_EQ(before, AllContents());
  EXPECT_TRUE(env_->FileExists(Folder("copy")).IsNotFound());
  ExpectWhole(TwoPaths(), Fast());
}

// Another DB has its tables in the folders of a dropped column family.
TEST_F(DestroyPlanTest, AfterAColumnFamilyWasDropped) {
  const std::string first = Folder("db");
  ASSERT_OK(Open(OptionsFor({}), first));
  const ColumnFamilyOptions family = FamilyOn(OptionsFor({}), Fast(), Slow());
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

// A crash has kept its tables.
TEST_F(DestroyPlanTest, TablesOfADroppedColumnFamily) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(OptionsFor({}), dbname));
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(FamilyOn(OptionsFor({}), Fast(), Slow()),
                                    "family", &handle));
  handles_.push_back(handle);
  Fill(handle);
  ASSERT_OK(db_->DropColumnFamily(handle));
  CopyFolder(Fast(), Folder("fast2"));
  CopyFolder(Slow(), Folder("slow2"));
  Close();
  EXPECT_EQ(0, NumTables(Fast()) + NumTables(Slow()));
  MoveTables(Folder("fast2"), Fast());
  MoveTables(Folder("slow2"), Slow());
  // They are not the DB's any more, but nobody else's.
  ASSERT_OK(Open(OptionsFor({}), dbname));
  Close();
  EXPECT_TRUE(PathsFile::Exists(fs_, dbname));
  ASSERT_OK(DestroyDB(dbname, OptionsFor({})));
  ExpectGone();
}

// ... or in folders named by a file that stock RocksDB has left behind.
TEST_F(DestroyPlanTest, ByAnOldFile) {
  const std::string first = Folder("db");
  MakeDBThatHadTwoPaths(first);
  ASSERT_OK(Open(TwoPaths(), Folder("other")));
  Fill();
  Close();
  const auto before = AllContents();
  DestroyDB(first, OptionsFor({})).PermitUncheckedError();
  EXPECT_EQ(before, AllContents());
  ExpectWhole(TwoPaths(), Folder("other"));
}

// The file is needed until the tables are gone.
TEST_F(DestroyPlanTest, ThroughALink) {
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
TEST_F(DestroyPlanTest, LeavesOthersAlone) {
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

TEST_F(DestroyPlanTest, OnePath) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  Close();
  ASSERT_OK(DestroyDB(Fast(), Options()));
  EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
}

// A path is missing in the list, or wrong.
TEST_F(DestroyPlanTest, WithSomeOfThePaths) {
  for (const bool wrong : {false, true}) {
    Options options = TwoPaths();
    options.create_missing_column_families = true;
    const ColumnFamilyOptions family =
        FamilyOn(options, Folder("cf_fast"), Folder("cf_slow"));
    ASSERT_OK(OpenWithFamily(options, Fast(), family));
    Fill();
    Fill(handles_[1]);
    Close();
    ASSERT_OK(DestroyDB(
        Fast(), wrong ? OptionsFor({Fast(), Folder("wrong")}) : OptionsFor({}),
        {{"family", wrong ? ColumnFamilyOptions() : family}}));
    ExpectGone();
    EXPECT_EQ(0, NumTables(Folder("cf_fast")) + NumTables(Folder("cf_slow")));
  }
}

// The DB's only path is not its folder.
TEST_F(DestroyPlanTest, WithoutTheOnlyPath) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(OptionsFor({Slow()}), dbname));
  PutAll();
  Close();
  ASSERT_OK(DestroyDB(dbname, OptionsFor({})));
  EXPECT_EQ(0, NumTables(Slow()));
  EXPECT_TRUE(env_->FileExists(dbname).IsNotFound());
}

// Then the DB has another id than its older tables, or none.
TEST_F(DestroyPlanTest, WithAnotherId) {
  for (const bool lost : {false, true}) {
    const std::string dbname = Folder("db");
    ASSERT_OK(Open(TwoPaths(), dbname));
    Fill();
    Close();
    ASSERT_OK(RepairDB(dbname, TwoPaths()));
    ExpectWhole(TwoPaths(), dbname);
    Close();
    if (lost) {
      ASSERT_OK(env_->DeleteFile(IdentityFileName(dbname)));
    }
    ASSERT_OK(DestroyDB(dbname, OptionsFor({})));
    ExpectGone();
  }
}

// The second attempt finds neither IDENTITY nor the MANIFEST.
TEST_F(DestroyPlanTest, AtTheSecondAttempt) {
  for (const bool is_listed : {true, false}) {
    MakeDB();
    const int num_tables = NumTables(Slow());
    const std::unique_ptr<Env> env =
        NewCompositeEnv(std::make_shared<BrokenFileSystem>(Slow(), is_listed));
    Options options = OptionsFor({});
    options.env = env.get();
    for (int i = 0; i < 2; i++) {
      EXPECT_NOK(DestroyDB(Fast(), options));
      EXPECT_EQ(num_tables, NumTables(Slow()));
      EXPECT_TRUE(PathsFile::Exists(fs_, Fast()));
    }
    ASSERT_OK(DestroyDB(Fast(), OptionsFor({})));
    ExpectGone();
  }
}

// All that a kill has left goes at the next attempt. A checkpoint may have all
// tables in its folder, while its MANIFEST says that some are elsewhere.
TEST_F(DestroyPlanTest, AfterAKill) {
  for (const bool in_one_folder : {false, true}) {
    bool ended = false;
    for (int64_t changes = 0; !ended; changes++) {
      SCOPED_TRACE(testing::Message()
                   << "in one folder: " << in_one_folder << ", " << changes);
      MakeDB();
      if (in_one_folder) {
        for (const std::string& name : TableNames(fs_, Slow())) {
          ASSERT_OK(env_->RenameFile(Slow() + "/" + name, Fast() + "/" + name));
        }
        ASSERT_OK(PathsFile::Remove(fs_, Fast()));
        PathOwner::Forget(fs_, Slow());
        ASSERT_OK(env_->DeleteDir(Slow()));
      }
      const auto dying = std::make_shared<DyingFileSystem>(
          FileSystem::Default(), [](const std::string&) { return true; });
      dying->DieAfter(changes);
      const std::unique_ptr<Env> env = NewCompositeEnv(dying);
      Options options = OptionsFor({});
      options.env = env.get();
      DestroyDB(Fast(), options).PermitUncheckedError();
      ended = !dying->dead();
      ASSERT_OK(DestroyDB(Fast(), OptionsFor({})));
      ExpectGone();
    }
  }
}

TEST_F(DestroyPlanTest, ACopyByHardLinks) {
  MakeDB();
  MoveTables(Slow(), Fast());
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  ASSERT_OK(env_->CreateDir(Folder("copy")));
  for (const std::string& name : Names(Fast())) {
    ASSERT_OK(env_->LinkFile(Fast() + "/" + name, Folder("copy/" + name)));
  }
  const Options one_path = OptionsFor({});
  ASSERT_OK(DestroyDB(Fast(), one_path));
  EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
  ExpectWhole(one_path, Folder("copy"));
}

// The DB is stock RocksDB's.
TEST_F(DestroyPlanTest, WithoutThePathsAndTheirFile) {
  MakeDB();
  for (const bool damaged : {false, true}) {
    ASSERT_OK(PathsFile::Remove(fs_, Fast()));
    if (damaged) {
      ASSERT_OK(
          WriteStringToFile(env_, "damaged", PathsFile::FileName(Fast())));
    }
    const auto before = AllContents();
    const Status s = DestroyDB(Fast(), OptionsFor({}));
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_EQ(before, AllContents());
  }
  ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
  ExpectGone();
}

// The file names the folders as before, but it may be a copy's.
TEST_F(DestroyPlanTest, AMovedDB) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(TwoPaths(), dbname));
  Fill();
  Close();
  const std::string moved = Folder("moved");
  Move(dbname, moved);
  const auto before = AllContents();
  const Status s = DestroyDB(moved, OptionsFor({}));
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, Fast())) << s.ToString();
  EXPECT_EQ(before, AllContents());
  ASSERT_OK(DestroyDB(moved, TwoPaths()));
  ExpectGone();
}

// Both were filled alike, and the first has been elsewhere before.
TEST_F(DestroyPlanTest, ATwin) {
  const std::string first = Folder("db");
  MakeDBThatHadTwoPaths(first);
  ASSERT_OK(Open(TwoPaths(), Folder("other")));
  PutAll();
  Close();
  PathOwner::Forget(fs_, Fast());
  PathOwner::Forget(fs_, Slow());
  const auto before = Contents(Fast());
  ASSERT_FALSE(before.empty());
  ASSERT_OK(DestroyDB(first, OptionsFor({})));
  EXPECT_EQ(before, Contents(Fast()));
}

}  // namespace ROCKSDB_NAMESPACE
