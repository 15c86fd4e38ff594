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
  const auto without = [&](bool in_options) {
    Options best = in_options ? OptionsFor({Fast()}) : OptionsFor({});
    best.best_efforts_recovery = true;
    return best;
  };
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  for (const bool in_options : {false, true}) {
    const Status s = Open(without(in_options), Fast());
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  }
  EXPECT_EQ(before[1], Contents(Slow()));
  ExpectWhole(TwoPaths(), Fast());
  for (const bool in_options : {false, true}) {
    ExpectWhole(without(in_options), Fast());
  }
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
  Options best(options);
  best.best_efforts_recovery = true;
  ASSERT_OK(OpenWithFamily(best, dbname, best));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  ASSERT_OK(OpenWithFamily(options, dbname, family));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
}

// The list is as long as that of HOTRAP_PATHS.
TEST_F(BestEffortsTest, OtherPathsForAColumnFamily) {
  for (const bool one_path : {false, true}) {
    Options options = TwoPaths();
    options.create_missing_column_families = true;
    ColumnFamilyOptions family =
        FamilyOn(options, Folder("cf_fast"), Folder("cf_slow"));
    if (one_path) {
      family.cf_paths.resize(1);
    }
    ASSERT_OK(OpenWithFamily(options, Fast(), family));
    PutAll();
    PutAll(handles_[1]);
    Close();
    const auto before = Contents(Folder("cf_fast"));
    Options best(options);
    best.best_efforts_recovery = true;
    const Status s = OpenWithFamily(best, Fast(), best);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, "has tables in " + Folder("cf_fast"))) << s.ToString();
    EXPECT_EQ(before, Contents(Folder("cf_fast")));
    ASSERT_OK(OpenWithFamily(options, Fast(), family));
    EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
    Close();
    ASSERT_OK(DestroyDB(Fast(), OptionsFor({})));
  }
}

// Some tables of the second path are in the wrong folder, too.
TEST_F(BestEffortsTest, AWrongPathWithSomeOfTheTables) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  PutAll();
  Close();
  const std::vector<std::string> names = Tables(Fast());
  ASSERT_EQ(3u, names.size());
  ASSERT_OK(env_->CreateDirIfMissing(Slow()));
  for (int i = 0; i < 2; i++) {
    Move(Fast() + "/" + names[i], Slow() + "/" + names[i]);
  }
  ExpectWhole(TwoPaths(), Fast());
  Close();
  const std::string wrong = Folder("wrong");
  ASSERT_OK(env_->CreateDir(wrong));
  Copy(Slow() + "/" + names[0], wrong + "/" + names[0]);
  const auto before = AllContents();
  Options best = OptionsFor({Fast(), wrong});
  best.best_efforts_recovery = true;
  const Status s = Open(best, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, "has tables in " + Slow())) << s.ToString();
  EXPECT_EQ(before[1], Contents(Slow()));
  ExpectWhole(TwoPaths(), Fast());
}

// ... and no file tells which path is right.
TEST_F(BestEffortsTest, AnotherDBsPath) {
  MakeDB();
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  const std::string other = Folder("other");
  ASSERT_OK(Open(OptionsFor({other}), other));
  PutAll();
  Close();
  Options best = OptionsFor({Fast(), other});
  best.best_efforts_recovery = true;
  const Status s = Open(best, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, "lies in " + other)) << s.ToString();
  EXPECT_NOK(OpenAsSecondary(OptionsFor({Fast(), other})));
  ExpectWhole(TwoPaths(), Fast());
  ExpectWhole(OptionsFor({other}), other);
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

// The other path rightly has none.
TEST_F(BestEffortsTest, WithoutOneTableOfASmallDB) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  PutAll();
  Close();
  ASSERT_LE(2, NumTables(Fast()));
  ASSERT_EQ(0, NumTables(Slow()));
  ASSERT_OK(env_->DeleteFile(Fast() + "/" + Tables(Fast())[0]));
  Options best = TwoPaths();
  best.best_efforts_recovery = true;
  ASSERT_OK(Open(best, Fast()));
}

// A table was moved there by hand, which the MANIFEST does not know.
TEST_F(BestEffortsTest, WithoutANewDisk) {
  ASSERT_OK(Open(OptionsFor({Fast()}), Fast()));
  PutAll();
  Close();
  const std::string name = Tables(Fast())[0];
  ASSERT_OK(env_->CreateDir(Slow()));
  Move(Fast() + "/" + name, Slow() + "/" + name);
  Unmount();
  Options best = TwoPaths();
  best.best_efforts_recovery = true;
  const Status s = Open(best, Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
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
