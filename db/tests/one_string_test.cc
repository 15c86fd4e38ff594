//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests hotrap.slow_root and hotrap.fast_root: which paths they make, and what
// they refuse.

#include <unistd.h>

#include <limits>

#include "plugin/hotrap/test_util/root_test_base.h"
#include "rocksdb/utilities/options_util.h"

namespace ROCKSDB_NAMESPACE {

class OneStringTest : public RootTestBase {
 public:
  OneStringTest() : RootTestBase("one_string_test") {}
};

// ---- The paths --------------------------------------------------------------

TEST_F(OneStringTest, SlowRootAddsTheSecondPath) {
  ASSERT_OK(Open(SlowRoot(), Db()));
  EXPECT_EQ("1", Stat("active")) << Stat("inactive_reason");
  EXPECT_EQ("program", Stat("options_source"));
  const std::vector<DbPath> paths = db_->GetOptions().cf_paths;
  ASSERT_EQ(2u, paths.size());
  EXPECT_EQ(Db(), paths[0].path);
  EXPECT_EQ(1u << 20, paths[0].target_size);
  EXPECT_EQ(SlowOfDb(), paths[1].path);
  Fill();
  EXPECT_GT(NumTables(Db()), 0);
  EXPECT_GT(NumTables(SlowOfDb()), 0);
  ExpectUsable(SlowRoot());
  // The WAL, and all else, stay where they were.
  EXPECT_TRUE(Exists(Db() + "/CURRENT"));
  EXPECT_FALSE(Exists(SlowOfDb() + "/CURRENT"));
}

TEST_F(OneStringTest, FastRootAddsTheFirstPath) {
  const std::string fast = Below(Nvme(), Db());
  ASSERT_OK(Open(FastRoot(), Db()));
  EXPECT_EQ("1", Stat("active")) << Stat("inactive_reason");
  EXPECT_EQ(Folders({fast, Db()}), PathsOf(db_));
  EXPECT_EQ(1u << 20, db_->GetOptions().cf_paths[0].target_size);
  Fill();
  EXPECT_GT(NumTables(Db()), 0);
  EXPECT_GT(NumTables(fast), 0);
  ExpectUsable(FastRoot());
  EXPECT_TRUE(Exists(Db() + "/CURRENT"));
}

TEST_F(OneStringTest, BothRoots) {
  Options options = FastRoot();
  options.hotrap.slow_root = Hdd();
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(Folders({Below(Nvme(), Db()), SlowOfDb()}), PathsOf(db_));
  Fill();
  EXPECT_EQ(0, NumTables(Db()));
  ExpectUsable(options);
  ASSERT_OK(Open(Plain(), Db()));
  ExpectUsable(Plain());
  ExpectWhole(options, Db());
}

// A DB of one path gets a second one, and its tables stay usable.
TEST_F(OneStringTest, ForAnOldDB) {
  for (const bool slow : {true, false}) {
    ASSERT_OK(Open(Plain(), Db()));
    PutAll();
    const Options options = slow ? SlowRoot() : FastRoot();
    ASSERT_OK(Open(options, Db()));
    EXPECT_EQ("1", Stat("active")) << Stat("inactive_reason");
    ExpectUsable(options);
    Close();
    ASSERT_OK(DestroyDB(Db(), Plain()));
  }
  // Its folder is none of the two paths.
  ASSERT_OK(Open(Plain(), Db()));
  PutAll();
  Options both = FastRoot();
  both.hotrap.slow_root = Hdd();
  ASSERT_OK(Open(both, Db()));
  EXPECT_EQ(Folders({Below(Nvme(), Db()), Db(), SlowOfDb()}), PathsOf(db_));
  EXPECT_EQ(0u, db_->GetOptions().cf_paths[1].target_size);
  ExpectUsable(both);
}

TEST_F(OneStringTest, BesideOnePathOfTheProgram) {
  Options options = SlowRoot();
  options.db_paths = {{Fast(), 2 << 20}};
  options.hotrap.fast_budget_bytes = 0;  // that of the path
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(Folders({Fast(), SlowOfDb()}), PathsOf(db_));
  EXPECT_EQ(2u << 20, db_->GetOptions().cf_paths[0].target_size);
  Fill();
  ExpectUsable(options);
  Close();
  // A column family on the slow disk gets a fast one.
  options = FastRoot();
  options.cf_paths = {{Slow(), 1ull << 40}};
  ASSERT_OK(Open(options, Folder("db2")));
  EXPECT_EQ(Folders({Below(Nvme(), Folder("db2")), Slow()}), PathsOf(db_));
}

TEST_F(OneStringTest, TwoDBsNeverMeet) {
  const std::vector<std::string> names = {Db(), Folder("x/db"), Folder("db2")};
  ASSERT_OK(env_->CreateDir(Folder("x")));
  for (const std::string& name : names) {
    ASSERT_OK(Open(SlowRoot(), name));
    EXPECT_EQ(Below(Hdd(), name), PathsOf(db_)[1]);
    Fill();
  }
  for (const std::string& name : names) {
    ExpectWhole(SlowRoot(), name);
    ASSERT_OK(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  }
  Close();
  ASSERT_OK(DestroyDB(names[0], SlowRoot()));
  for (const std::string& name : {names[1], names[2]}) {
    ExpectWhole(SlowRoot(), name);
  }
}

// One DB under several names has one slow folder.
TEST_F(OneStringTest, OtherNamesOfTheSameDB) {
  MakeDB(SlowRoot());
  ASSERT_EQ(0, symlink(root_.c_str(), Folder("link").c_str()));
  ASSERT_EQ(0, symlink(Db().c_str(), Folder("linked_db").c_str()));
  char before[4096];
  ASSERT_NE(nullptr, getcwd(before, sizeof(before)));
  ASSERT_EQ(0, chdir(root_.c_str()));
  for (const std::string& name :
       {Db() + "/", Folder("link/db"), Folder("linked_db"),
        Folder("nvme/../db"), Folder(".//db"), std::string("db"),
        std::string("./hdd/../db/")}) {
    ASSERT_OK(Open(SlowRoot(), name)) << name;
    EXPECT_EQ(SlowOfDb(), PathsOf(db_).back()) << name;
    EXPECT_EQ(2u, PathsOf(db_).size()) << name;
    EXPECT_EQ(kNumKeys, NumFound()) << name;
    ASSERT_OK(Open(Plain(), name)) << name;
    EXPECT_EQ(kNumKeys, NumFound()) << name;
  }
  Close();
  ASSERT_EQ(0, chdir(before));
  // Made under the name of a link.
  ASSERT_OK(Open(SlowRoot(), Folder("link/db2")));
  EXPECT_EQ(Below(Hdd(), Folder("db2")), PathsOf(db_)[1]);
}

// The link points elsewhere later, or another mount point is used: the DB keeps
// its folder.
TEST_F(OneStringTest, AnotherNameLater) {
  ASSERT_OK(env_->CreateDir(Folder("a")));
  ASSERT_EQ(0, symlink(Folder("a").c_str(), Folder("mnt").c_str()));
  ASSERT_OK(Open(SlowRoot(), Folder("mnt/db")));
  Fill();
  const Folders paths = PathsOf(db_);
  Close();
  Move(Folder("a"), Folder("b"));
  ASSERT_EQ(0, unlink(Folder("mnt").c_str()));
  ASSERT_EQ(0, symlink(Folder("b").c_str(), Folder("mnt").c_str()));
  ASSERT_OK(Open(SlowRoot(), Folder("mnt/db")));
  EXPECT_EQ(paths, PathsOf(db_));
  EXPECT_EQ(kNumKeys, NumFound());
}

TEST_F(OneStringTest, ARootMayEndInASlash) {
  Options options = SlowRoot();
  for (const std::string& root :
       {Hdd() + "/", Folder("nvme/../hdd"), Folder("//hdd/./")}) {
    options.hotrap.slow_root = root;
    ASSERT_OK(Open(options, Db())) << root;
    EXPECT_EQ(SlowOfDb(), PathsOf(db_)[1]) << root;
  }
}

// ---- What is refused --------------------------------------------------------

TEST_F(OneStringTest, RootsThatCannotBe) {
  Options options = SlowRoot();
  options.hotrap.slow_root = "hdd";
  ExpectRefused(options, {"hotrap.slow_root", "\"hdd\"", "absolute"});
  options.hotrap.slow_root = Folder("no such");
  ExpectRefused(options, {"hotrap.slow_root", "no such", "does not exist"});
  ASSERT_OK(WriteStringToFile(env_, "", Folder("file")));
  options.hotrap.slow_root = Folder("file");
  ExpectRefused(options, {"hotrap.slow_root", "no folder"});
  for (const std::string& root : {Db(), Db() + "/sub", std::string("/")}) {
    ASSERT_OK(env_->CreateDirIfMissing(Db()));
    ASSERT_OK(env_->CreateDirIfMissing(Db() + "/sub"));
    options.hotrap.slow_root = root;
    ExpectRefused(options, {"hotrap.slow_root", "DB's own folder"});
  }
  for (const char* name : {"/a;b", "/a{b", "/a\nb", "/a ", "/a\\b"}) {
    options.hotrap.slow_root = name;
    ExpectRefused(options, {"hotrap.slow_root", "semicolons"});
  }
  options = SlowRoot();
  options.hotrap.fast_root = Hdd();
  ExpectRefused(options, {"slow_root", "fast_root", "same"});
  options.hotrap.fast_root = "relative";
  ExpectRefused(options, {"hotrap.fast_root", "relative", "absolute"});
  // Something is in the way: a file with the name of the first folder to make.
  options = SlowRoot();
  const size_t end = SlowOfDb().find('/', Hdd().size() + 1);
  ASSERT_OK(WriteStringToFile(env_, "", SlowOfDb().substr(0, end)));
  ExpectRefused(options, {"hotrap.slow_root", "nothing can be written"});
}

// The path that a root makes leads back to the DB.
TEST_F(OneStringTest, AFolderThatCannotBeMadeLeavesNoDB) {
  const std::filesystem::path folder(SlowOfDb());
  std::filesystem::create_directories(folder.parent_path());
  ASSERT_OK(WriteStringToFile(env_, "a file", SlowOfDb()));
  ExpectRefused(SlowRoot(), {"slow_root", SlowOfDb()});
  EXPECT_FALSE(Exists(CurrentFileName(Db())));
  ASSERT_OK(env_->DeleteFile(SlowOfDb()));
  Options options = SlowRoot();
  options.error_if_exists = true;
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(Folders({Db(), SlowOfDb()}), PathsOf(db_));
}

TEST_F(OneStringTest, ARootThroughALink) {
  ASSERT_OK(Open(Plain(), Db()));
  PutAll();
  Close();
  std::filesystem::create_directories(
      std::filesystem::path(SlowOfDb()).parent_path());
  ASSERT_EQ(0, symlink(Db().c_str(), SlowOfDb().c_str()));
  ExpectRefused(SlowRoot(), {"hotrap.slow_root", "another name"});
  ExpectWhole(Plain(), Db());
}

TEST_F(OneStringTest, TheBudgetMustBeKnown) {
  Options options = SlowRoot();
  options.hotrap.fast_budget_bytes = 0;
  ExpectRefused(options, {"hotrap.fast_budget_bytes", "40G"});
  options = FastRoot();
  options.hotrap.fast_budget_bytes = 0;
  ExpectRefused(options, {"hotrap.fast_budget_bytes", "40G"});
  // Too small.
  options = SlowRoot();
  options.hotrap.fast_budget_bytes = 1000;
  ExpectRefused(options, {"fast_budget_bytes", "max_bytes_for_level_base"});
}

TEST_F(OneStringTest, PathsOfTheProgramMustAgree) {
  Options options = SlowRoot();
  options.db_paths = {{Fast(), 1 << 20}, {Slow(), 1ull << 40}};
  ExpectRefused(options, {"hotrap.slow_root", Slow(), "not below"});
  options.db_paths[1].path = Hdd() + "/mine";
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(Folders({Fast(), Hdd() + "/mine"}), PathsOf(db_));
  options.hotrap.fast_root = Nvme();
  ExpectRefused(options, {"hotrap.fast_root", Fast(), "not below"});
  // GetOptions() has the paths that were made.
  ASSERT_OK(Open(SlowRoot(), Folder("db2")));
  Options again = SlowRoot();
  again.cf_paths = db_->GetOptions().cf_paths;
  ASSERT_OK(Open(again, Folder("db2")));
  ColumnFamilyHandle* cf = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(again, "more", &cf));
  handles_.push_back(cf);
  EXPECT_EQ(PathsOf(db_), PathsOf(db_, cf));
}

// Two disks of one DB's tables, and a DB that was removed by hand.
TEST_F(OneStringTest, NoNewDBOverOldTables) {
  MakeDB(SlowRoot());
  ASSERT_OK(DestroyDir(env_, Db()));
  ExpectRefused(SlowRoot(), {"no DB in", SlowOfDb()});
  EXPECT_GT(NumTables(SlowOfDb()), 0);
}

TEST_F(OneStringTest, ATableOfAnotherDB) {
  MakeDB(SlowRoot());
  ASSERT_OK(DestroyDir(env_, Db()));
  ASSERT_OK(Open(Plain(), Db()));
  Close();
  ExpectRefused(SlowRoot(), {"another DB", SlowOfDb()});
  EXPECT_GT(NumTables(SlowOfDb()), 0);
}

// ---- Where it is of no effect ----------------------------------------------

TEST_F(OneStringTest, OtherCompactionStyles) {
  for (const CompactionStyle style :
       {kCompactionStyleUniversal, kCompactionStyleFIFO}) {
    Options options = SlowRoot();
    options.compaction_style = style;
    ASSERT_OK(Open(options, Db()));
    EXPECT_EQ(Folders({Db()}), PathsOf(db_));
    EXPECT_EQ("0", Stat("active"));
    PutAll();
    EXPECT_EQ(kNumKeys, NumFound());
    Close();
    ASSERT_OK(DestroyDB(Db(), options));
  }
  EXPECT_FALSE(Exists(SlowOfDb()));
}

// Off, it is RocksDB over two paths, and can be switched on.
TEST_F(OneStringTest, RootsApplyWhileItIsOff) {
  Options options = SlowRoot();
  options.hotrap.enabled = false;
  ASSERT_OK(Open(options, Db()));
  EXPECT_EQ(Folders({Db(), SlowOfDb()}), PathsOf(db_));
  EXPECT_EQ("0", Stat("active"));
  Fill();
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  EXPECT_EQ("1", Stat("active")) << Stat("inactive_reason");
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  ExpectUsable(options);
}

// ---- Strings and files ------------------------------------------------------

TEST_F(OneStringTest, SetOptionsRefusesOtherRoots) {
  ASSERT_OK(Open(SlowRoot(), Db()));
  const std::string same = "{enabled=true;slow_root=" + Hdd() + ";}";
  ASSERT_OK(db_->SetOptions({{"hotrap", same}}));
  for (const auto& change : std::vector<std::pair<std::string, std::string>>{
           {"hotrap", "{slow_root=/other;}"},
           {"hotrap", "{slow_root=;}"},
           {"hotrap.slow_root", "/other"},
           {"hotrap", "{fast_root=/other;}"}}) {
    const Status s = db_->SetOptions({{change.first, change.second}});
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_TRUE(Says(s, "_root")) << s.ToString();
    EXPECT_TRUE(Says(s, "opened")) << s.ToString();
  }
  EXPECT_EQ(Hdd(), db_->GetOptions().hotrap.slow_root);
  EXPECT_EQ("1", Stat("active"));
}

TEST_F(OneStringTest, RoundTripThroughTheOptionsFile) {
  const std::string hdd = Folder("h d#d:1");
  ASSERT_OK(env_->CreateDir(hdd));
  Options options = SlowRoot();
  options.hotrap.slow_root = hdd;
  ASSERT_OK(Open(options, Db()));
  Fill();
  Close();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), Db(), &db_options, &families));
  EXPECT_EQ(hdd, families[0].options.hotrap.slow_root);
  ASSERT_OK(
      CheckOptionsCompatibility(ConfigOptions(), Db(), db_options, families));
  ASSERT_OK(OpenBy(&db_, [&](auto* db) {
    return DB::Open(db_options, Db(), families, &handles_, db);
  }));
  EXPECT_EQ(Folders({Db(), Below(hdd, Db())}), PathsOf(db_));
  EXPECT_EQ(kNumKeys, NumFound());
}

// ---- Column families --------------------------------------------------------

TEST_F(OneStringTest, ColumnFamiliesWithOtherRoots) {
  Options other = SlowRoot();
  other.hotrap.slow_root = Nvme();
  ASSERT_OK(Open(SlowRoot(), Db()));
  ColumnFamilyHandle* cf = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(other, "family", &cf));
  handles_.push_back(cf);
  EXPECT_EQ(Folders({Db(), Below(Nvme(), Db())}), PathsOf(db_, cf));
  EXPECT_EQ("1", Stat("active", cf));
  Fill();
  Fill(cf);
  EXPECT_GT(NumTables(Below(Nvme(), Db())), 0);
  ColumnFamilyHandle* plain = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(Plain(), "plain", &plain));
  handles_.push_back(plain);
  EXPECT_EQ(Folders({Db()}), PathsOf(db_, plain));
  const auto open = [&](const Options& a, const Options& b) {
    Close();
    return OpenBy(&db_, [&](auto* db) {
      return DB::Open(a, Db(),
                      {{"default", a}, {"family", b}, {"plain", Plain()}},
                      &handles_, db);
    });
  };
  ASSERT_OK(open(SlowRoot(), other));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  // Without the strings.
  ASSERT_OK(open(Plain(), Plain()));
  EXPECT_EQ(kNumKeys, NumFound());
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  EXPECT_EQ(Folders({Db(), Below(Nvme(), Db())}), PathsOf(db_, handles_[1]));
  EXPECT_EQ(Folders({Db()}), PathsOf(db_, handles_[2]));
  // Exchanged.
  ASSERT_OK(open(other, SlowRoot()));
  for (ColumnFamilyHandle* handle : {handles_[0], handles_[1]}) {
    ASSERT_OK(
        db_->CompactRange(CompactRangeOptions(), handle, nullptr, nullptr));
    EXPECT_EQ(kNumKeys, NumFound(handle));
  }
  Close();
  ASSERT_OK(DestroyDB(Db(), Plain()));
  EXPECT_FALSE(Exists(SlowOfDb()));
  EXPECT_FALSE(Exists(Below(Nvme(), Db())));
}

TEST_F(OneStringTest, MissingColumnFamiliesAreMade) {
  Options options = SlowRoot();
  options.create_missing_column_families = true;
  ASSERT_OK(OpenWithFamily(options, Db(), options));
  EXPECT_EQ(Folders({Db(), SlowOfDb()}), PathsOf(db_, handles_[1]));
  Fill(handles_[1]);
  ASSERT_OK(OpenWithFamily(Plain(), Db(), Plain()));
  EXPECT_EQ(kNumKeys, NumFound(handles_[1]));
  ColumnFamilyHandle* cf = nullptr;
  Options bad = SlowRoot();
  bad.hotrap.slow_root = Folder("no such");
  const Status s = db_->CreateColumnFamily(bad, "bad", &cf);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, "no such")) << s.ToString();
}

}  // namespace ROCKSDB_NAMESPACE
