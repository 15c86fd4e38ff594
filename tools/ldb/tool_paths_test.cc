//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/tool_paths.h"

#include <memory>
#include <string>
#include <vector>

#include "file/file_util.h"
#include "plugin/hotrap/tools/ldb/tiered_commands.h"
#include "plugin/hotrap/tools/ldb/tiered_db.h"
#include "plugin/hotrap/tools/path_list.h"
#include "rocksdb/db.h"
#include "rocksdb/ldb_tool.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class ToolPathsTest : public testing::Test {
 protected:
  ToolPathsTest()
      : root_(test::PerThreadDBPath("tool_paths_test")),
        fs_(FileSystem::Default()) {
    EXPECT_OK(DestroyDir(Env::Default(), root_));
    EXPECT_OK(Env::Default()->CreateDirIfMissing(root_));
  }
  ~ToolPathsTest() override { EXPECT_OK(DestroyDir(Env::Default(), root_)); }

  std::string In(const std::string& name) const { return root_ + "/" + name; }

  // A DB of two column families, of which `own` has paths of its own, with a
  // record in each, in a table on the last path.
  void MakeDB() {
    DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.db_paths = {{In("db"), 4 << 20}, {In("slow"), 1 << 30}};
    ColumnFamilyOptions own;
    own.cf_paths = {{In("own_fast"), 1 << 20}, {In("own_slow"), 1 << 30}};
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> families;
    ASSERT_OK(DB::Open(
        options, In("db"),
        {{kDefaultColumnFamilyName, ColumnFamilyOptions()}, {"own", own}},
        &families, &db));
    for (ColumnFamilyHandle* family : families) {
      ASSERT_OK(db->Put(WriteOptions(), family, "key", family->GetName()));
      CompactRangeOptions compact;
      compact.target_path_id = 1;
      ASSERT_OK(db->CompactRange(compact, family, nullptr, nullptr));
      ASSERT_OK(db->DestroyColumnFamilyHandle(family));
    }
    ASSERT_OK(db->Close());
  }

  ToolPaths Find(const std::string& given = "", const std::string& db = "db") {
    std::vector<DbPath> paths;
    if (!given.empty()) {
      EXPECT_OK(ParsePathList(given, &paths));
    }
    return ToolPaths::Find(fs_.get(), In(db), paths);
  }

  // Runs a command of ldb. Returns whether it succeeded.
  bool Ldb(const std::vector<std::string>& words) {
    std::unique_ptr<LDBCommand> command(LDBCommand::InitFromCmdLineArgs(
        words, Options(), LDBOptions(), nullptr,
        [](const LDBCommand::ParsedParams& params) {
          return TieredCommands::Select(params, {});
        }));
    EXPECT_NE(nullptr, command);
    EXPECT_TRUE(command->ValidateCmdLineOptions());
    command->Run();
    last_ = command->GetExecuteState().ToString();
    return !command->GetExecuteState().IsFailed();
  }

  const std::string root_;
  const std::shared_ptr<FileSystem> fs_;
  std::string last_;
};

TEST_F(ToolPathsTest, PathLists) {
  std::vector<DbPath> paths;
  ASSERT_OK(ParsePathList("/nvme/db:40G,/hdd/a:b:4t,/c:512,/d", &paths));
  ASSERT_EQ(4, paths.size());
  EXPECT_EQ("/nvme/db", paths[0].path);
  EXPECT_EQ(40ull << 30, paths[0].target_size);
  EXPECT_EQ("/hdd/a:b", paths[1].path);
  EXPECT_EQ(4ull << 40, paths[1].target_size);
  EXPECT_EQ(512, paths[2].target_size);
  EXPECT_EQ("/d", paths[3].path);
  EXPECT_EQ(0, paths[3].target_size);
  for (const char* wrong : {"", "/a:", "/a:5X", "/a:-1", "/a:1.5G", "/a,",
                            ":5G", "/a:99999999T", "/a:9999999999999999999"}) {
    const Status s = ParsePathList(wrong, &paths);
    EXPECT_TRUE(s.IsInvalidArgument() || paths.size() == 1) << wrong;
    EXPECT_TRUE(s.IsInvalidArgument() || std::string(wrong) == "/a,") << wrong;
  }
}

TEST_F(ToolPathsTest, FoundInTheFile) {
  MakeDB();
  const ToolPaths paths = Find();
  ASSERT_EQ(2, paths.db_paths().size());
  EXPECT_EQ(In("slow"), paths.db_paths()[1].path);
  EXPECT_EQ(4 << 20, paths.db_paths()[0].target_size);
  EXPECT_EQ(4, paths.All().size());
  EXPECT_OK(paths.CheckForWriting(fs_.get()));
  EXPECT_EQ("", paths.Hint(fs_.get()));
  ColumnFamilyOptions options;
  paths.SetOwnPaths(kDefaultColumnFamilyName, &options);
  EXPECT_TRUE(options.cf_paths.empty());
  paths.SetOwnPaths("own", &options);
  ASSERT_EQ(2, options.cf_paths.size());
  EXPECT_EQ(In("own_slow"), options.cf_paths[1].path);
}

TEST_F(ToolPathsTest, NoFileNoPaths) {
  const ToolPaths paths = Find();
  EXPECT_TRUE(paths.db_paths().empty());
  EXPECT_FALSE(paths.several());
  EXPECT_OK(paths.CheckForWriting(fs_.get()));
}

TEST_F(ToolPathsTest, GivenPathsGetTheSizesOfTheFile) {
  MakeDB();
  EXPECT_EQ(4 << 20, Find("/a,/b").db_paths()[0].target_size);
  EXPECT_EQ(5, Find("/a:5,/b").db_paths()[0].target_size);
  EXPECT_EQ(1 << 30, Find("/a:5,/b").db_paths()[1].target_size);
  const ToolPaths unknown = Find("/a,/b,/c");
  EXPECT_EQ(UINT64_MAX, unknown.db_paths()[0].target_size);
  EXPECT_TRUE(
      unknown.CheckForWriting(fs_.get(), /*create=*/true).IsInvalidArgument());
  EXPECT_OK(Find("/a:1,/b:1,/c").CheckForWriting(fs_.get(), /*create=*/true));
}

TEST_F(ToolPathsTest, MissingFoldersAndSizesAreRefusedForWriting) {
  MakeDB();
  ASSERT_OK(Env::Default()->RenameFile(In("slow"), In("elsewhere")));
  const ToolPaths lost = Find();
  Status s = lost.CheckForWriting(fs_.get());
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(std::string::npos, s.ToString().find(In("slow")));
  EXPECT_NE(std::string::npos, lost.Hint(fs_.get()).find(In("slow")));
  EXPECT_OK(Find(In("db") + "," + In("elsewhere")).CheckForWriting(fs_.get()));
  s = Find(In("db") + "," + In("elsewhere") + "," + In("own_slow"))
          .CheckForWriting(fs_.get());
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(std::string::npos, s.ToString().find(":40G"));
}

TEST_F(ToolPathsTest, AMovedDBIsNoCopy) {
  MakeDB();
  ASSERT_OK(Env::Default()->RenameFile(In("db"), In("new")));
  const ToolPaths moved = Find("", "new");
  ASSERT_EQ(2, moved.db_paths().size());
  EXPECT_EQ(In("new"), moved.db_paths()[0].path);
  EXPECT_EQ(In("slow"), moved.db_paths()[1].path);
  ColumnFamilyOptions options;
  options.hotrap.slow_root = In("root");
  moved.SetOwnPaths("own", &options);
  EXPECT_TRUE(options.hotrap.slow_root.empty());
  EXPECT_FALSE(options.cf_paths.empty());
  // What looks like a move may be an old copy.
  const Status s = moved.CheckForChanges();
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(std::string::npos,
            s.ToString().find("--db_paths=" + In("new") + "," + In("slow")));
  EXPECT_TRUE(moved.CheckForWriting(fs_.get()).IsInvalidArgument());
  EXPECT_OK(
      Find(In("new") + "," + In("slow"), "new").CheckForWriting(fs_.get()));
  for (const auto& change : std::vector<std::vector<std::string>>{
           {"put", "a", "b"},
           {"repair"},
           {"reduce_levels", "--new_levels=3"},
           {"unsafe_remove_sst_file", "1"}}) {
    std::vector<std::string> words = {"--db=" + In("new")};
    words.insert(words.end(), change.begin(), change.end());
    EXPECT_FALSE(Ldb(words)) << change.front();
    EXPECT_NE(std::string::npos, last_.find("not mounted"))
        << change.front() << ": " << last_;
  }

  // With a DB in the old place it is a copy, and the tables are the other's.
  ASSERT_OK(Env::Default()->CreateDir(In("db")));
  ASSERT_OK(WriteStringToFile(Env::Default(), "", In("db") + "/CURRENT"));
  const ToolPaths copy = Find("", "new");
  EXPECT_FALSE(copy.several());
  EXPECT_NE(std::string::npos, copy.Hint(fs_.get()).find(In("db")));
}

TEST_F(ToolPathsTest, ColumnFamiliesWithTheirOwnPaths) {
  MakeDB();
  const std::string db = "--db=" + In("db");
  std::string before;
  ASSERT_OK(
      ReadFileToString(Env::Default(), In("db") + "/HOTRAP_PATHS", &before));
  for (const char* options :
       {"--try_load_options=true", "--try_load_options=false"}) {
    EXPECT_TRUE(Ldb({db, options, "get", "key"})) << last_;
    EXPECT_TRUE(Ldb({db, options, "--column_family=own", "get", "key"}))
        << last_;
    EXPECT_TRUE(Ldb({db, options, "--column_family=own", "put", "b", "c"}))
        << last_;
    EXPECT_TRUE(Ldb({db, options, "--column_family=own", "compact"})) << last_;
    EXPECT_TRUE(Ldb({db, options, "checkconsistency"})) << last_;
    EXPECT_TRUE(Ldb({db, options, "file_checksum_dump"})) << last_;
    EXPECT_TRUE(Ldb({db, options, "hotrap", "tiers"})) << last_;
  }
  std::string after;
  ASSERT_OK(
      ReadFileToString(Env::Default(), In("db") + "/HOTRAP_PATHS", &after));
  EXPECT_EQ(before, after);
  EXPECT_TRUE(Ldb({db, "repair"})) << last_;
  EXPECT_TRUE(Ldb({db, "--column_family=own", "get", "key"})) << last_;
}

TEST_F(ToolPathsTest, SettlingNeedsTheOptions) {
  MakeDB();
  std::vector<std::string> names;
  ASSERT_OK(Env::Default()->GetChildren(In("db"), &names));
  for (const std::string& name : names) {
    if (Slice(name).starts_with("OPTIONS")) {
      ASSERT_OK(Env::Default()->DeleteFile(In("db") + "/" + name));
    }
  }
  std::unique_ptr<TieredDB> opened;
  EXPECT_OK(TieredDB::Open(In("db"), ConfigOptions(), Find(),
                           TieredDB::Mode::kReadOnly, &opened));
  EXPECT_FALSE(opened->KnowsHotRap());
  opened.reset();
  const Status s = TieredDB::Open(In("db"), ConfigOptions(), Find(),
                                  TieredDB::Mode::kHotRapOff, &opened);
  EXPECT_TRUE(s.IsInvalidArgument());
  EXPECT_NE(std::string::npos, s.ToString().find("OPTIONS"));
}

}  // namespace ROCKSDB_NAMESPACE
