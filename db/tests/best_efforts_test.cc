//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that best_efforts_recovery works over two paths, and that it does not
// take tables for lost that are on a path which is missing.

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"
#include "rocksdb/hotrap.h"

namespace ROCKSDB_NAMESPACE {

class BestEffortsTest : public TwoPathTestBase {
 public:
  BestEffortsTest() : TwoPathTestBase("best_efforts_test") {}
};

TEST_F(BestEffortsTest, AWholeDB) {
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

TEST_F(BestEffortsTest, AfterAMove) {
  MakeDB();
  MoveTables(Slow(), Fast());
  Options best = OptionsFor({});
  best.best_efforts_recovery = true;
  ASSERT_OK(Open(best, Fast()));
  EXPECT_LE(kNumKeys - 10, NumFound());
}

TEST_F(BestEffortsTest, WithoutThePaths) {
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
      EXPECT_EQ(is_known, Says(s, "has tables in " + Slow())) << s.ToString();
    }
  }
  EXPECT_EQ(before[1], Contents(Slow()));
  ExpectWhole(TwoPaths(), Fast());
}

TEST_F(BestEffortsTest, WithoutThePathsOfAColumnFamily) {
  const std::string dbname = Folder("db");
  Options options = OptionsFor({});
  options.create_missing_column_families = true;
  const ColumnFamilyOptions family = FamilyOn(options, Fast(), Slow());
  ASSERT_OK(OpenWithFamily(options, dbname, family));
  PutAll();
  PutAll(handles_[1]);
  Close();
  const auto before = AllContents();
  Options best(options);
  best.best_efforts_recovery = true;
  const Status s = OpenWithFamily(best, dbname, best);
  EXPECT_NOK(s);
  EXPECT_TRUE(Says(s, "Tables not found")) << s.ToString();
  EXPECT_EQ(before, AllContents());
  ASSERT_OK(OpenWithFamily(options, dbname, family));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
}

// A disk is not mounted.
TEST_F(BestEffortsTest, WithoutADisk) {
  MakeDB();
  Move(Slow(), Folder("away"));
  Options best = TwoPaths();
  best.best_efforts_recovery = true;
  const Status s = Open(best, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, "is its disk mounted?")) << s.ToString();
  ASSERT_OK(env_->DeleteDir(Slow()));
  Move(Folder("away"), Slow());
  ExpectWhole(TwoPaths(), Fast());
}

// A table was written to its mount point.
TEST_F(BestEffortsTest, WithoutADiskButWithAStrayTable) {
  MakeDB();
  Unmount();
  Copy(Folder("away") + "/" + Tables(Folder("away"))[0],
       Slow() + "/000999.sst");
  const auto before = AllContents();
  Options best = TwoPaths();
  best.best_efforts_recovery = true;
  const Status s = Open(best, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, "is its disk mounted?")) << s.ToString();
  EXPECT_EQ(before[1], Contents(Slow()));
  Mount();
  ExpectWhole(TwoPaths(), Fast());
}

// The older MANIFEST needs no tables on that disk.
TEST_F(BestEffortsTest, WithoutADiskButWithAnOlderManifest) {
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

TEST_F(BestEffortsTest, WithoutADiskInAnotherOrder) {
  MakeDB();
  Unmount();
  Options best = OptionsFor({Slow(), Fast()});
  best.best_efforts_recovery = true;
  EXPECT_NOK(Open(best, Fast()));
  Mount();
  ExpectWhole(TwoPaths(), Fast());
}

// Best-efforts recovery is meant for lost tables.
TEST_F(BestEffortsTest, WithoutOneTable) {
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

}  // namespace ROCKSDB_NAMESPACE
