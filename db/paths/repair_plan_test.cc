//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/repair_plan.h"

#include <unistd.h>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Works in a folder, and then in the one before.
class WorkingFolder {
 public:
  WorkingFolder(TwoPathTestBase* test, const std::string& folder)
      : test_(test) {
    EXPECT_NE(nullptr, getcwd(before_, sizeof(before_)));
    EXPECT_EQ(0, chdir(folder.c_str()));
  }
  ~WorkingFolder() {
    test_->Close();
    EXPECT_EQ(0, chdir(before_));
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  TwoPathTestBase* const test_;
  char before_[4096];
};

}  // namespace

class RepairPlanTest : public TwoPathTestBase {
 public:
  RepairPlanTest() : TwoPathTestBase("repair_plan_test") {}

  // The files that a refused call must not change.
  std::vector<std::map<std::string, uint64_t>> AllContents() {
    return {Contents(Fast()), Contents(Slow())};
  }
  void DamageManifest() {
    for (const std::string& name : Names(Fast())) {
      if (name.compare(0, 8, "MANIFEST") == 0) {
        ASSERT_OK(WriteStringToFile(env_, "damaged", Fast() + "/" + name));
      }
    }
  }
  // Leaves the keys in tables on the first path.
  void PutAll() {
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_OK(db_->Put(WriteOptions(), Key(i), Value(i)));
      if (i % 200 == 199) {
        ASSERT_OK(db_->Flush(FlushOptions()));
      }
    }
  }
  // Opening twice, because opening deletes tables that the repair has missed.
  void ExpectWholeForGood(const Options& options) {
    for (int i = 0; i < 2; i++) {
      ExpectWhole(options, Fast());
      ASSERT_OK(db_->EnableFileDeletions());
      Close();
    }
  }
  void ExpectRefusal(const Options& options, const std::string& text) {
    const auto before = AllContents();
    const Status s = RepairDB(Fast(), options);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(text)) << s.ToString();
    EXPECT_EQ(before, AllContents());
  }
};

TEST_F(RepairPlanTest, WithThePaths) {
  for (const bool damaged : {false, true}) {
    MakeDB();
    if (damaged) {
      DamageManifest();
    }
    ASSERT_OK(RepairDB(Fast(), TwoPaths()));
    ExpectWholeForGood(TwoPaths());
    ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
  }
}

// For a healthy DB, and for one that does not open.
TEST_F(RepairPlanTest, WithoutThePaths) {
  for (const bool damaged : {false, true}) {
    for (const bool in_options : {false, true}) {
      MakeDB();
      if (damaged) {
        DamageManifest();
      }
      ASSERT_OK(
          RepairDB(Fast(), in_options ? OptionsFor({Fast()}) : OptionsFor({})));
      ExpectWholeForGood(TwoPaths());
      ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
    }
  }
}

TEST_F(RepairPlanTest, WithoutThePathsAndTheirFile) {
  MakeDB();
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  ExpectRefusal(OptionsFor({}), "by the MANIFEST");
  ExpectRefusal(OptionsFor({Fast()}), "by the MANIFEST");
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairPlanTest, AFolderIsMissing) {
  MakeDB();
  Move(Slow(), Folder("away"));
  const auto fast = Contents(Fast());
  for (const bool damaged : {false, true}) {
    if (damaged) {
      DamageManifest();
    }
    const Status s = RepairDB(Fast(), OptionsFor({}));
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(Slow())) << s.ToString();
  }
  Move(Folder("away"), Slow());
  ASSERT_OK(RepairDB(Fast(), OptionsFor({})));
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairPlanTest, ADiskIsNotMounted) {
  MakeDB();
  Move(Slow(), Folder("away"));
  ASSERT_OK(env_->CreateDir(Slow()));
  ExpectRefusal(TwoPaths(), "is its disk mounted?");
  ASSERT_OK(env_->DeleteDir(Slow()));
  Move(Folder("away"), Slow());
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairPlanTest, WrongPaths) {
  MakeDB();
  DamageManifest();
  ExpectRefusal(OptionsFor({Fast(), Folder("wrong")}), Slow());
  ASSERT_OK(RepairDB(Fast(), TwoPaths()));
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairPlanTest, AfterAMove) {
  MakeDB();
  Move(Slow(), Folder("slow2"));
  const Options options = OptionsFor({Fast(), Folder("slow2")});
  DamageManifest();
  ASSERT_OK(RepairDB(Fast(), options));
  ExpectWholeForGood(options);
}

// HOTRAP_PATHS of a copy names the folders of the original, which must not be
// used.
TEST_F(RepairPlanTest, ACopy) {
  MakeDB();
  CopyFolder(Fast(), Folder("fast2"));
  const auto before = AllContents();
  const Status s = RepairDB(Folder("fast2"), OptionsFor({}));
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  CopyFolder(Slow(), Folder("slow2"));
  const Options options = OptionsFor({Folder("fast2"), Folder("slow2")});
  ASSERT_OK(RepairDB(Folder("fast2"), options));
  ExpectWhole(options, Folder("fast2"));
  Close();
  EXPECT_EQ(before, AllContents());
}

// RocksDB's repair would add the table twice, and fail if there is no MANIFEST.
TEST_F(RepairPlanTest, ATableLiesInBoth) {
  MakeDB();
  const std::string whole = Tables(Slow())[0];
  const std::string broken = Tables(Fast())[0];
  Copy(Slow() + "/" + whole, Fast() + "/" + whole);
  ASSERT_OK(WriteStringToFile(env_, "half", Slow() + "/" + broken));
  DamageManifest();
  ASSERT_OK(RepairDB(Fast(), OptionsFor({})));
  EXPECT_OK(env_->FileExists(Slow() + "/lost/" + broken));
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairPlanTest, ColumnFamiliesWithPathsOfTheirOwn) {
  for (const int how : {0, 1, 2}) {
    Options options = TwoPaths();
    options.create_missing_column_families = true;
    ColumnFamilyOptions family(options);
    family.cf_paths = {{Folder("cf_fast"), 1 << 20},
                       {Folder("cf_slow"), 1ull << 40}};
    ASSERT_OK(OpenWithFamily(options, Fast(), family));
    // Some records of both are in the WAL only.
    Fill();
    Fill(handles_[1]);
    Close();
    if (how != 0) {
      DamageManifest();
    }
    const std::vector<ColumnFamilyDescriptor> families = {
        {kDefaultColumnFamilyName, options}, {"family", family}};
    ASSERT_OK(how == 0   ? RepairDB(Fast(), options, families)
              : how == 1 ? RepairDB(Fast(), options, families, options)
                         : RepairDB(Fast(), OptionsFor({})));
    for (int i = 0; i < 2; i++) {
      ASSERT_OK(OpenWithFamily(options, Fast(), family));
      EXPECT_EQ(kNumKeys, NumFound());
      EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
      Close();
    }
    ASSERT_OK(DestroyDB(Fast(), OptionsFor({})));
  }
}

TEST_F(RepairPlanTest, MoreFoldersThanPathNumbers) {
  Options options = TwoPaths();
  options.create_missing_column_families = true;
  options.db_paths.emplace_back(Folder("third"), 1ull << 40);
  ColumnFamilyOptions family(options);
  family.cf_paths = {{Folder("cf_fast"), 1 << 20},
                     {Folder("cf_slow"), 1ull << 40}};
  ASSERT_OK(OpenWithFamily(options, Fast(), family));
  Fill();
  Fill(handles_[1]);
  Close();
  // The third folder is empty, and is left out.
  const std::vector<ColumnFamilyDescriptor> families = {
      {kDefaultColumnFamilyName, options}, {"family", family}};
  ASSERT_OK(RepairDB(Fast(), options, families));
  const auto before = Contents(Fast());
  Copy(Slow() + "/" + Tables(Slow())[0], Folder("third") + "/000999.sst");
  EXPECT_TRUE(RepairDB(Fast(), options, families).IsNotSupported());
  EXPECT_EQ(before, Contents(Fast()));
}

TEST_F(RepairPlanTest, OnePath) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  for (int i = 0; i < kNumKeys; i++) {
    ASSERT_OK(db_->Put(WriteOptions(), Key(i), Value(i)));
    if (i % 100 == 0) {
      ASSERT_OK(db_->Flush(FlushOptions()));
    }
  }
  Close();
  DamageManifest();
  ASSERT_OK(RepairDB(Fast(), OptionsFor({})));
  ExpectWholeForGood(OptionsFor({}));
  EXPECT_FALSE(PathsFile::Exists(fs_, Fast()));
}

TEST_F(RepairPlanTest, RelativePaths) {
  const WorkingFolder working_folder(this, root_);
  const Options options = OptionsFor({"fast", "slow"});
  ASSERT_OK(Open(options, "db"));
  Fill();
  Close();
  for (const char* dbname : {"db", "./db/"}) {
    for (const bool in_options : {true, false}) {
      ASSERT_OK(RepairDB(dbname, in_options ? options : OptionsFor({})));
      ExpectWhole(options, "db");
      Close();
    }
  }
}

TEST_F(RepairPlanTest, RelativePathsWhileAllTablesAreOnTheFirst) {
  const WorkingFolder working_folder(this, root_);
  const Options options = OptionsFor({"fast", "slow"});
  ASSERT_OK(Open(options, "db"));
  PutAll();
  Close();
  ASSERT_OK(RepairDB("db", OptionsFor({})));
  ExpectWhole(options, "db");
}

TEST_F(RepairPlanTest, RelativePathsOfAColumnFamily) {
  const WorkingFolder working_folder(this, root_);
  Options options = OptionsFor({});
  options.create_missing_column_families = true;
  ColumnFamilyOptions family(options);
  family.cf_paths = {{"fast", 1 << 20}, {"slow", 1ull << 40}};
  ASSERT_OK(OpenWithFamily(options, "db", family));
  Fill(handles_[1]);
  Close();
  ASSERT_OK(RepairDB("db", options,
                     {{kDefaultColumnFamilyName, options}, {"family", family}},
                     family));
  ASSERT_OK(OpenWithFamily(options, "db", family));
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
}

TEST_F(RepairPlanTest, NotWhileTheDBIsOpen) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  Fill();
  Copy(Slow() + "/" + Tables(Slow())[0], Fast() + "/" + Tables(Slow())[0]);
  const auto before = AllContents();
  EXPECT_NOK(RepairDB(Fast(), TwoPaths()));
  EXPECT_EQ(before, AllContents());
}

}  // namespace ROCKSDB_NAMESPACE
