//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of relocation: a DB with tables on the wrong tier. Its
// data is in L2, which is slow at first and fast with kLargeBudget. Works in
// both flavours of the build.

#pragma once

#include <map>
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
};

}  // namespace ROCKSDB_NAMESPACE
