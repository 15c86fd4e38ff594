//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests that everything that opens or copies a DB works over two paths, or
// refuses before touching anything. For best_efforts_recovery see
// best_efforts_test.cc, for RepairDB repair_refusals_test.cc and
// repair_plan_test.cc, for DestroyDB destroy_plan_test.cc.

#include <algorithm>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/test_util/two_path_test_base.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/checkpoint.h"

namespace ROCKSDB_NAMESPACE {

class OpenersTest : public TwoPathTestBase {
 public:
  OpenersTest() : TwoPathTestBase("openers_test") {}
};

// The DB's folder is not the one of its tables.
TEST_F(OpenersTest, WithoutThePathsWhileAllTablesAreOnTheFirst) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(TwoPaths(), dbname));
  PutAll();
  Close();
  const Options none = OptionsFor({});
  Options best(none);
  best.best_efforts_recovery = true;
  // HOTRAP_PATHS knows them.
  const auto expect_whole = [&](const Status& s) {
    ASSERT_OK(s);
    EXPECT_EQ(kNumKeys, NumFound());
    Close();
  };
  expect_whole(OpenReadOnly(none, dbname));
  expect_whole(OpenAsSecondary(none, dbname));
  expect_whole(Open(none, dbname));
  expect_whole(Open(best, dbname));
  ExpectWhole(TwoPaths(), dbname);
}

// ... and its disk is away: a path is missing, and no table is damaged.
TEST_F(OpenersTest, WithoutThePathsAndTheirDisk) {
  const std::string dbname = Folder("db");
  ASSERT_OK(Open(TwoPaths(), dbname));
  PutAll();
  Close();
  Move(Fast(), Folder("away"));
  const Options none = OptionsFor({});
  Options best(none);
  best.best_efforts_recovery = true;
  for (const Status& s :
       {OpenReadOnly(none, dbname), OpenAsSecondary(none, dbname),
        Open(none, dbname), Open(best, dbname)}) {
    EXPECT_NOK(s);
    EXPECT_TRUE(Says(s, "Tables not found")) << s.ToString();
  }
  Move(Folder("away"), Fast());
  ExpectWhole(none, dbname);
}

// The DB has a single path, but that is not its own folder.
TEST_F(OpenersTest, WithoutTheOnlyPath) {
  const std::string dbname = Folder("db");
  const Options options = OptionsFor({Slow()});
  ASSERT_OK(env_->CreateDir(Fast()));
  ASSERT_OK(Open(options, dbname));
  PutAll();
  Close();
  for (const Options& wrong : {OptionsFor({}), OptionsFor({Fast()})}) {
    Options best(wrong);
    best.best_efforts_recovery = true;
    ExpectWhole(wrong, dbname);
    ExpectWhole(best, dbname);
    ASSERT_OK(OpenAsSecondary(wrong, dbname));
    EXPECT_EQ(kNumKeys, NumFound());
  }
  Close();
  ASSERT_OK(RepairDB(dbname, OptionsFor({})));
  ExpectWhole(options, dbname);
  Close();
  ASSERT_OK(DestroyDB(dbname, OptionsFor({})));
  EXPECT_EQ(0, NumTables(Slow()));
}

// Each column family has a single path, and these differ.
TEST_F(OpenersTest, WithoutTheOnlyPathOfAColumnFamily) {
  Options options = OptionsFor({});
  options.create_missing_column_families = true;
  ColumnFamilyOptions family(options);
  family.cf_paths = {{Slow(), 1ull << 40}};
  ASSERT_OK(OpenWithFamily(options, Fast(), family));
  PutAll();
  PutAll(handles_[1]);
  Close();
  Options best(options);
  best.best_efforts_recovery = true;
  for (const Options& without : {options, best}) {
    ASSERT_OK(OpenWithFamily(without, Fast(), options));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  }
  Close();
  Options all_open(options);
  all_open.max_open_files = -1;
  ASSERT_OK(OpenBy(&db_, [&](auto* db) {
    return DB::OpenAsSecondary(
        all_open, Fast(), Folder("secondary"),
        {{kDefaultColumnFamilyName, options}, {"family", options}}, &handles_,
        db);
  }));
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  Close();
  ASSERT_OK(RepairDB(Fast(), options));
  ASSERT_OK(OpenWithFamily(options, Fast(), family));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  Close();
  ASSERT_OK(DestroyDB(Fast(), OptionsFor({})));
  EXPECT_EQ(0, NumTables(Slow()));
}

// ---- Secondary and follower ------------------------------------------------

TEST_F(OpenersTest, Secondary) {
  MakeDB();
  ASSERT_OK(OpenAsSecondary(TwoPaths()));
  EXPECT_EQ(kNumKeys, NumFound());
  // Later tables may be on either path.
  std::unique_ptr<DB> primary;
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
    EXPECT_EQ(is_known, s.ok()) << s.ToString();
    EXPECT_EQ(!is_known, s.IsInvalidArgument()) << s.ToString();
    if (is_known) {
      EXPECT_EQ(kNumKeys, NumFound());
    }
  }
  EXPECT_EQ(before[1], Contents(Slow()));
}

// The list of paths was long enough when the secondary was opened.
TEST_F(OpenersTest, SecondaryWithoutThePathsOfLaterTables) {
  ASSERT_OK(Open(TwoPaths(), Fast()));
  PutAll();
  Options options = OptionsFor({});
  options.max_open_files = -1;
  std::unique_ptr<DB> knowing;
  ASSERT_OK(
      DB::OpenAsSecondary(options, Fast(), Folder("secondary1"), &knowing));
  ASSERT_OK(PathsFile::Remove(fs_, Fast()));
  std::unique_ptr<DB> secondary;
  ASSERT_OK(
      DB::OpenAsSecondary(options, Fast(), Folder("secondary"), &secondary));
  Fill();
  EXPECT_NOK(secondary->TryCatchUpWithPrimary());
  EXPECT_OK(knowing->TryCatchUpWithPrimary());
}

// The primary writes a new MANIFEST while a disk is away from the secondary.
TEST_F(OpenersTest, SecondaryWhileADiskIsAway) {
  MakeDB();
  ExpectWhole(TwoPaths(), Fast());
  Close();
  ASSERT_OK(OpenAsSecondary(TwoPaths()));
  ASSERT_EQ(kNumKeys, NumFound());
  std::unique_ptr<DB> primary;
  ASSERT_OK(DB::Open(TwoPaths(), Fast(), &primary));
  Unmount();
  for (int i = 0; i < 2; i++) {
    const Status s = db_->TryCatchUpWithPrimary();
    EXPECT_TRUE(Says(s, "lies in " + Slow())) << s.ToString();
  }
  Mount();
  EXPECT_EQ(kNumKeys, NumFound());
  ASSERT_OK(db_->TryCatchUpWithPrimary());
  EXPECT_EQ(kNumKeys, NumFound());
  ASSERT_OK(primary->Put(WriteOptions(), "later", "value"));
  ASSERT_OK(primary->Flush(FlushOptions()));
  ASSERT_OK(db_->TryCatchUpWithPrimary());
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), "later", &value));
}

// The primary's newest table is gone already, as after a compaction.
TEST_F(OpenersTest, SecondaryThatComesLate) {
  MakeDB();
  ASSERT_OK(Open(TwoPaths(), Fast()));
  std::unique_ptr<DB> secondary;
  Options all_open = TwoPaths();
  all_open.max_open_files = -1;
  ASSERT_OK(
      DB::OpenAsSecondary(all_open, Fast(), Folder("secondary"), &secondary));
  const std::vector<std::string> before = Tables(Fast());
  ASSERT_OK(db_->Put(WriteOptions(), "later", "value"));
  ASSERT_OK(db_->Flush(FlushOptions()));
  for (const std::string& name : Tables(Fast())) {
    if (std::find(before.begin(), before.end(), name) == before.end()) {
      ASSERT_OK(env_->DeleteFile(Fast() + "/" + name));
    }
  }
  EXPECT_OK(secondary->TryCatchUpWithPrimary());
}

TEST_F(OpenersTest, SecondaryWhenThePrimaryGetsAPath) {
  MakeDB();
  ASSERT_OK(OpenAsSecondary(TwoPaths()));
  std::unique_ptr<DB> primary;
  ASSERT_OK(DB::Open(OptionsFor({Folder("first"), Fast(), Slow()}), Fast(),
                     &primary));
  ASSERT_OK(primary->Put(WriteOptions(), "later", "value"));
  ASSERT_OK(primary->Flush(FlushOptions()));
  const Status s = db_->TryCatchUpWithPrimary();
  EXPECT_TRUE(Says(s, "has tables in " + Folder("first"))) << s.ToString();
  EXPECT_EQ(kNumKeys, NumFound());
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

// ---- Export ----------------------------------------------------------------

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

TEST_F(OpenersTest, ListColumnFamilies) {
  MakeDB();
  std::vector<std::string> names;
  ASSERT_OK(DB::ListColumnFamilies(DBOptions(), Fast(), &names));
  EXPECT_EQ(1u, names.size());
}

}  // namespace ROCKSDB_NAMESPACE
