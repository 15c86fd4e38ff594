//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests ROCKSDB_HOTRAP, which switches HotRAP on for programs that know nothing
// of it.

#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "plugin/hotrap/test_util/root_test_base.h"
#include "rocksdb/comparator.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/utilities/transaction_db.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class EnvironmentTest : public RootTestBase {
 public:
  EnvironmentTest() : RootTestBase("environment_test") {}
  ~EnvironmentTest() override {
    Close();
    Unset();
  }

  static void Set(const std::string& value) {
    ASSERT_EQ(0, setenv("ROCKSDB_HOTRAP", value.c_str(), 1));
  }
  static void Unset() { ASSERT_EQ(0, unsetenv("ROCKSDB_HOTRAP")); }
  std::string String() const {
    return "hotrap={enabled=true;slow_root=" + Hdd() +
           ";fast_budget_bytes=1M;}";
  }
  // Sets the variable to a file.
  void SetFile(const std::string& text) {
    ASSERT_OK(WriteStringToFile(env_, text, Folder("conf")));
    Set("@" + Folder("conf"));
  }
  std::string OptionsFile() {
    std::string name;
    EXPECT_OK(GetLatestOptionsFileName(Db(), env_, &name));
    std::string text;
    EXPECT_OK(ReadFileToString(env_, Db() + "/" + name, &text));
    return text;
  }
  std::string Log() {
    std::string text;
    EXPECT_OK(ReadFileToString(env_, Db() + "/LOG", &text));
    return text;
  }
  bool IsOn(ColumnFamilyHandle* cf = nullptr) {
    return Stat("active", cf) == "1";
  }
  // The DB opens as plain RocksDB, and says why.
  void ExpectPlain(const Options& options, const std::string& reason) {
    ASSERT_OK(Open(options, Db()));
    EXPECT_FALSE(IsOn());
    EXPECT_EQ(Folders({Db()}), PathsOf(db_));
    EXPECT_NE(std::string::npos, Stat("inactive_reason").find(reason))
        << Stat("inactive_reason");
    EXPECT_NE(std::string::npos, Stat("options_source").find("ROCKSDB_HOTRAP"));
    EXPECT_NE(std::string::npos, Stat("options_source").find("not applied"));
    EXPECT_FALSE(Exists(SlowOfDb()));
    Close();
    EXPECT_NE(std::string::npos, Log().find(reason)) << reason;
    ASSERT_OK(DestroyDB(Db(), options));
  }
};

TEST_F(EnvironmentTest, SwitchesItOn) {
  const std::string content = "slow_root=" + Hdd() + ";fast_budget_bytes=1M";
  for (const std::string& value :
       {String(), "{enabled=true;" + content + ";}", content + ";",
        " hotrap = {" + content + "} ; ", content + ";enabled=true"}) {
    Set(value);
    ASSERT_OK(Open(Plain(), Db())) << value;
    EXPECT_TRUE(IsOn()) << value << Stat("inactive_reason");
    EXPECT_EQ("ROCKSDB_HOTRAP", Stat("options_source"));
    EXPECT_EQ(Folders({Db(), SlowOfDb()}), PathsOf(db_));
    Fill();
    ExpectUsable(Plain());
    Close();
    EXPECT_NE(std::string::npos, Log().find("options from ROCKSDB_HOTRAP"));
    EXPECT_NE(std::string::npos, Log().find("path " + SlowOfDb()));
    Unset();
    ASSERT_OK(DestroyDB(Db(), Plain()));
  }
}

TEST_F(EnvironmentTest, OffWhenUnsetOrEmpty) {
  for (const char* value : {"", "  "}) {
    Set(value);
    ASSERT_OK(Open(Plain(), Db()));
    EXPECT_FALSE(IsOn());
    EXPECT_EQ("program", Stat("options_source"));
    EXPECT_EQ("hotrap.enabled is false", Stat("inactive_reason"));
    Close();
  }
  EXPECT_EQ(std::string::npos, Log().find("ROCKSDB_HOTRAP"));
}

// Without the variable, the DB is whole, HotRAP is off, and no OPTIONS file
// brings it back.
TEST_F(EnvironmentTest, UnsetLater) {
  Set(String());
  ASSERT_OK(Open(Plain(), Db()));
  Fill();
  ASSERT_OK(db_->SetOptions({{"write_buffer_size", "1000000"}}));
  EXPECT_TRUE(IsOn());
  Close();
  EXPECT_EQ(std::string::npos, OptionsFile().find("hotrap="));
  Unset();
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_FALSE(IsOn());
  ExpectUsable(Plain());
  Close();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), Db(), &db_options, &families));
  ASSERT_OK(OpenBy(&db_, [&](auto* db) {
    return DB::Open(db_options, Db(), families, &handles_, db);
  }));
  EXPECT_FALSE(IsOn());
  EXPECT_EQ(kNumKeys, NumFound());
}

// A program that takes its options back from the DB has not set them.
TEST_F(EnvironmentTest, OptionsThatCameFromTheEnvironment) {
  Set(String());
  ASSERT_OK(Open(Plain(), Db()));
  const Options taken = db_->GetOptions();
  EXPECT_EQ("ROCKSDB_HOTRAP", taken.hotrap.source);
  ColumnFamilyHandle* cf = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(taken, "family", &cf));
  handles_.push_back(cf);
  EXPECT_TRUE(IsOn(cf));
  EXPECT_EQ("ROCKSDB_HOTRAP", Stat("options_source", cf));
  Unset();
  ColumnFamilyHandle* later = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(taken, "later", &later));
  handles_.push_back(later);
  EXPECT_FALSE(IsOn(later));
}

TEST_F(EnvironmentTest, TheProgramWins) {
  Set("{slow_root=" + Nvme() + ";fast_budget_bytes=1M;no_retain=true;}");
  ASSERT_OK(Open(SlowRoot(), Db()));
  EXPECT_EQ("program", Stat("options_source"));
  EXPECT_EQ(Folders({Db(), SlowOfDb()}), PathsOf(db_));
  EXPECT_FALSE(db_->GetOptions().hotrap.no_retain);
  // One field is enough, and so is a string that switches it off.
  Options options = Plain();
  options.hotrap.promotion_cache_bytes = 12345;
  ASSERT_OK(Open(options, Folder("db2")));
  EXPECT_FALSE(IsOn());
  ASSERT_OK(Open(WithString("{enabled=false;}"), Folder("db3")));
  EXPECT_FALSE(IsOn());
  EXPECT_EQ("program", Stat("options_source"));
}

TEST_F(EnvironmentTest, SetOptionsIsTheProgram) {
  Set(String());
  ASSERT_OK(Open(Plain(), Db()));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=false;}"}}));
  EXPECT_FALSE(IsOn());
  EXPECT_EQ("program", Stat("options_source"));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{enabled=true;}"}}));
  EXPECT_TRUE(IsOn());
}

TEST_F(EnvironmentTest, BesideTwoPathsOfTheProgram) {
  Set(String());
  ASSERT_OK(Open(TwoPaths(), Db()));
  EXPECT_TRUE(IsOn()) << Stat("inactive_reason");
  EXPECT_EQ(Folders({Fast(), Slow()}), PathsOf(db_));
  EXPECT_FALSE(Exists(SlowOfDb()));
}

TEST_F(EnvironmentTest, ColumnFamiliesAndTransactions) {
  Set(String());
  Options options = Plain();
  options.create_missing_column_families = true;
  options.persist_stats_to_disk = true;
  TransactionDB* db = nullptr;
  ASSERT_OK(TransactionDB::Open(options, TransactionDBOptions(), Db(),
                                {{"default", options}, {"family", options}},
                                &handles_, &db));
  db_ = db;
  for (ColumnFamilyHandle* handle : handles_) {
    EXPECT_TRUE(IsOn(handle)) << Stat("inactive_reason", handle);
    Fill(handle);
  }
  Close();
  Unset();
  options.persist_stats_to_disk = false;
  ASSERT_OK(OpenWithFamily(Plain(), Db(), Plain()));
  for (ColumnFamilyHandle* handle : handles_) {
    EXPECT_EQ(kNumKeys, NumFound(handle));
  }
}

// ---- The file ---------------------------------------------------------------

TEST_F(EnvironmentTest, SectionsOfAFile) {
  SetFile(
      "# Comment\n"
      "[DB \"*/scratch*\"]\n"
      "  enabled=false\n"
      "[DB \"" +
      root_ +
      "/*\" \"hot*\"]  # these\n"
      "  enabled=true\n"
      "  slow_root=" +
      Hdd() +
      "\n"
      "  fast_budget_bytes=1M\n"
      "[DB \"" +
      Db() +
      "\"]\n"
      "  hotrap={slow_root=" +
      Nvme() + ";fast_budget_bytes=2M;}\n");
  Options options = Plain();
  options.create_missing_column_families = true;
  Close();
  ASSERT_OK(OpenBy(&db_, [&](auto* db) {
    return DB::Open(options, Db(),
                    {{"default", options}, {"hot1", options}, {"x", options}},
                    &handles_, db);
  }));
  EXPECT_EQ(Folders({Db(), Below(Nvme(), Db())}), PathsOf(db_));
  EXPECT_EQ(2u << 20, db_->GetOptions().hotrap.fast_budget_bytes);
  EXPECT_EQ(
      "ROCKSDB_HOTRAP @" + Folder("conf") + " [DB \"" + Db() + "\" \"*\"]",
      Stat("options_source"));
  EXPECT_EQ(Folders({Db(), SlowOfDb()}), PathsOf(db_, handles_[1]));
  EXPECT_EQ("ROCKSDB_HOTRAP @" + Folder("conf") + " [DB \"" + root_ +
                "/*\" \"hot*\"]",
            Stat("options_source", handles_[1]));
  EXPECT_TRUE(IsOn(handles_[1]));
  ASSERT_OK(Open(options, Folder("scratch1")));
  EXPECT_FALSE(IsOn());
  EXPECT_NE(std::string::npos, Stat("inactive_reason").find("enabled=false"));
  ASSERT_OK(Open(options, Folder("other")));
  EXPECT_FALSE(IsOn());
  EXPECT_EQ("program", Stat("options_source"));
}

// The patterns are for the DB's own name, and for the one that the program has.
TEST_F(EnvironmentTest, PatternsAndLinks) {
  ASSERT_EQ(0, symlink(root_.c_str(), Folder("link").c_str()));
  for (const std::string& pattern : {Folder("link/*"), Folder("d*")}) {
    SetFile("[DB \"" + pattern + "\"]\nslow_root=" + Hdd() +
            "\nfast_budget_bytes=1M\n");
    ASSERT_OK(Open(Plain(), Folder("link/db")));
    EXPECT_TRUE(IsOn()) << pattern;
    Close();
  }
}

// ---- Mistakes ---------------------------------------------------------------

TEST_F(EnvironmentTest, MistakesAreNamed) {
  const auto expect = [&](const std::vector<std::string>& words) {
    ExpectRefused(Plain(), words);
    EXPECT_TRUE(Open(Plain(), Db()).IsInvalidArgument());
  };
  Set("on");
  expect({"ROCKSDB_HOTRAP", "\"on\"", "name=value"});
  Set("{enabled=true;slow_rot=/hdd;}");
  expect({"ROCKSDB_HOTRAP", "slow_rot", "slow_root"});
  Set("{slow_root=" + Hdd() + ";fast_budget_bytes=40X}");
  expect({"ROCKSDB_HOTRAP", "fast_budget_bytes", "40X", "K, M, G or T"});
  Set("{slow_root=" + Folder("no such") + ";fast_budget_bytes=1M}");
  expect({"ROCKSDB_HOTRAP", "slow_root", "no such", "does not exist"});
  Set("{slow_root=" + Hdd() + "}");
  expect({"ROCKSDB_HOTRAP", "fast_budget_bytes", "40G"});
  Set("{slow_root=" + Hdd() +
      ";fast_budget_bytes=1M;pinned_ranges={begin=b;end=a}}");
  expect({"ROCKSDB_HOTRAP", "pinned_ranges", "before its end"});
  Set("{slow_root=" + Hdd() +
      ";fast_budget_bytes=1M;pinned_ranges={prefix=a};"
      "excluded_ranges={prefix=ab}}");
  expect({"ROCKSDB_HOTRAP", "pinned_ranges", "excluded_ranges"});
  Set("{slow_root=hdd;fast_budget_bytes=1M}");
  expect({"ROCKSDB_HOTRAP", "slow_root", "absolute"});
  Set("@" + Folder("no such"));
  expect({"ROCKSDB_HOTRAP", "no such", "cannot be read"});
  SetFile("slow_root=/hdd\n");
  expect({"ROCKSDB_HOTRAP", "line 1", "[DB"});
  SetFile("\n[CF \"x\"]\n");
  expect({"ROCKSDB_HOTRAP", "line 2", "[CF"});
  for (const std::string cf : {"\"def", "\"", "\"a\" b", "\"a\" \"b"}) {
    SetFile("[DB \"*\" " + cf + "]\n");
    expect({"ROCKSDB_HOTRAP", "line 1", "[DB"});
  }
  SetFile("[DB \"nothing\"]\ncached_hit_sampling=0\n");
  expect({"ROCKSDB_HOTRAP", "line 2", "cached_hit_sampling"});
  SetFile("[DB \"nothing\"]\nenabled\n");
  expect({"ROCKSDB_HOTRAP", "line 2", "name=value"});
  Unset();
  ASSERT_OK(Open(Plain(), Db()));
  ColumnFamilyHandle* cf = nullptr;
  Set("on");
  const Status s = db_->CreateColumnFamily(Plain(), "family", &cf);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_TRUE(Says(s, "ROCKSDB_HOTRAP")) << s.ToString();
}

// ---- Where it cannot work ---------------------------------------------------

TEST_F(EnvironmentTest, WhereItCannotWork) {
  Set(String());
  Options options = Plain();
  options.compaction_style = kCompactionStyleUniversal;
  ExpectPlain(options, "not level");
  options.compaction_style = kCompactionStyleFIFO;
  ExpectPlain(options, "not level");
  options = Plain();
  options.comparator = BytewiseComparatorWithU64Ts();
  ExpectPlain(options, "timestamps");
  options = Plain();
  options.num_levels = 2;
  ExpectPlain(options, "num_levels");
  options = Plain();
  options.max_bytes_for_level_base = 256 << 20;
  ExpectPlain(options, "fewer than two levels fit");
}

#if ROCKSDB_MAJOR >= 11
// RocksDB would look for them on the fast path, and writes them to the DB's
// folder.
TEST_F(EnvironmentTest, NotForBlobsThatWritersWrite) {
  Options options = Plain();
  options.enable_blob_files = true;
  options.enable_blob_direct_write = true;
  options.allow_concurrent_memtable_write = false;
  Set("enabled=true;fast_root=" + Nvme() + ";fast_budget_bytes=1M");
  ExpectPlain(options, "enable_blob_direct_write");
  EXPECT_FALSE(Exists(Below(Nvme(), Db())));
  Set(String());
  ASSERT_OK(Open(options, Db()));
  EXPECT_TRUE(IsOn());
}
#endif

TEST_F(EnvironmentTest, Readers) {
  Set(String());
  ASSERT_OK(Open(Plain(), Db()));
  Fill();
  Close();
  for (const bool bad : {false, true}) {
    if (bad) {
      Set("on");  // of no interest to a reader
    }
    ASSERT_OK(OpenReadOnly(Plain(), Db()));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_NE(std::string::npos, Stat("inactive_reason").find("read-only"));
    EXPECT_NE(std::string::npos,
              Stat("options_source").find("ROCKSDB_HOTRAP, not applied"));
    ASSERT_OK(OpenAsSecondary(Plain(), Db()));
    EXPECT_EQ(kNumKeys, NumFound());
    EXPECT_FALSE(IsOn());
  }
}

TEST_F(EnvironmentTest, InMemory) {
  std::unique_ptr<Env> memory(NewMemEnv(Env::Default()));
  Set(String());
  Options options = Plain();
  options.env = memory.get();
  ASSERT_OK(Open(options, Db()));
  EXPECT_FALSE(IsOn());
  EXPECT_NE(std::string::npos, Stat("inactive_reason").find("file system"));
  EXPECT_EQ(Folders({Db()}), PathsOf(db_));
  EXPECT_FALSE(Exists(SlowOfDb()));
  Close();
}

// RocksDB's repair writes the WAL's records to the first path, and searches
// only those that it is given.
TEST_F(EnvironmentTest, Repair) {
  ASSERT_OK(Open(Plain(), Db()));
  for (int i = 0; i < kNumKeys; i++) {
    ASSERT_OK(db_->Put(WriteOptions(), Key(i), Value(i)));
  }
  Close();
  Set("fast_root=" + Nvme() + ";fast_budget_bytes=1M");
  ASSERT_OK(RepairDB(Db(), Plain()));
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_TRUE(IsOn()) << Stat("inactive_reason");
  Fill();
  Close();
  ASSERT_OK(RepairDB(Db(), Plain(), {{"default", Plain()}}));
  ExpectWhole(Plain(), Db());
  Unset();
  ExpectWhole(Plain(), Db());
}

// ---- Many DBs, and other users' rights --------------------------------------

TEST_F(EnvironmentTest, ManyAtOnce) {
  Set(String());
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; i++) {
    threads.emplace_back([&, i] {
      const std::string name = Folder("many" + std::to_string(i));
      DB* db = nullptr;
      const Status s = OpenBy(
          &db, [&](auto* opened) { return DB::Open(Plain(), name, opened); });
      EXPECT_OK(s);
      if (s.ok()) {
        EXPECT_EQ(Folders({name, Below(Hdd(), name)}), PathsOf(db));
        EXPECT_OK(db->Put(WriteOptions(), "key", name));
        std::string value;
        EXPECT_OK(db->Get(ReadOptions(), "key", &value));
        EXPECT_EQ(name, value);
      }
      delete db;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// What IgnoredForSetUidPrograms runs with the rights of another user.
TEST_F(EnvironmentTest, SetUidPart) {
  if (getauxval(AT_SECURE) == 0) {
    GTEST_SKIP() << "not set-uid";
  }
  ASSERT_NE(nullptr, std::getenv("ROCKSDB_HOTRAP"));
  ASSERT_OK(Open(Plain(), Db()));
  EXPECT_FALSE(IsOn());
  EXPECT_EQ("program", Stat("options_source"));
  ASSERT_OK(WriteStringToFile(env_, "", root_ + "/../ran"));
}

TEST_F(EnvironmentTest, IgnoredForSetUidPrograms) {
  struct statvfs mount {};
  ASSERT_EQ(0, statvfs(root_.c_str(), &mount));
  if (geteuid() != 0 || (mount.f_flag & ST_NOSUID) != 0) {
    GTEST_SKIP() << "cannot make a program of another user here";
  }
  const std::string program = Folder("program");
  const std::string scratch = Folder("scratch");
  std::filesystem::copy_file("/proc/self/exe", program);
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(0, chown(program.c_str(), kNobody, kNobody));
  ASSERT_EQ(0, chmod(program.c_str(), 04755));
  ASSERT_OK(env_->CreateDir(scratch));
  ASSERT_EQ(0, chmod(scratch.c_str(), 0777));
  Set("on");  // a mistake, if it is read
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("TEST_TMPDIR", scratch.c_str(), 1);
    execl(program.c_str(), program.c_str(),
          "--gtest_filter=EnvironmentTest.SetUidPart", nullptr);
    _exit(127);
  }
  int result = 0;
  ASSERT_EQ(child, waitpid(child, &result, 0));
  EXPECT_TRUE(WIFEXITED(result));
  EXPECT_EQ(0, WEXITSTATUS(result));
  EXPECT_TRUE(Exists(scratch + "/ran"));
}

}  // namespace ROCKSDB_NAMESPACE
