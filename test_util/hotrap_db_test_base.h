//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of HotRAP inside a DB: two paths, HotRAP on, and
// everything small. Works in both flavours of the build.
//
// Levels 0 and 1 are fast; level 2 (FS) and deeper levels are slow. A key is
// hot after accesses in two flushed buffers.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/column_family.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "plugin/hotrap/test_util/plain_db_test_base.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/table.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class HotRapDBTestBase : public PlainDBTestBase {
 public:
  static constexpr int kFirstSlowLevel = 2;

  using PlainDBTestBase::PlainDBTestBase;

  std::string FastPath() const { return dbname_ + "/fast"; }
  std::string SlowPath() const { return dbname_ + "/slow"; }

  Options HotRapOptionsForTest() {
    Options options;
    options.create_if_missing = true;
    options.env = env_;
    options.write_buffer_size = 256 << 10;
    options.target_file_size_base = 64 << 10;
    options.max_bytes_for_level_base = 512 << 10;
    options.max_bytes_for_level_multiplier = 4;
    options.level_compaction_dynamic_level_bytes = false;
    options.num_levels = 5;
    options.compression = kNoCompression;
    // Room for exactly L0 and L1, so that FS is 2.
    options.db_paths = {{FastPath(), 2 * (512 << 10)},
                        {SlowPath(), 1ull << 40}};
    options.hotrap.enabled = true;
    options.hotrap.promotion_cache_bytes = 16 << 10;
    options.hotrap.cached_hit_sampling = 1;
    // The files of both tiers are in the page cache.
    options.hotrap.promote_only_if_slower = false;
    // The slow levels get the sizes that follow from the multiplier.
    options.hotrap.extra_level = false;
    return options;
  }

  // Returns options with levels so small that data crosses the tiers all the
  // time, and without a block cache, so that each read reads a file.
  Options TinyTiersOptions(Env* env) {
    Options options = HotRapOptionsForTest();
    options.env = env;
    options.write_buffer_size = 64 << 10;
    options.max_bytes_for_level_base = 256 << 10;
    options.db_paths = {{FastPath(), 2 * (256 << 10)},
                        {SlowPath(), 1ull << 40}};
    options.hotrap.promotion_cache_bytes = 8 << 10;
    BlockBasedTableOptions table_options;
    table_options.no_block_cache = true;
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    return options;
  }

  // Prevents automatic compactions as long as there is little data.
  // disable_auto_compactions would prevent promotion by flush, too.
  static void KeepCompactionsOut(Options* options) {
    options->disable_auto_compactions = false;
    options->level0_file_num_compaction_trigger = 1000;
    options->level0_slowdown_writes_trigger = 2000;
    options->level0_stop_writes_trigger = 2000;
    options->bottommost_file_compaction_delay = 1 << 30;
  }

  static std::string Key(int i) {
    char buf[32];
    snprintf(buf, sizeof(buf), "key%08d", i);
    return buf;
  }

  // Returns the names of the column family's tables in all levels.
  static std::vector<std::string> AllFiles(DB* db, ColumnFamilyHandle* cf) {
    ColumnFamilyMetaData metadata;
    db->GetColumnFamilyMetaData(cf, &metadata);
    std::vector<std::string> files;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        files.push_back(file.name);
      }
    }
    return files;
  }

  int NumTableFilesAtLevel(int level) {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    return static_cast<int>(metadata.levels[level].files.size());
  }

  // Compacts the files of level `from`, with those that they overlap in `to`.
  static Status CompactLevel(DB* db, ColumnFamilyHandle* cf, int from, int to) {
    ColumnFamilyMetaData metadata;
    db->GetColumnFamilyMetaData(cf, &metadata);
    std::vector<std::string> files;
    for (const auto& file : metadata.levels[from].files) {
      files.push_back(file.name);
    }
    return db->CompactFiles(CompactionOptions(), cf, files, to,
                            /*output_path_id=*/to < kFirstSlowLevel ? 0 : 1);
  }

  // Writes keys [begin, end) and compacts everything into the slow tier.
  void LoadSlowTier(int begin, int end, int value_bytes = 200) {
    Random rnd(301);
    for (int i = begin; i < end; i++) {
      ASSERT_OK(Put(Key(i), rnd.RandomString(value_bytes)));
    }
    CompactToSlowTier();
  }

  // Compacts everything into one level of the slow tier, whatever its size.
  // CompactRange would stop at the first empty level.
  void CompactToSlowTier(ColumnFamilyHandle* cf = nullptr) {
    if (cf == nullptr) {
      cf = db_->DefaultColumnFamily();
    }
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(cf, &metadata);
    std::vector<std::string> files;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        files.push_back(file.name);
      }
    }
    ASSERT_OK(db_->CompactFiles(CompactionOptions(), cf, files,
                                kFirstSlowLevel + 1, /*output_path_id=*/1));
  }

  TierState* Tier(ColumnFamilyHandle* cf = nullptr) {
    if (cf == nullptr) {
      cf = db_->DefaultColumnFamily();
    }
    return static_cast<ColumnFamilyHandleImpl*>(cf)->cfd()->hotrap.state();
  }

  uint64_t Counter(HotRapCounter counter, ColumnFamilyHandle* cf = nullptr) {
    return Tier(cf)->stats().Get(counter);
  }

  // RALT opens in the background.
  void WaitForRalt(ColumnFamilyHandle* cf = nullptr) {
    while (Tier(cf)->ralt() == nullptr) {
      env_->SleepForMicroseconds(1000);
    }
  }

  // Makes the keys hot without reads, as if each had been accessed in two
  // flushed buffers.
  void MakeHot(const std::vector<std::string>& keys,
               ColumnFamilyHandle* cf = nullptr) {
    WaitForRalt(cf);
    Ralt* ralt = Tier(cf)->ralt();
    for (int round = 0; round < 2; round++) {
      for (const auto& key : keys) {
        ralt->RecordAccess(key, 200);
      }
      ASSERT_OK(ralt->Flush());
    }
    for (const auto& key : keys) {
      ASSERT_TRUE(ralt->IsHot(key)) << key;
    }
  }

  // Waits until no promotion runs or is due.
  void WaitForPromotionIdle(ColumnFamilyHandle* cf = nullptr) {
    while (Tier(cf)->jobs().busy()) {
      env_->SleepForMicroseconds(1000);
    }
  }

  // Returns the bytes of live tables on a path, to see where data lies.
  uint64_t BytesOnPath(const std::string& path) {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    uint64_t bytes = 0;
    for (const auto& file : files) {
      if (file.db_path == path) {
        bytes += file.size;
      }
    }
    return bytes;
  }

  // Return the names of the tables in both folders, and of those that the DB
  // knows.
  std::set<std::string> TablesOnDisk() {
    std::set<std::string> names;
    for (const std::string& path : {FastPath(), SlowPath()}) {
      std::vector<std::string> children;
      EXPECT_OK(env_->GetChildren(path, &children));
      for (const std::string& child : children) {
        if (Slice(child).ends_with(".sst")) {
          names.insert(path + "/" + child);
        }
      }
    }
    return names;
  }
  std::set<std::string> TablesOfTheDB() {
    std::set<std::string> names;
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      names.insert(file.db_path + file.name);
    }
    return names;
  }
  // Expects that old tables get deleted, which happens in the background, also
  // after opening. A Get() of the test may have been the last to hold a table.
  // As in stock RocksDB, the next flush deletes it, so flush once after such
  // reads.
  void ExpectNoOrphans() {
    std::set<std::string> on_disk = TablesOnDisk();
    std::set<std::string> of_the_db = TablesOfTheDB();
    for (int i = 0; i < 10000 && on_disk != of_the_db; i++) {
      env_->SleepForMicroseconds(1000);
      on_disk = TablesOnDisk();
      of_the_db = TablesOfTheDB();
    }
    ASSERT_EQ(of_the_db, on_disk);
  }
};

}  // namespace ROCKSDB_NAMESPACE
