//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that RepairDB refuses, before it touches anything, where tables may lie
// in a folder that is missing, and does not where they are lost.

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"

namespace ROCKSDB_NAMESPACE {

class RepairRefusalsTest : public TwoPathTestBase {
 public:
  RepairRefusalsTest() : TwoPathTestBase("repair_refusals_test") {}

  void ExpectRefusal(const Options& options, const std::string& text) {
    const auto before = AllContents();
    const Status s = RepairDB(Fast(), options);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, text)) << s.ToString();
    EXPECT_EQ(before, AllContents());
  }
};

TEST_F(RepairRefusalsTest, WithoutThePathsAndTheirFile) {
  MakeDB();
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  ExpectRefusal(OptionsFor({}), "The MANIFEST says");
  ExpectRefusal(OptionsFor({Fast()}), "The MANIFEST says");
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairRefusalsTest, AFolderIsMissing) {
  MakeDB();
  Move(Slow(), Folder("away"));
  const auto fast = Contents(Fast());
  for (const bool damaged : {false, true}) {
    if (damaged) {
      DamageManifest();
    }
    const Status s = RepairDB(Fast(), OptionsFor({}));
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, Slow())) << s.ToString();
  }
  Move(Folder("away"), Slow());
  ASSERT_OK(RepairDB(Fast(), OptionsFor({})));
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairRefusalsTest, ADiskIsNotMounted) {
  MakeDB();
  Unmount();
  ExpectRefusal(TwoPaths(), "is its disk mounted?");
  Mount();
  ExpectWholeForGood(TwoPaths());
}

// CURRENT is lost, too.
TEST_F(RepairRefusalsTest, ADiskIsNotMountedAndNoManifestIsCurrent) {
  MakeDB();
  ASSERT_OK(env_->DeleteFile(CurrentFileName(Fast())));
  Unmount();
  ExpectRefusal(TwoPaths(), "");
  Mount();
  ASSERT_OK(RepairDB(Fast(), TwoPaths()));
  ExpectWholeForGood(TwoPaths());
}

// No MANIFEST says which tables are missing.
TEST_F(RepairRefusalsTest, ADiskIsNotMountedAndNoManifest) {
  MakeDB();
  for (const std::string& name : Names(Fast())) {
    if (name.compare(0, 8, "MANIFEST") == 0) {
      ASSERT_OK(WriteStringToFile(env_, "", Fast() + "/" + name));
    }
  }
  Unmount();
  for (const bool exists : {true, false}) {
    if (!exists) {
      ASSERT_OK(env_->DeleteDir(Slow()));
      ASSERT_OK(env_->DeleteFile(CurrentFileName(Fast())));
    }
    const auto before = Contents(Fast());
    for (const Options& options : {TwoPaths(), OptionsFor({})}) {
      const Status s = RepairDB(Fast(), options);
      EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
      EXPECT_TRUE(Says(s, Slow())) << s.ToString();
    }
    EXPECT_EQ(before, Contents(Fast()));
  }
  Move(Folder("away"), Slow());
  ASSERT_OK(RepairDB(Fast(), TwoPaths()));
  ExpectWholeForGood(TwoPaths());
}

// There is no file to name the path.
TEST_F(RepairRefusalsTest, WithoutThePathOfAColumnFamily) {
  Options options = TwoPaths();
  options.create_missing_column_families = true;
  ColumnFamilyOptions family(options);
  family.cf_paths = {{Folder("cf"), 1ull << 40}};
  ASSERT_OK(OpenWithFamily(options, Fast(), family));
  Fill();
  PutAll(handles_[1]);
  Close();
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  ExpectRefusal(TwoPaths(), "of column family family");
  ASSERT_OK(
      RepairDB(Fast(), options,
               {{kDefaultColumnFamilyName, options}, {"family", family}}));
  ASSERT_OK(OpenWithFamily(options, Fast(), family));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
}

// A path rightly has no tables.
TEST_F(RepairRefusalsTest, WithoutOneTableOfASmallDB) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  PutAll();
  Close();
  ASSERT_LE(2, NumTables(Fast()));
  ASSERT_EQ(0, NumTables(Slow()));
  ASSERT_OK(env_->DeleteFile(Fast() + "/" + Tables(Fast())[0]));
  ASSERT_OK(RepairDB(Fast(), TwoPaths()));
  ASSERT_OK(Open(TwoPaths(), Fast()));
}

// RocksDB's repair would leave the blob files out.
TEST_F(RepairRefusalsTest, BlobFiles) {
  Options options = TwoPaths();
  options.enable_blob_files = true;
  options.min_blob_size = 50;
  ASSERT_OK(Open(options, Fast()));
  PutAll();
  Close();
  for (const bool damaged : {false, true}) {
    if (damaged) {
      DamageManifest();
      Copy(Fast() + "/" + Tables(Fast())[0], Slow() + "/000999.sst");
    }
    const auto before = AllContents();
    EXPECT_TRUE(RepairDB(Fast(), options).IsNotSupported());
    EXPECT_EQ(before, AllContents());
  }
}

TEST_F(RepairRefusalsTest, WrongPaths) {
  MakeDB();
  DamageManifest();
  ExpectRefusal(OptionsFor({Fast(), Folder("wrong")}), Slow());
  ASSERT_OK(RepairDB(Fast(), TwoPaths()));
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairRefusalsTest, NotWhileTheDBIsOpen) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  Fill();
  Copy(Slow() + "/" + Tables(Slow())[0], Fast() + "/" + Tables(Slow())[0]);
  const auto before = AllContents();
  EXPECT_NOK(RepairDB(Fast(), TwoPaths()));
  EXPECT_EQ(before, AllContents());
}

}  // namespace ROCKSDB_NAMESPACE
