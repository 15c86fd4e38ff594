//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/path_owner.h"

#include <memory>

#include "plugin/hotrap/test_util/two_path_test_base.h"
#include "rocksdb/utilities/checkpoint.h"

namespace ROCKSDB_NAMESPACE {

class PathOwnerTest : public TwoPathTestBase {
 public:
  PathOwnerTest() : TwoPathTestBase("path_owner_test") {}

  // Neither path is its own folder.
  std::string Db() const { return Folder("db"); }
  void MakeDB() {
    ASSERT_OK(Open(TwoPaths(), Db()));
    Fill();
    Close();
  }
  // All in one folder, and with the ids and numbers of the original.
  void MakeCopy(const std::string& dbname, const std::string& folder) {
    ASSERT_OK(Open(TwoPaths(), dbname));
    Checkpoint* made = nullptr;
    ASSERT_OK(Checkpoint::Create(db_, &made));
    const std::unique_ptr<Checkpoint> checkpoint(made);
    ASSERT_OK(checkpoint->CreateCheckpoint(folder));
    Close();
  }
  bool IsNoted(const std::string& folder) {
    return env_->FileExists(PathOwner::FileName(folder)).ok();
  }
  void ExpectRefused(const Status& s, const std::string& folder,
                     const std::string& owner) {
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, folder)) << s.ToString();
    EXPECT_TRUE(Says(s, owner)) << s.ToString();
  }
};

// ---- The file --------------------------------------------------------------

TEST_F(PathOwnerTest, NotedInPathsBesideTheOwn) {
  MakeDB();
  EXPECT_FALSE(IsNoted(Db()));
  EXPECT_TRUE(IsNoted(Fast()));
  EXPECT_TRUE(IsNoted(Slow()));
  // A lost or damaged one is written again.
  ASSERT_OK(env_->DeleteFile(PathOwner::FileName(Fast())));
  ASSERT_OK(WriteStringToFile(env_, "x", PathOwner::FileName(Slow())));
  ExpectWhole(TwoPaths(), Db());
  Close();
  for (const std::string& folder : {Fast(), Slow()}) {
    ExpectRefused(PathOwner::Check(fs_, folder, Folder("db2")), folder, Db());
    EXPECT_OK(PathOwner::Check(fs_, folder, Db()));
  }
  ASSERT_OK(DestroyDB(Db(), TwoPaths()));
  EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
  EXPECT_TRUE(env_->FileExists(Slow()).IsNotFound());
}

TEST_F(PathOwnerTest, NotWithOnePath) {
  ASSERT_OK(Open(OptionsFor({}), Db()));
  PutAll();
  EXPECT_FALSE(IsNoted(Db()));
}

TEST_F(PathOwnerTest, ForgottenWithThePath) {
  ASSERT_OK(Open(TwoPaths(), Db()));
  EXPECT_TRUE(IsNoted(Slow()));
  ASSERT_OK(Open(OptionsFor({}), Db()));
  EXPECT_FALSE(IsNoted(Fast()));
  EXPECT_FALSE(IsNoted(Slow()));
}

// ---- Two DBs ---------------------------------------------------------------

// A checkpoint is opened with the options of the original, which name the
// original's paths. Tables with its numbers are there, too.
TEST_F(PathOwnerTest, PathsOfTheOriginal) {
  MakeDB();
  const std::string copy = Folder("copy");
  MakeCopy(Db(), copy);
  ASSERT_OK(Open(TwoPaths(), Db()));
  ASSERT_OK(db_->Put(WriteOptions(), "later", "value"));
  ASSERT_OK(db_->Flush(FlushOptions()));
  Close();
  const auto fast = Contents(Fast());
  const auto slow = Contents(Slow());
  ExpectRefused(Open(TwoPaths(), copy), Fast(), Db());
  ExpectRefused(RepairDB(copy, TwoPaths()), Fast(), Db());
  ExpectRefused(DestroyDB(copy, TwoPaths()), Fast(), Db());
  ASSERT_OK(Open(OptionsFor({}), copy));
  ColumnFamilyHandle* handle = nullptr;
  ExpectRefused(
      db_->CreateColumnFamily(FamilyOn(OptionsFor({}), Folder("more"), Slow()),
                              "family", &handle),
      Slow(), Db());
  Close();
  EXPECT_EQ(fast, Contents(Fast()));
  EXPECT_EQ(slow, Contents(Slow()));
  ExpectWhole(OptionsFor({}), copy);
  ExpectWhole(TwoPaths(), Db());
  Close();
  ASSERT_OK(DestroyDB(copy, OptionsFor({})));
  ExpectWhole(TwoPaths(), Db());
}

// Its first path is its own folder.
TEST_F(PathOwnerTest, TheOwnFolderOfTheOriginal) {
  TwoPathTestBase::MakeDB();
  const std::string copy = Folder("copy");
  MakeCopy(Fast(), copy);
  const auto before = AllContents();
  ExpectRefused(Open(TwoPaths(), copy), Fast(), "CURRENT");
  ExpectRefused(DestroyDB(copy, TwoPaths()), Fast(), "CURRENT");
  EXPECT_EQ(before, AllContents());
  ExpectWhole(OptionsFor({}), copy);
  ExpectWhole(TwoPaths(), Fast());
}

// A new DB, while all that the other has is in its WAL.
TEST_F(PathOwnerTest, NoTablesYet) {
  ASSERT_OK(Open(TwoPaths(), Db()));
  ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
  Close();
  const std::string db2 = Folder("db2");
  Options options = TwoPaths();
  options.create_if_missing = true;
  ExpectRefused(Open(options, db2), Fast(), Db());
  EXPECT_TRUE(env_->FileExists(db2 + "/CURRENT").IsNotFound());
}

// ---- One DB ----------------------------------------------------------------

TEST_F(PathOwnerTest, AMovedDB) {
  MakeDB();
  const std::string db2 = Folder("db2");
  Move(Db(), db2);
  ExpectWhole(TwoPaths(), db2);
  Close();
  // Now they are the paths of this one.
  ASSERT_OK(Open(OptionsFor({}), Db()));
  Close();
  ExpectRefused(Open(TwoPaths(), Db()), Fast(), db2);
  ExpectWhole(TwoPaths(), db2);
  Close();
  ASSERT_OK(DestroyDB(db2, TwoPaths()));
  EXPECT_TRUE(env_->FileExists(Fast()).IsNotFound());
}

TEST_F(PathOwnerTest, TheOtherHasLeftThePath) {
  ASSERT_OK(Open(TwoPaths(), Db()));
  ASSERT_OK(Open(OptionsFor({}), Db()));
  Close();
  ASSERT_OK(WriteStringToFile(env_, "HOTRAP_PATHS 1\ndb " + Db() + "\n",
                              PathOwner::FileName(Slow())));
  EXPECT_OK(PathOwner::Check(fs_, Slow(), Folder("db2")));
}

}  // namespace ROCKSDB_NAMESPACE
