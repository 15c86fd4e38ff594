//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/repair_plan.h"

#include <unistd.h>

#include <utility>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Gives a folder a second name.
class Link {
 public:
  Link(std::string name, const std::string& folder) : name_(std::move(name)) {
    EXPECT_EQ(0, symlink(folder.c_str(), name_.c_str()));
  }
  ~Link() { EXPECT_EQ(0, unlink(name_.c_str())); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

 private:
  const std::string name_;
};

}  // namespace

class RepairPlanTest : public TwoPathTestBase {
 public:
  RepairPlanTest() : TwoPathTestBase("repair_plan_test") {}

  // Tables are moved to `lost` if they are copies, or cannot be read.
  void ExpectNothingLost() {
    EXPECT_EQ(0, NumTables(Fast() + "/lost"));
    EXPECT_EQ(0, NumTables(Slow() + "/lost"));
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

// Of copies, neither the size nor the place tells which is whole.
TEST_F(RepairPlanTest, ACopyHasNotAllItsContent) {
  for (const bool damaged : {false, true}) {
    for (const size_t more : {0, 4096}) {
      MakeDB();
      ReserveCopies(Slow(), Fast(), more);
      ReserveCopies(Slow(), Folder("third"), more);
      if (damaged) {
        DamageManifest();
      }
      ASSERT_OK(
          RepairDB(Fast(), OptionsFor({Fast(), Slow(), Folder("third")})));
      ExpectWholeForGood(TwoPaths());
      ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
      ASSERT_OK(DestroyDir(env_, Folder("third")));
    }
  }
}

// A folder has two names, so that its tables are no copies.
TEST_F(RepairPlanTest, TheDBsFolderIsALink) {
  const std::string dbname = Folder("db");
  ASSERT_OK(env_->CreateDir(Fast()));
  const Link link(dbname, Fast());
  ASSERT_OK(Open(TwoPaths(), dbname));
  Fill();
  Close();
  ASSERT_OK(RepairDB(dbname, OptionsFor({})));
  ExpectNothingLost();
  ExpectWhole(TwoPaths(), dbname);
  Close();
}

TEST_F(RepairPlanTest, APathIsALinkToAnother) {
  ASSERT_OK(env_->CreateDir(Fast()));
  const Link link(Slow(), Fast());
  MakeDB();
  ASSERT_OK(RepairDB(Fast(), TwoPaths()));
  ExpectNothingLost();
  ExpectWholeForGood(TwoPaths());
}

TEST_F(RepairPlanTest, GivenPathsAreLinks) {
  MakeDB();
  const std::string to_fast = Folder("to_fast");
  const std::string to_slow = Folder("to_slow");
  const Link fast_link(to_fast, Fast());
  const Link slow_link(to_slow, Slow());
  for (const bool both : {true, false}) {
    ASSERT_OK(RepairDB(
        Fast(), both ? OptionsFor({to_fast, to_slow}) : OptionsFor({to_fast})));
    ExpectNothingLost();
    ExpectWholeForGood(TwoPaths());
  }
}

TEST_F(RepairPlanTest, OneFolderInTwoSpellings) {
  for (const char* second : {"/fast/", "/./fast"}) {
    const Options options = OptionsFor({Fast(), root_ + second});
    ASSERT_OK(Open(options, Fast()));
    PutAll();
    Close();
    ASSERT_OK(RepairDB(Fast(), options));
    ExpectNothingLost();
    ExpectWholeForGood(options);
    ASSERT_OK(DestroyDB(Fast(), options));
  }
}

TEST_F(RepairPlanTest, ColumnFamiliesWithPathsOfTheirOwn) {
  for (const int how : {0, 1, 2}) {
    Options options = TwoPaths();
    options.create_missing_column_families = true;
    const ColumnFamilyOptions family =
        FamilyOn(options, Folder("cf_fast"), Folder("cf_slow"));
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

// The MANIFEST still names the tables, which were the only ones in their
// folder.
TEST_F(RepairPlanTest, AColumnFamilyWasDropped) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(TwoPaths(), "family", &handle));
  handles_.push_back(handle);
  Fill(handle);
  ASSERT_OK(db_->Flush(FlushOptions(), handle));
  PutAll();
  ASSERT_OK(db_->DropColumnFamily(handle));
  Close();
  ASSERT_EQ(0, NumTables(Slow()));
  ASSERT_OK(RepairDB(Fast(), TwoPaths()));
  ExpectWholeForGood(TwoPaths());
}

// Keys in the WAL get a table of the DB's own kind.
TEST_F(RepairPlanTest, PlainTables) {
  Options options = TwoPaths();
  options.allow_mmap_reads = true;
  options.prefix_extractor.reset(NewFixedPrefixTransform(4));
  PlainTableOptions table_options;
  table_options.user_key_len = 0;
  options.table_factory.reset(NewPlainTableFactory(table_options));
  ASSERT_OK(Open(options, Fast()));
  PutAll();
  ASSERT_OK(db_->Put(WriteOptions(), Key(0), Value(0)));
  Close();
  ASSERT_OK(RepairDB(Fast(), options));
  ExpectWhole(options, Fast());
}

TEST_F(RepairPlanTest, MoreFoldersThanPathNumbers) {
  Options options = TwoPaths();
  options.create_missing_column_families = true;
  options.db_paths.emplace_back(Folder("third"), 1ull << 40);
  const ColumnFamilyOptions family =
      FamilyOn(options, Folder("cf_fast"), Folder("cf_slow"));
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

// The DB's folder would be the fifth.
TEST_F(RepairPlanTest, FourFoldersWithoutTheDBs) {
  const std::string dbname = Folder("db");
  std::vector<std::string> folders;
  for (int path = 0; path < 4; path++) {
    folders.push_back(Folder("path" + std::to_string(path)));
  }
  const Options options = OptionsFor(folders);
  for (const bool damaged : {false, true}) {
    ASSERT_OK(Open(options, dbname));
    const int keys_per_path = (kNumKeys - 10) / 4;
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_OK(db_->Put(WriteOptions(), Key(i), Value(i)));
      if (i % keys_per_path != keys_per_path - 1) {
        continue;
      }
      ASSERT_OK(db_->Flush(FlushOptions()));
      ColumnFamilyMetaData metadata;
      db_->GetColumnFamilyMetaData(&metadata);
      ASSERT_EQ(1, metadata.levels[0].files.size());
      ASSERT_OK(db_->CompactFiles(CompactionOptions(),
                                  {metadata.levels[0].files[0].name}, 3,
                                  /*output_path_id=*/i / keys_per_path));
    }
    Close();
    for (const std::string& folder : folders) {
      ASSERT_EQ(1, NumTables(folder)) << folder;
    }
    if (damaged) {
      DamageManifest(dbname);
    }
    ASSERT_OK(RepairDB(dbname, OptionsFor({})));
    ExpectWholeForGood(options, dbname);
    ASSERT_OK(DestroyDB(dbname, options));
  }
}

// The DB's folder is not a path, and nothing has been flushed yet.
TEST_F(RepairPlanTest, OnlyAWal) {
  const std::string dbname = Folder("db");
  for (const bool with_paths : {false, true}) {
    for (const bool damaged : {false, true}) {
      ASSERT_OK(Open(TwoPaths(), dbname));
      for (int i = 0; i < kNumKeys; i++) {
        ASSERT_OK(db_->Put(WriteOptions(), Key(i), Value(i)));
      }
      Close();
      ASSERT_EQ(0, NumTables(Fast()) + NumTables(Slow()));
      if (damaged) {
        DamageManifest(dbname);
        // There may have been tables.
        EXPECT_NOK(RepairDB(dbname, OptionsFor({})));
        EXPECT_NOK(RepairDB(dbname, TwoPaths()));
        ASSERT_OK(PathsFile::Remove(fs_, dbname));
      }
      ASSERT_OK(RepairDB(dbname,
                         with_paths || damaged ? TwoPaths() : OptionsFor({})));
      EXPECT_EQ(1, NumTables(Fast()));
      ExpectWholeForGood(TwoPaths(), dbname);
      ASSERT_OK(DestroyDB(dbname, TwoPaths()));
    }
  }
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

}  // namespace ROCKSDB_NAMESPACE
