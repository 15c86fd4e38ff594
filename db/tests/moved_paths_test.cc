//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that tables are found where they lie, whatever the MANIFEST says, when
// paths were moved, merged, reordered or inserted, and when they are relative.
// Errors name the missing tables and the folders that were searched.

#include <unistd.h>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/version.h"

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

class MovedPathsTest : public TwoPathTestBase {
 public:
  MovedPathsTest() : TwoPathTestBase("moved_paths_test") {}

  size_t NumLive() {
    std::vector<LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    return live.size();
  }
  size_t NumTablesOf(const Options& options) {
    size_t num_tables = 0;
    std::set<std::string> folders;
    for (const DbPath& path : options.db_paths) {
      if (folders.insert(path.path).second) {
        num_tables += Tables(path.path).size();
      }
    }
    return num_tables;
  }

  // Compactions and obsolete files use the paths, too.
  void ExpectUsable(const Options& options, const std::string& dbname) {
    ExpectWhole(options, dbname);
    ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    ASSERT_OK(db_->Put(WriteOptions(), "later", "value"));
    ASSERT_OK(db_->Flush(FlushOptions()));
    EXPECT_EQ(kNumKeys, NumFound());
    // While RocksDB opens tables in the background, it keeps the old ones.
    for (int tries = 0; tries < 200 && NumLive() != NumTablesOf(options);
         tries++) {
      env_->SleepForMicroseconds(10 * 1000);
      ASSERT_OK(db_->Put(WriteOptions(), "later", "value"));
      ASSERT_OK(db_->Flush(FlushOptions()));
    }
    EXPECT_EQ(NumLive(), NumTablesOf(options));
    // The new MANIFEST must be right as well.
    ExpectWhole(options, dbname);
  }

  // Somebody's copying was interrupted.
  void AddHalfOfTables(const std::string& from, const std::string& to) {
    for (const std::string& name : Tables(from)) {
      std::string content;
      ASSERT_OK(ReadFileToString(env_, from + "/" + name, &content));
      content.resize(content.size() / 2);
      ASSERT_OK(WriteStringToFile(env_, content, to + "/" + name));
    }
  }

  // Options with which HotRAP can work.
  static Options WithHotRap(Options options) {
    options.hotrap.enabled = true;
    return options;
  }
};

TEST_F(MovedPathsTest, FastPathInFrontOfAnOldFolder) {
  for (const bool hotrap : {false, true}) {
    const std::string old = Folder(hotrap ? "old1" : "old0");
    const std::string fast = Folder(hotrap ? "new1" : "new0");
    ASSERT_OK(Open(OptionsFor({}), old));
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_OK(db_->Put(WriteOptions(), Key(i), Value(i)));
      if (i % 100 == 0) {
        ASSERT_OK(db_->Flush(FlushOptions()));
      }
    }
    Close();
    Options options = OptionsFor({fast, old});
    options = hotrap ? WithHotRap(options) : options;
    ASSERT_OK(Open(options, old));
    std::vector<LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    ASSERT_FALSE(live.empty());
    // Records from the WAL are in a new table on the fast path.
    EXPECT_TRUE(std::any_of(live.begin(), live.end(), [&](const auto& file) {
      return file.db_path == old;
    }));
    EXPECT_EQ(kNumKeys, NumFound());
    ExpectUsable(options, old);
    Close();
  }
}

TEST_F(MovedPathsTest, OtherMountPoints) {
  MakeDB();
  Move(Fast(), Folder("fast2"));
  Move(Slow(), Folder("slow2"));
  ExpectUsable(OptionsFor({Folder("fast2"), Folder("slow2")}), Folder("fast2"));
}

TEST_F(MovedPathsTest, AllTablesInOneFolder) {
  MakeDB();
  MoveTables(Slow(), Fast());
  ExpectUsable(OptionsFor({Fast()}), Fast());
}

TEST_F(MovedPathsTest, AllTablesInOneFolderThatNeedsNoPath) {
  MakeDB();
  MoveTables(Slow(), Fast());
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  EXPECT_EQ(kNumKeys, NumFound());
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(MovedPathsTest, AllTablesInTheSecondFolder) {
  MakeDB();
  MoveTables(Fast(), Slow());
  ExpectUsable(TwoPaths(), Fast());
}

TEST_F(MovedPathsTest, AnotherOrder) {
  MakeDB();
  ExpectUsable(OptionsFor({Slow(), Fast()}), Fast());
}

TEST_F(MovedPathsTest, AThirdPathInBetween) {
  MakeDB();
  ExpectUsable(OptionsFor({Fast(), Folder("middle"), Slow()}), Fast());
}

// The path number in the MANIFEST is valid, but wrong.
TEST_F(MovedPathsTest, SomeTablesOnTheOtherPath) {
  MakeDB();
  const std::string fast_table = Tables(Fast())[0];
  const std::string slow_table = Tables(Slow())[0];
  Move(Fast() + "/" + fast_table, Slow() + "/" + fast_table);
  Move(Slow() + "/" + slow_table, Fast() + "/" + slow_table);
  ExpectUsable(TwoPaths(), Fast());
}

// An incomplete copy was left behind by hand: the MANIFEST's path wins.
TEST_F(MovedPathsTest, CopyOnTheOtherPath) {
  MakeDB();
  for (const std::string& name : Tables(Slow())) {
    ASSERT_OK(WriteStringToFile(env_, "half", Fast() + "/" + name));
  }
  for (const std::string& name : Tables(Fast())) {
    if (!env_->FileExists(Slow() + "/" + name).ok()) {
      ASSERT_OK(WriteStringToFile(env_, "half", Slow() + "/" + name));
    }
  }
  ExpectWhole(TwoPaths(), Fast());
}

// The copy is on the MANIFEST's path: the whole table wins.
TEST_F(MovedPathsTest, HalfACopyOnTheNewFastPath) {
  for (const bool best_efforts : {false, true}) {
    const std::string dbname = Folder(best_efforts ? "db1" : "db0");
    const std::string fast = dbname + "_fast";
    const std::string old = dbname + "_old";
    ASSERT_OK(Open(OptionsFor({old}), dbname));
    PutAll();
    Close();
    ASSERT_OK(env_->CreateDir(fast));
    AddHalfOfTables(old, fast);
    Options options = OptionsFor({fast, old});
    options.best_efforts_recovery = best_efforts;
    ExpectWhole(options, dbname);
    options.best_efforts_recovery = false;
    ExpectWhole(options, dbname);
  }
}

// The copy has the size of the table already.
TEST_F(MovedPathsTest, ACopyWithoutItsContent) {
  for (const bool best_efforts : {false, true}) {
    for (const bool another_order : {false, true}) {
      MakeDB();
      // Best-efforts recovery does not read the WAL.
      ExpectWhole(TwoPaths(), Fast());
      Close();
      ReserveCopies(Slow(), Fast());
      Options options =
          another_order ? OptionsFor({Slow(), Fast()}) : TwoPaths();
      options.best_efforts_recovery = best_efforts;
      ExpectWhole(options, Fast());
      ExpectWhole(TwoPaths(), Fast());
      Close();
      ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
    }
  }
}

// What an older state of the DB has left there, as a restore does that was
// killed: a table of the same number and size.
TEST_F(MovedPathsTest, ATableOfAnotherState) {
  const auto write = [&](const std::string& folder, const std::string& value) {
    ASSERT_OK(Open(OptionsFor({}), folder));
    ASSERT_OK(db_->Put(WriteOptions(), "key", value));
    ASSERT_OK(db_->Flush(FlushOptions()));
    Close();
  };
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(OptionsFor({}), dbname));
  Close();
  CopyFolder(dbname, Folder("older"));
  write(Folder("older"), "older");
  write(dbname, "newer");
  const std::string name = Tables(Folder("older")).at(0);
  ASSERT_EQ(name, Tables(dbname).at(0));
  ASSERT_OK(env_->CreateDir(Slow()));
  Copy(Folder("older") + "/" + name, Slow() + "/" + name);
  ASSERT_OK(Open(OptionsFor({Slow(), dbname}), dbname));
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), "key", &value));
  EXPECT_EQ("newer", value);
}

TEST_F(MovedPathsTest, HalfACopyAndAnotherOrder) {
  for (const bool best_efforts : {false, true}) {
    MakeDB();
    // Best-efforts recovery does not read the WAL.
    ExpectWhole(TwoPaths(), Fast());
    Close();
    AddHalfOfTables(Slow(), Fast());
    Options options = OptionsFor({Slow(), Fast()});
    options.best_efforts_recovery = best_efforts;
    ExpectWhole(options, Fast());
    ExpectWhole(TwoPaths(), Fast());
    Close();
    ASSERT_OK(DestroyDB(Fast(), TwoPaths()));
  }
}

#if ROCKSDB_MAJOR >= 11
// Tables that are opened when DB::Open() has returned are looked for before.
TEST_F(MovedPathsTest, TablesThatAreOpenedLater) {
  const auto later = [](Options options) {
    options.open_files_async = true;
    options.skip_stats_update_on_db_open = true;
    return options;
  };
  MakeDB();
  ExpectUsable(later(OptionsFor({Slow(), Fast()})), Fast());
  Close();
  Unmount();
  Status s = Open(later(TwoPaths()), Fast());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_TRUE(Says(s, Slow())) << s.ToString();
  s = Open(later(OptionsFor({Fast()})), Fast());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  Mount();
  ExpectUsable(later(TwoPaths()), Fast());
}
#endif

// RocksDB looks for blob files on the first path only.
TEST_F(MovedPathsTest, FastPathInFrontOfBlobFiles) {
  const std::string dbname = Folder("db");
  Options old = OptionsFor({Slow()});
  old.enable_blob_files = true;
  old.min_blob_size = 50;
  ASSERT_OK(Open(old, dbname));
  PutAll();
  Close();
  const auto before = Contents(Slow());
  Options options(old);
  options.db_paths = TwoPaths().db_paths;
  for (const bool best_efforts : {false, true}) {
    options.best_efforts_recovery = best_efforts;
    const Status s = Open(options, dbname);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, "blob")) << s.ToString();
    EXPECT_EQ(before, Contents(Slow()));
  }
  options.best_efforts_recovery = false;
  const Status s = OpenAsSecondary(options, dbname);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, "blob")) << s.ToString();
  ExpectWhole(old, dbname);
}

#if ROCKSDB_MAJOR >= 11
// RocksDB writes them to the DB's folder, wherever it reads blobs.
TEST_F(MovedPathsTest, BlobsThatWritersWrite) {
  const std::string dbname = Folder("db");
  Options options = TwoPaths();
  options.enable_blob_files = true;
  options.min_blob_size = 50;
  options.enable_blob_direct_write = true;
  options.allow_concurrent_memtable_write = false;
  const auto expect_refused = [](const Status& s) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_TRUE(Says(s, "enable_blob_direct_write")) << s.ToString();
  };
  for (const bool enabled : {false, true}) {
    options.hotrap.enabled = enabled;
    expect_refused(Open(options, dbname));
    EXPECT_TRUE(env_->FileExists(dbname + "/CURRENT").IsNotFound());
  }

  // A column family of such a DB, too, but not what works as in stock RocksDB.
  Options one_path(options);
  one_path.db_paths.clear();
  one_path.hotrap.enabled = false;
  ASSERT_OK(Open(one_path, dbname));
  ColumnFamilyHandle* cf = nullptr;
  expect_refused(db_->CreateColumnFamily(FamilyOn(one_path, Fast(), Slow()),
                                         "family", &cf));
  Close();

  // The DB's folder is the first path.
  options.db_paths[0].path = dbname;
  ASSERT_OK(Open(options, dbname));
  PutAll();
  ExpectWhole(options, dbname);
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  ExpectWhole(options, dbname);
}
#endif

TEST_F(MovedPathsTest, ColumnFamiliesWithPathsOfTheirOwn) {
  Options options = TwoPaths();
  options.create_missing_column_families = true;
  ColumnFamilyOptions family =
      FamilyOn(options, Folder("cf_fast"), Folder("cf_slow"));
  ASSERT_OK(OpenWithFamily(options, Fast(), family));
  Fill();
  Fill(handles_[1]);
  Close();
  // Swap the family's paths, and move the slow path of the others.
  std::swap(family.cf_paths[0], family.cf_paths[1]);
  Move(Slow(), Folder("slow2"));
  options.db_paths[1].path = Folder("slow2");
  ASSERT_OK(OpenWithFamily(options, Fast(), family));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  Close();
  // Everything in one folder.
  for (const char* folder : {"cf_fast", "cf_slow", "slow2"}) {
    MoveTables(Folder(folder), Fast());
  }
  Options one = OptionsFor({});
  ASSERT_OK(OpenWithFamily(one, Fast(), one));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
}

TEST_F(MovedPathsTest, ReadOnly) {
  MakeDB();
  MoveTables(Slow(), Fast());
  const auto before = Contents(Fast());
  for (const bool all_open : {false, true}) {
    Options options = OptionsFor({});
    options.max_open_files = all_open ? -1 : 1000;
    ASSERT_OK(OpenReadOnly(options, Fast()));
    EXPECT_EQ(kNumKeys, NumFound());
    Close();
  }
  EXPECT_EQ(before, Contents(Fast()));
}

// A forgotten path, an unmounted disk or a foreign folder gives a helpful
// message, and nothing is deleted.
TEST_F(MovedPathsTest, WhatCannotBeFoundIsNamed) {
  MakeDB();
  const std::string table = Tables(Slow())[0];
  const auto slow = Contents(Slow());
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  for (const bool in_options : {false, true}) {
    const Status s =
        Open(OptionsFor(in_options ? std::vector<std::string>{Fast()}
                                   : std::vector<std::string>{}),
             Fast());
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, table)) << s.ToString();
    EXPECT_TRUE(Says(s, "looked for in " + Fast())) << s.ToString();
    EXPECT_FALSE(Says(s, "may be corrupted"));
  }
  ExpectWhole(TwoPaths(), Fast());
  Close();
  for (const bool is_known : {true, false}) {
    if (!is_known) {
      ASSERT_OK(PathsFile::Remove(fs_, Fast()));
    }
    const Status s = Open(OptionsFor({Fast(), Folder("empty")}), Fast());
    EXPECT_EQ(is_known, s.IsInvalidArgument()) << s.ToString();
    EXPECT_EQ(!is_known, s.IsCorruption()) << s.ToString();
    EXPECT_EQ(is_known, Says(s, "has tables in " + Slow())) << s.ToString();
    EXPECT_TRUE(
        Says(s, "lies in " + Folder("empty") + ": is its disk mounted?"))
        << s.ToString();
    EXPECT_FALSE(Says(s, "may be corrupted"));
  }
  EXPECT_EQ(slow, Contents(Slow()));
  ExpectWhole(TwoPaths(), Fast());
}

TEST_F(MovedPathsTest, OneTableIsMissing) {
  MakeDB();
  const std::string table = Tables(Fast())[0];
  ASSERT_OK(env_->DeleteFile(Fast() + "/" + table));
  Status s = Open(TwoPaths(), Fast());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_TRUE(Says(s, table)) << s.ToString();
  EXPECT_FALSE(Says(s, "may be corrupted"));
  EXPECT_TRUE(Says(s, Fast() + ", " + Slow())) << s.ToString();
  // The same as in stock RocksDB.
  Options options = TwoPaths();
  options.paranoid_checks = false;
  ASSERT_OK(Open(options, Fast()));
}

// Links to the paths are given, and are no other folders.
TEST_F(MovedPathsTest, OneTableIsMissingThroughLinks) {
  MakeDB();
  for (const char* name : {"fast", "slow"}) {
    ASSERT_EQ(0, symlink(Folder(name).c_str(),
                         Folder(std::string("to_") + name).c_str()));
  }
  const std::string table = Tables(Slow())[0];
  ASSERT_OK(env_->DeleteFile(Slow() + "/" + table));
  const Status s =
      Open(OptionsFor({Folder("to_fast"), Folder("to_slow")}), Fast());
  EXPECT_TRUE(Says(s, table)) << s.ToString();
  EXPECT_FALSE(Says(s, "has tables in")) << s.ToString();
  for (const char* name : {"to_fast", "to_slow"}) {
    ASSERT_EQ(0, unlink(Folder(name).c_str()));
  }
}

// The table was not on the path that has none.
TEST_F(MovedPathsTest, OneTableIsMissingBesideAnEmptyPath) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  PutAll();
  Close();
  ASSERT_EQ(0, NumTables(Slow()));
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  const std::string table = Tables(Fast())[0];
  ASSERT_OK(env_->DeleteFile(Fast() + "/" + table));
  Status s = Open(TwoPaths(), Fast());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_TRUE(Says(s, table)) << s.ToString();
  EXPECT_FALSE(Says(s, "mounted")) << s.ToString();
  // Its primary may have deleted the table.
  s = OpenAsSecondary(TwoPaths());
  EXPECT_FALSE(Says(s, "mounted")) << s.ToString();
}

// With one path, the result is stock RocksDB's.
TEST_F(MovedPathsTest, OneTableOfOnePathIsMissing) {
  ASSERT_OK(Open(OptionsFor({}), Fast()));
  ASSERT_OK(db_->Put(WriteOptions(), "key", "value"));
  ASSERT_OK(db_->Flush(FlushOptions()));
  Close();
  ASSERT_OK(env_->DeleteFile(Fast() + "/" + Tables(Fast())[0]));
  const Status s = Open(OptionsFor({}), Fast());
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_TRUE(Says(s, "may be corrupted")) << s.ToString();
}

// ---- Relative paths --------------------------------------------------------

TEST_F(MovedPathsTest, RepairOfRelativePaths) {
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

TEST_F(MovedPathsTest, RepairOfRelativePathsWithAllTablesOnTheFirst) {
  const WorkingFolder working_folder(this, root_);
  const Options options = OptionsFor({"fast", "slow"});
  ASSERT_OK(Open(options, "db"));
  PutAll();
  Close();
  ASSERT_OK(RepairDB("db", OptionsFor({})));
  ExpectWhole(options, "db");
}

TEST_F(MovedPathsTest, RepairOfRelativePathsOfAColumnFamily) {
  const WorkingFolder working_folder(this, root_);
  Options options = OptionsFor({});
  options.create_missing_column_families = true;
  const ColumnFamilyOptions family = FamilyOn(options, "fast", "slow");
  ASSERT_OK(OpenWithFamily(options, "db", family));
  Fill(handles_[1]);
  Close();
  ASSERT_OK(RepairDB("db", options,
                     {{kDefaultColumnFamilyName, options}, {"family", family}},
                     family));
  ASSERT_OK(OpenWithFamily(options, "db", family));
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
}

TEST_F(MovedPathsTest, RelativePathsWithoutADisk) {
  const WorkingFolder working_folder(this, root_);
  const Options options = OptionsFor({"fast", "slow"});
  ASSERT_OK(Open(options, "db"));
  Fill();
  Close();
  Unmount();
  Options best(options);
  best.best_efforts_recovery = true;
  EXPECT_NOK(Open(best, "db"));
  Mount();
  ExpectWhole(options, "db");
}

// The working folder is that of another DB's tables.
TEST_F(MovedPathsTest, DestroyByRelativePaths) {
  MakeDB();
  const auto fast = Contents(Fast());
  const auto slow = Contents(Slow());
  for (const bool is_relative : {true, false}) {
    const std::string dbname = is_relative ? "../db" : Folder("db");
    {
      const WorkingFolder working_folder(this, Slow());
      ASSERT_OK(Open(OptionsFor({"../db_fast", "../db_slow"}), dbname));
      Fill();
    }
    {
      const WorkingFolder working_folder(this, is_relative ? Slow() : root_);
      ASSERT_OK(DestroyDB(dbname, OptionsFor({})));
    }
    EXPECT_EQ(fast, Contents(Fast()));
    EXPECT_EQ(slow, Contents(Slow()));
    EXPECT_EQ(0, NumTables(Folder("db_fast")));
    EXPECT_EQ(0, NumTables(Folder("db_slow")));
  }
  ExpectWhole(TwoPaths(), Fast());
}

}  // namespace ROCKSDB_NAMESPACE
