//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/known_paths.h"

#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"

namespace ROCKSDB_NAMESPACE {

class KnownPathsTest : public TwoPathTestBase {
 public:
  KnownPathsTest() : TwoPathTestBase("known_paths_test") {}

  std::string Known() {
    std::string text;
    EXPECT_OK(ReadFileToString(env_, PathsFile::FileName(Fast()), &text));
    return text;
  }
};

// ---- The file with the paths -----------------------------------------------

TEST_F(KnownPathsTest, PathsAreKept) {
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

TEST_F(KnownPathsTest, OnePathKeepsNoFile) {
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
TEST_F(KnownPathsTest, PathsOfADroppedFamilyAreForgotten) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  const ColumnFamilyOptions family =
      FamilyOn(OptionsFor({}), Folder("cf_fast"), Folder("cf_slow"));
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(family, "family", &handle));
  handles_.push_back(handle);
  EXPECT_TRUE(PathsFile::Exists(fs_, Fast()));
  ASSERT_OK(db_->DropColumnFamily(handle));
  EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
}

// ... once its tables are gone.
TEST_F(KnownPathsTest, PathsOfADroppedFamilyWithTablesAreForgotten) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(
      FamilyOn(OptionsFor({}), Folder("cf_fast"), Folder("cf_slow")), "family",
      &handle));
  handles_.push_back(handle);
  Fill(handle);
  ASSERT_OK(db_->DropColumnFamily(handle));
  EXPECT_EQ("HOTRAP_PATHS 1\ndb " + Fast() +
                "\npaths 18446744073709551615:" + Fast() + "\nleft " +
                Folder("cf_fast") + "\nleft " + Folder("cf_slow") + "\n",
            Known());
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
}

// Off, `paranoid_checks` lets a DB open without its tables.
TEST_F(KnownPathsTest, NotForgottenWhileTablesAreMissing) {
  MakeDB();
  const std::string before = Known();
  Options options = OptionsFor({});
  options.paranoid_checks = false;
  Move(Slow(), Folder("away"));
  ASSERT_OK(Open(options, Fast()));
  EXPECT_EQ(before, Known());
  Close();
  Move(Folder("away"), Slow());
  ASSERT_OK(RepairDB(Fast(), OptionsFor({})));
  ExpectWhole(TwoPaths(), Fast());
}

TEST_F(KnownPathsTest, ReadersWriteNoFile) {
  MakeDB();
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  for (const bool all_open : {false, true}) {
    Options options = TwoPaths();
    options.max_open_files = all_open ? -1 : 100;
    ASSERT_OK(OpenReadOnly(options, Fast()));
    Close();
  }
  ASSERT_OK(OpenAsSecondary(TwoPaths()));
  Close();
  EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
}

// Neither damage to the file nor an error while writing it matters.
TEST_F(KnownPathsTest, PathsCannotBeKept) {
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

// ---- A new DB --------------------------------------------------------------

// The DB's own folder is on a disk that is not mounted.
TEST_F(KnownPathsTest, NoNewDBOverTables) {
  MakeDB();
  Move(Fast(), Folder("away"));
  Options options = OptionsFor({Fast(), Slow()});
  options.create_if_missing = true;
  const Status s = Open(options, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, Slow())) << s.ToString();
  EXPECT_TRUE(env_->FileExists(CurrentFileName(Fast())).IsNotFound());
  Close();
  ASSERT_OK(DestroyDir(env_, Fast()));
  Move(Folder("away"), Fast());
  ExpectWhole(OptionsFor({Fast(), Slow()}), Fast());
}

// A file is lost, or the DB's folder is empty, and the paths are not given.
TEST_F(KnownPathsTest, NoNewDBWithoutThePaths) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(TwoPaths(), dbname));
  Fill();
  Close();
  Copy(CurrentFileName(dbname), Folder("current"));
  ASSERT_OK(env_->DeleteFile(CurrentFileName(dbname)));
  const auto before = AllContents();
  const Status s = Open(OptionsFor({}), dbname);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(before, AllContents());
  // Without a MANIFEST, which would name the tables, only HOTRAP_PATHS is left.
  std::string manifest;
  ASSERT_OK(ReadFileToString(env_, Folder("current"), &manifest));
  manifest.pop_back();
  Move(dbname + "/" + manifest, Folder("manifest"));
  EXPECT_TRUE(Open(OptionsFor({}), dbname).IsInvalidArgument());
  Move(Folder("manifest"), dbname + "/" + manifest);
  Copy(Folder("current"), CurrentFileName(dbname));
  ExpectWhole(TwoPaths(), dbname);
  Close();
  // Nothing is known then, but the tables have another id.
  Move(dbname, Folder("away"));
  ASSERT_OK(Open(OptionsFor({}), dbname));
  Close();
  EXPECT_TRUE(Open(TwoPaths(), dbname).IsInvalidArgument());
  ASSERT_OK(DestroyDir(env_, dbname));
  Move(Folder("away"), dbname);
  ExpectWhole(TwoPaths(), dbname);
}

// ---- Paths of other DBs ----------------------------------------------------

// As if that DB had been made before HOTRAP_OWNER was.
TEST_F(KnownPathsTest, NoPathOfAnotherDB) {
  MakeDB();
  PathOwner::Forget(fs_, Slow());
  const std::string other = Folder("other");
  ASSERT_OK(Open(OptionsFor({}), other));
  PutAll();
  Close();
  const auto before = AllContents();
  for (const std::vector<std::string>& folders :
       {std::vector<std::string>{other, Slow()}, {Slow(), other}}) {
    const Status s = Open(OptionsFor(folders), other);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, Slow())) << s.ToString();
    EXPECT_EQ(before, AllContents());
  }
  ASSERT_OK(OpenReadOnly(OptionsFor({other, Slow()}), other));
  EXPECT_EQ(kNumKeys, NumFound());
  ASSERT_OK(Open(OptionsFor({}), other));
  ColumnFamilyHandle* handle = nullptr;
  const Status s = db_->CreateColumnFamily(
      FamilyOn(OptionsFor({}), Fast(), Slow()), "family", &handle);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(before, AllContents());
  ExpectWhole(OptionsFor({}), other);
  ExpectWhole(TwoPaths(), Fast());
}

// All that the other DB has is in its WAL.
TEST_F(KnownPathsTest, NoFolderOfAnotherDB) {
  const std::string dbname = Folder("db");
  const std::string other = Folder("other");
  ASSERT_OK(Open(OptionsFor({}), other));
  ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
  Close();
  Options options = OptionsFor({dbname, other});
  options.create_if_missing = true;
  Status s = Open(options, dbname);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, other)) << s.ToString();
  EXPECT_TRUE(env_->FileExists(CurrentFileName(dbname)).IsNotFound());
  ASSERT_OK(Open(OptionsFor({}), dbname));
  Close();
  s = Open(options, dbname);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, other)) << s.ToString();
  // Nothing else is left of it.
  ASSERT_OK(env_->DeleteFile(CurrentFileName(other)));
  ASSERT_OK(Open(options, dbname));
}

// Its own tables may be anywhere, also under an older id.
TEST_F(KnownPathsTest, APathWithOwnTables) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(OptionsFor({Fast()}), dbname));
  PutAll();
  Close();
  ASSERT_OK(RepairDB(dbname, OptionsFor({Fast()})));
  ASSERT_OK(env_->CreateDir(Slow()));
  Copy(Fast() + "/" + Tables(Fast())[0], Slow() + "/000999.sst");
  ExpectWhole(TwoPaths(), dbname);
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(FamilyOn(OptionsFor({}), Fast(), Slow()),
                                    "family", &handle));
  handles_.push_back(handle);
}

}  // namespace ROCKSDB_NAMESPACE
