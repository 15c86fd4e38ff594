//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of relocation: a DB with tables on the wrong tier. Its
// data is in L2, which is slow at first and fast with kLargeBudget. Works in
// both flavours of the build.

#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class HotRapRelocationTestBase : public HotRapDBTestBase {
 public:
  using HotRapDBTestBase::HotRapDBTestBase;

  static constexpr int kKeys = 2000;
  static constexpr uint64_t kSmallBudget = 2 * (512 << 10);  // FS is 2
  static constexpr uint64_t kLargeBudget = 8 << 20;          // FS is 3

  // Options without a block cache, so that each read reads a file.
  Options RelocationOptions() {
    Options options = HotRapOptionsForTest();
    BlockBasedTableOptions table_options;
    table_options.no_block_cache = true;
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    return options;
  }

  static std::string ValueOf(int i) {
    Random rnd(i + 1);
    return rnd.RandomString(200);
  }

  // Writes all keys into L2 on the slow path: about seven tables.
  void Load() {
    for (int i = 0; i < kKeys; i++) {
      ASSERT_OK(Put(Key(i), ValueOf(i)));
    }
    MoveAllTo(kFirstSlowLevel);
  }
  void MoveAllTo(int level) {
    ASSERT_OK(Flush());
    CompactionOptions options;
    options.output_file_size_limit = 64 << 10;
    Status s;
    do {
      // Retry, because an automatic compaction may have some of the files.
      s = db_->CompactFiles(options, db_->DefaultColumnFamily(),
                            AllFiles(db_, db_->DefaultColumnFamily()), level,
                            /*output_path_id=*/1);
    } while (s.IsAborted() || s.IsInvalidArgument());
    ASSERT_OK(s);
  }

  Status Set(const std::string& fields) {
    return db_->SetOptions({{"hotrap", "{" + fields + "}"}});
  }
  Status SetBudget(uint64_t bytes) {
    return Set("fast_budget_bytes=" + std::to_string(bytes) + ";");
  }

  std::map<std::string, std::string> Stats() {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats;
  }
  uint64_t Stat(const std::string& name) {
    const std::map<std::string, std::string> stats = Stats();
    EXPECT_EQ(1, stats.count(name)) << name;
    return stats.count(name) > 0 ? std::stoull(stats.at(name)) : 0;
  }

  // Waits until all tables are on the tier of their level.
  void WaitForRest() {
    for (int i = 0; i < 30000 && !AtRest(); i++) {
      env_->SleepForMicroseconds(1000);
    }
    ASSERT_EQ(0, Stat("relocation_bytes_left"));
    ExpectTiers();
  }
  // The property already refers to the version that is being installed, so
  // check the tables too.
  bool AtRest() {
    return Stat("relocation_bytes_left") == 0 && WrongTables().empty();
  }
  std::vector<std::string> WrongTables() {
    const int fs = static_cast<int>(Stat("first_slow_level"));
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::vector<std::string> wrong;
    for (const auto& file : files) {
      if (file.db_path != (file.level < fs ? FastPath() : SlowPath())) {
        wrong.push_back(file.name + " of level " + std::to_string(file.level));
      }
    }
    return wrong;
  }
  void ExpectTiers() { EXPECT_EQ(std::vector<std::string>(), WrongTables()); }
  void ExpectData(int begin = 0, int end = kKeys) {
    for (int i = begin; i < end; i++) {
      ASSERT_EQ(ValueOf(i), Get(Key(i))) << i;
    }
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int i = begin;
    for (it->Seek(Key(begin)); it->Valid() && i < end; it->Next(), i++) {
      ASSERT_EQ(Key(i), it->key().ToString());
      ASSERT_EQ(ValueOf(i), it->value().ToString());
    }
    ASSERT_OK(it->status());
    ASSERT_EQ(end, i);
  }

  // Starts relocation so slowly that each table takes about a second and one is
  // always being moved.
  void BeginSlowly() {
    ASSERT_OK(Set("relocation_bytes_per_sec=40000;"));
    ASSERT_OK(SetBudget(kLargeBudget));
    WaitForACopy();
  }
  // Returns whether a copy is on the fast path that no version has yet.
  bool CopyIsThere() {
    const std::set<std::string> known = TablesOfTheDB();
    const std::set<std::string> found = TablesOnDisk();
    return std::any_of(found.begin(), found.end(), [&](const std::string& t) {
      return known.count(t) == 0 && Slice(t).starts_with(FastPath());
    });
  }
  void WaitForACopy() {
    for (int i = 0; i < 30000 && !CopyIsThere(); i++) {
      env_->SleepForMicroseconds(1000);
    }
    ASSERT_TRUE(CopyIsThere());
  }
  // Writes a table into L0 with the slow path alone, and starts to move it, at
  // 20 bytes per second.
  void BeginToMoveL0() {
    Options options = RelocationOptions();
    options.hotrap.relocation_bytes_per_sec = 20;
    options.db_paths[0].target_size = kLargeBudget;
    Options before = options;
    before.hotrap.enabled = false;
    before.db_paths = {{SlowPath(), 1ull << 40}};
    DestroyAndReopen(before);
    for (int i = 0; i < 10; i++) {
      ASSERT_OK(Put(Key(i), ValueOf(i)));
    }
    ASSERT_OK(Flush());
    Reopen(options);
    ASSERT_EQ(1, NumTableFilesAtLevel(0));
    WaitForACopy();
  }
  void GoOnFast() {
    ASSERT_OK(Set("relocation_bytes_per_sec=1000000000;"));
    WaitForRest();
  }
};

}  // namespace ROCKSDB_NAMESPACE
