//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests with a disk that is full, for real: a small file system, which the DB
// fills by itself or finds full. No acknowledged write is lost, reads go on,
// and writes go on by themselves once there is room: without reopening, and
// without Resume().

#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "plugin/hotrap/test_util/hotrap_relocation_test_base.h"
#include "plugin/hotrap/test_util/small_file_systems.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// What is small. kLog: the DB's folder, with WAL, MANIFEST and fast path.
enum class Full { kFast, kLog, kSlow, kBoth };
enum class Filler { kWrites, kBallast };

// Counts the errors that a full disk causes.
class NoSpaceListener : public EventListener {
 public:
  void OnBackgroundError(BackgroundErrorReason /*reason*/,
                         Status* error) override {
    if (error->IsNoSpace()) {
      count++;
    }
  }
  std::atomic<int> count{0};
};

}  // namespace

class NoSpaceTest : public HotRapRelocationTestBase {
 public:
  static constexpr int kNumKeys = 4000;
  static constexpr int kHotKeys = 100;
  static constexpr uint64_t kSmall = 16 << 20;
  static constexpr uint64_t kLarge = 256 << 20;
  // The room that the DB's own writes have to fill.
  static constexpr uint64_t kRoom = 512 << 10;

  NoSpaceTest() : HotRapRelocationTestBase("no_space_test"), rnd_(301) {}
  ~NoSpaceTest() override {
    Close();
    disks_.UnmountAll();
  }

  static void SetUpTestCase() { SmallFileSystems::Enter(); }
  void SetUp() override {
    if (!SmallFileSystems::Enter().empty()) {
      GTEST_SKIP() << "This machine lets no test mount a file system: "
                   << SmallFileSystems::Enter();
    }
  }

  // ---- Disks ---------------------------------------------------------------

  void MountDisks(Full full) {
    ASSERT_OK(env_->CreateDirIfMissing(dbname_));
    switch (full) {
      case Full::kFast:
        ASSERT_OK(disks_.Mount(FastPath(), kSmall));
        small_ = {FastPath()};
        break;
      case Full::kLog:
        ASSERT_OK(disks_.Mount(dbname_, kSmall));
        ASSERT_OK(disks_.Mount(SlowPath(), kLarge));
        small_ = {dbname_};
        break;
      case Full::kSlow:
        ASSERT_OK(disks_.Mount(SlowPath(), kSmall));
        small_ = {SlowPath()};
        break;
      case Full::kBoth:
        ASSERT_OK(disks_.Mount(FastPath(), kSmall));
        ASSERT_OK(disks_.Mount(SlowPath(), kSmall));
        small_ = {FastPath(), SlowPath()};
        break;
    }
  }
  void LeaveFree(uint64_t bytes) {
    for (const std::string& folder : small_) {
      SmallFileSystems::PutBallast(folder, bytes);
    }
  }
  void MakeRoom() {
    for (const std::string& folder : small_) {
      SmallFileSystems::TakeBallastAway(folder);
    }
  }

  // ---- The DB and its model ------------------------------------------------

  Options OptionsFor(Full full, bool on) {
    Options options = TinyTiersOptions(env_);
    options.hotrap.enabled = on;
    // What is on the fast path fills the room there.
    if (full != Full::kSlow) {
      options.db_paths[0].target_size = 4 << 20;
    }
    options.listeners = {listener_};
    return options;
  }

  static std::string ModelKey(ColumnFamilyHandle* cf, const std::string& key) {
    return cf->GetName() + "/" + key;
  }

  // Does not wait where RocksDB would let it wait for the disk.
  Status Write(ColumnFamilyHandle* cf, const std::string& key,
               const std::string& value) {
    WriteOptions options;
    options.no_slowdown = true;
    const Status s = value.empty() ? db_->Delete(options, cf, key)
                                   : db_->Put(options, cf, key, value);
    std::set<std::string>& values = model_[ModelKey(cf, key)];
    if (s.ok()) {
      values = {value};
    } else {
      // It is unknown whether the value was written.
      if (values.empty()) {
        values = {""};
      }
      values.insert(value);
    }
    return s;
  }
  Status WriteSome(ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    const bool deletes = rnd_.OneIn(10);
    return Write(cf, Key(rnd_.Uniform(kNumKeys)),
                 deletes ? "" : rnd_.RandomString(1000));
  }

  // Reads never fail.
  void CheckKey(ColumnFamilyHandle* cf, const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), cf, key, &value);
    ASSERT_TRUE(s.ok() || s.IsNotFound()) << key << ": " << s.ToString();
    const auto found = model_.find(ModelKey(cf, key));
    if (found == model_.end()) {
      ASSERT_TRUE(s.IsNotFound()) << key;
    } else {
      ASSERT_EQ(1u, found->second.count(s.ok() ? value : "")) << key;
    }
  }
  void CheckAll(ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_NO_FATAL_FAILURE(CheckKey(cf, Key(i)));
    }
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), cf));
    it->SeekToFirst();
    for (int i = 0; i < kNumKeys; i++) {
      const bool is_there = it->Valid() && it->key() == Key(i);
      const auto found = model_.find(ModelKey(cf, Key(i)));
      if (found == model_.end()) {
        ASSERT_FALSE(is_there) << Key(i);
      } else {
        ASSERT_EQ(1u,
                  found->second.count(is_there ? it->value().ToString() : ""))
            << Key(i);
      }
      if (is_there) {
        it->Next();
      }
    }
    ASSERT_FALSE(it->Valid());
    ASSERT_OK(it->status());
  }
  void ReadHot(int reads, ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    for (int i = 0; i < reads; i++) {
      ASSERT_NO_FATAL_FAILURE(CheckKey(cf, Key(rnd_.Uniform(kHotKeys))));
    }
  }

  static bool Soon(const std::function<bool()>& condition) {
    for (int i = 0; i < 12000; i++) {
      if (condition()) {
        return true;
      }
      Env::Default()->SleepForMicroseconds(10 * 1000);
    }
    return false;
  }

  // ---- A disk is full, and has room again ----------------------------------

  void LoadTiers(ColumnFamilyHandle* cf = nullptr) {
    cf = cf == nullptr ? db_->DefaultColumnFamily() : cf;
    for (int i = 0; i < kNumKeys / 2; i++) {
      ASSERT_TRUE(
          Soon([&] { return Write(cf, Key(i), rnd_.RandomString(400)).ok(); }));
    }
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  }

  // Writes until the DB has met the full disk.
  void WriteUntilFull(ColumnFamilyHandle* cf = nullptr) {
    const int before = listener_->count;
    ASSERT_TRUE(Soon([&] {
      for (int i = 0; i < 20 && listener_->count == before; i++) {
        WriteSome(cf).PermitUncheckedError();
      }
      return listener_->count > before;
    }));
  }
  void Fill(Filler filler, ColumnFamilyHandle* cf = nullptr) {
    LeaveFree(filler == Filler::kWrites ? kRoom : 0);
    ASSERT_NO_FATAL_FAILURE(WriteUntilFull(cf));
  }
  // The DB tries in vain for some seconds, and is used meanwhile.
  void UseWhileFull(ColumnFamilyHandle* cf = nullptr) {
    for (int round = 0; round < 30; round++) {
      for (int i = 0; i < 20; i++) {
        WriteSome(cf).PermitUncheckedError();
      }
      ASSERT_NO_FATAL_FAILURE(ReadHot(50, cf));
      env_->SleepForMicroseconds(100 * 1000);
    }
    ASSERT_NO_FATAL_FAILURE(CheckAll(cf));
  }
  // Nobody helps the DB.
  void GoOn(ColumnFamilyHandle* cf = nullptr) {
    ASSERT_TRUE(Soon([&] { return WriteSome(cf).ok(); }));
    ASSERT_TRUE(Soon([&] { return BackgroundWorkGoesOn(); }));
    for (int i = 0; i < kNumKeys; i++) {
      ASSERT_TRUE(Soon([&] { return WriteSome(cf).ok(); }));
    }
    ASSERT_TRUE(Soon([&] { return BackgroundWorkGoesOn(); }));
    ASSERT_NO_FATAL_FAILURE(CheckAll(cf));
  }
  bool BackgroundWorkGoesOn() {
    FlushOptions flush;
    flush.wait = false;
    flush.allow_write_stall = true;
    std::vector<ColumnFamilyHandle*> all = handles_;
    if (all.empty()) {
      all.push_back(db_->DefaultColumnFamily());
    }
    Status s = db_->Flush(flush, all);
    if (s.ok()) {
      WaitForCompactOptions wait;
      wait.timeout = std::chrono::seconds(5);
      s = db_->WaitForCompact(wait);
    }
    return s.ok();
  }

  // No table is left on disk that the DB does not know.
  void CheckFolders(const std::vector<std::string>& folders) {
    // Reads may have held the last references to old tables, which the next
    // flush deletes.
    ASSERT_TRUE(Soon([&] { return WriteSome().ok() && Flush().ok(); }));
    std::set<std::string> found;
    std::set<std::string> known;
    Soon([&] {
      found.clear();
      for (const std::string& folder : folders) {
        std::vector<std::string> names;
        EXPECT_OK(env_->GetChildren(folder, &names));
        for (const std::string& name : names) {
          if (Slice(name).ends_with(".sst")) {
            found.insert(folder + "/" + name);
          }
        }
      }
      known = TablesOfTheDB();
      return found == known;
    });
    ASSERT_EQ(known, found);
  }
  void CheckHotRap() {
    EXPECT_EQ(1u, Stat("active"));
    EXPECT_TRUE(Soon([&] {
      ReadHot(1);
      return Stat("ralt_paused") == 0;
    }));
  }

 protected:
  SmallFileSystems disks_;
  std::vector<std::string> small_;
  const std::shared_ptr<NoSpaceListener> listener_ =
      std::make_shared<NoSpaceListener>();
  Random rnd_;
  // The values that a key may have; "" means that it may be missing.
  std::map<std::string, std::set<std::string>> model_;
};

class NoSpaceOnDisksTest
    : public NoSpaceTest,
      public testing::WithParamInterface<std::tuple<Full, bool>> {};

TEST_P(NoSpaceOnDisksTest, WritesGoOnByThemselves) {
  const auto [full, on] = GetParam();
  ASSERT_NO_FATAL_FAILURE(MountDisks(full));
  const Options options = OptionsFor(full, on);
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(LoadTiers());
  for (const Filler filler : {Filler::kWrites, Filler::kBallast}) {
    SCOPED_TRACE(filler == Filler::kWrites ? "own writes" : "ballast");
    ASSERT_NO_FATAL_FAILURE(Fill(filler));
    ASSERT_NO_FATAL_FAILURE(UseWhileFull());
    MakeRoom();
    ASSERT_NO_FATAL_FAILURE(GoOn());
    ASSERT_NO_FATAL_FAILURE(CheckFolders({FastPath(), SlowPath()}));
    if (on) {
      CheckHotRap();
    }
  }
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(CheckFolders({FastPath(), SlowPath()}));
}

INSTANTIATE_TEST_CASE_P(
    Disks, NoSpaceOnDisksTest,
    testing::Combine(testing::Values(Full::kFast, Full::kLog, Full::kSlow,
                                     Full::kBoth),
                     testing::Bool()),
    [](const auto& param) {
      const Full full = std::get<0>(param.param);
      return std::string(full == Full::kFast   ? "Fast"
                         : full == Full::kLog  ? "Log"
                         : full == Full::kSlow ? "Slow"
                                               : "Both") +
             (std::get<1>(param.param) ? "On" : "Off");
    });

// The disks of one column family are full, which are not the DB's.
TEST_F(NoSpaceTest, AColumnFamilyOnDisksOfItsOwn) {
  const std::string fast = dbname_ + "/fast2";
  const std::string slow = dbname_ + "/slow2";
  ASSERT_OK(env_->CreateDirIfMissing(dbname_));
  ASSERT_OK(disks_.Mount(fast, kSmall));
  ASSERT_OK(disks_.Mount(slow, kSmall));
  const Options options = OptionsFor(Full::kSlow, /*on=*/true);
  Options of_family = options;
  of_family.cf_paths = {{fast, 512 << 10}, {slow, 1ull << 40}};
  const auto open = [&] {
    Close();
    ASSERT_OK(OpenBy(&db_, [&](auto* db) {
      DBOptions db_options(options);
      db_options.create_missing_column_families = true;
      return DB::Open(
          db_options, dbname_,
          {{kDefaultColumnFamilyName, options}, {"family", of_family}},
          &handles_, db);
    }));
  };
  const std::vector<std::string> folders = {FastPath(), SlowPath(), fast, slow};
  ASSERT_NO_FATAL_FAILURE(open());
  ASSERT_NO_FATAL_FAILURE(LoadTiers(handles_[0]));
  ASSERT_NO_FATAL_FAILURE(LoadTiers(handles_[1]));
  for (const std::string& full : {fast, slow}) {
    SCOPED_TRACE(full);
    small_ = {full};
    ASSERT_NO_FATAL_FAILURE(Fill(Filler::kBallast, handles_[1]));
    ASSERT_NO_FATAL_FAILURE(UseWhileFull(handles_[0]));
    ASSERT_NO_FATAL_FAILURE(UseWhileFull(handles_[1]));
    MakeRoom();
    ASSERT_NO_FATAL_FAILURE(GoOn(handles_[1]));
    ASSERT_NO_FATAL_FAILURE(GoOn(handles_[0]));
    ASSERT_NO_FATAL_FAILURE(CheckFolders(folders));
  }
  ASSERT_NO_FATAL_FAILURE(open());
  ASSERT_NO_FATAL_FAILURE(CheckAll(handles_[0]));
  ASSERT_NO_FATAL_FAILURE(CheckAll(handles_[1]));
  ASSERT_NO_FATAL_FAILURE(CheckFolders(folders));
}

// What HotRAP writes of its own accord waits for room, and nobody notices.
TEST_F(NoSpaceTest, PromotionsAndRelocationsGoOn) {
  ASSERT_NO_FATAL_FAILURE(MountDisks(Full::kFast));
  Options options = RelocationOptions();
  options.listeners = {listener_};
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(Load());
  std::vector<std::string> hot;
  for (int i = 0; i < 500; i++) {
    hot.push_back(Key(i));
  }
  ASSERT_NO_FATAL_FAILURE(MakeHot(hot));
  const auto read = [&] {
    for (int i = 0; i < static_cast<int>(hot.size()); i++) {
      ASSERT_EQ(ValueOf(i), Get(hot[i]));
    }
  };
  LeaveFree(0);
  for (int round = 0; round < 10; round++) {
    ASSERT_NO_FATAL_FAILURE(read());
  }
  WaitForPromotionIdle();
  EXPECT_EQ(0u, Stat("promoted_records"));
  MakeRoom();
  EXPECT_TRUE(Soon([&] {
    read();
    return Stat("promoted_records") > 0;
  }));

  LeaveFree(0);
  const uint64_t moved = Stat("relocation_tables_moved");
  ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
  ASSERT_OK(SetBudget(kLargeBudget));
  for (int round = 0; round < 10; round++) {
    ASSERT_NO_FATAL_FAILURE(read());
    env_->SleepForMicroseconds(100 * 1000);
  }
  EXPECT_EQ(moved, Stat("relocation_tables_moved"));
  ASSERT_NO_FATAL_FAILURE(ExpectData());
  MakeRoom();
  // Reads and writes make it look for room again.
  EXPECT_TRUE(Soon([&] {
    read();
    return AtRest();
  }));
  EXPECT_GT(Stat("relocation_tables_moved"), moved);
  ASSERT_NO_FATAL_FAILURE(ExpectData());
  EXPECT_EQ(0, listener_->count);
  ASSERT_OK(Put(Key(kKeys), "the next flush"));
  ASSERT_OK(Flush());
  ASSERT_NO_FATAL_FAILURE(ExpectNoOrphans());
  Reopen(options);
  ASSERT_NO_FATAL_FAILURE(ExpectData());
}

}  // namespace ROCKSDB_NAMESPACE
