//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of compactions across the tiers: tells in which level a
// record lies, and fills the last fast level with hot and cold records.
//
// The crossing goes from level 1 on the fast path to level 2 on the slow one.
// Level 3 holds older versions, so that level 2 is not the bottommost.

#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/test_util/hotrap_safety_test_base.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/statistics.h"

namespace ROCKSDB_NAMESPACE {

class HotRapCrossingTestBase : public HotRapSafetyTestBase {
 public:
  static constexpr int kLastFastLevel = kFirstSlowLevel - 1;
  // The number of keys of LoadFast(), alternately hot and cold.
  static constexpr int kCount = 40;

  using HotRapSafetyTestBase::HotRapSafetyTestBase;

  Options CrossingOptions() {
    Options options = GatedOptions();
    options.statistics = CreateDBStatistics();
    options.paranoid_file_checks = true;
    options.compaction_verify_record_count = true;
    options.disable_auto_compactions = true;
    // The cache never fills up, so nothing is promoted by flush.
    options.hotrap.promotion_cache_bytes = 1 << 20;
    return options;
  }

  std::vector<SstFileMetaData> FilesAtLevel(int level,
                                            ColumnFamilyHandle* cf = nullptr) {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(
        cf == nullptr ? db_->DefaultColumnFamily() : cf, &metadata);
    return metadata.levels[level].files;
  }

  // Calls `fn` with each table of the level and an open reader.
  template <typename Fn>
  void ForEachTable(int level, const Fn& fn, ColumnFamilyHandle* cf = nullptr) {
    for (const auto& file : FilesAtLevel(level, cf)) {
      SstFileReader reader(db_->GetOptions());
      ASSERT_OK(reader.Open(file.db_path + file.name));
      fn(file, &reader);
    }
  }

  // Returns the user keys with point entries in the level.
  std::set<std::string> KeysAtLevel(int level,
                                    ColumnFamilyHandle* cf = nullptr) {
    std::set<std::string> keys;
    ForEachTable(
        level,
        [&](const SstFileMetaData& /*file*/, SstFileReader* reader) {
          const std::unique_ptr<Iterator> it = reader->NewTableIterator();
          for (it->SeekToFirst(); it->Valid(); it->Next()) {
            keys.insert(ExtractUserKey(it->key()).ToString());
          }
          EXPECT_OK(it->status());
        },
        cf);
    return keys;
  }

  // Expects the files of each level on the right path.
  void ExpectPaths(ColumnFamilyHandle* cf = nullptr) {
    for (int level = 0; level < 5; level++) {
      for (const auto& file : FilesAtLevel(level, cf)) {
        EXPECT_EQ(level < kFirstSlowLevel ? FastPath() : SlowPath(),
                  file.db_path)
            << "level " << level;
      }
    }
  }

  // Returns every second key in [begin, end).
  static std::vector<std::string> EverySecond(int begin, int end) {
    std::vector<std::string> keys;
    for (int i = begin; i < end; i += 2) {
      keys.push_back(Key(i));
    }
    return keys;
  }
  static std::vector<std::string> HotKeys() { return EverySecond(0, kCount); }
  static std::vector<std::string> ColdKeys() { return EverySecond(1, kCount); }
  static std::set<std::string> AsSet(const std::vector<std::string>& keys) {
    return {keys.begin(), keys.end()};
  }

  // Writes keys [0, kCount): version 1 in level 3, version 2 in level 1. Even
  // keys are hot.
  void LoadFast(ColumnFamilyHandle* cf = nullptr) {
    if (cf == nullptr) {
      cf = db_->DefaultColumnFamily();
    }
    // Without RALT, HotRAP does not take part in compactions.
    WaitForRalt(cf);
    ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
    ASSERT_OK(PutVersion(db_, cf, 0, kCount, 2));
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
    ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys(), cf));
  }

  // Writes keys [0, kCount), all hot, into level 3, and a cold file whose range
  // covers them into `cover_level`, 0 or 1.
  static constexpr int kCoverBegin = 200;
  void LoadCovered(int cover_level = kLastFastLevel) {
    ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
    WaitForRalt(cf);
    ASSERT_OK(PutVersion(db_, cf, 0, kCount, 1));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
    ASSERT_OK(db_->Put(WriteOptions(), cf, "a", "cover"));
    ASSERT_OK(PutVersion(db_, cf, kCoverBegin, kCoverBegin + kCount, 1));
    ASSERT_OK(db_->Flush(FlushOptions(), cf));
    if (cover_level > 0) {
      ASSERT_OK(CompactLevel(db_, cf, 0, kLastFastLevel));
    }
    ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, kCount), cf));
  }
  static std::vector<std::string> CoverKeys() {
    return Keys(kCoverBegin, kCoverBegin + kCount);
  }
  static std::vector<std::string> CoveredKeys() {
    std::vector<std::string> keys = {"a"};
    for (const int begin : {0, kCoverBegin}) {
      for (const auto& key : Keys(begin, begin + kCount)) {
        keys.push_back(key);
      }
    }
    return keys;
  }
  // Expects the data of LoadCovered() from every kind of read.
  void ExpectCovered() {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), Value(i, 1));
      ExpectEverywhere(Key(kCoverBegin + i), Value(kCoverBegin + i, 1));
    }
    ExpectCoveredScans();
  }
  // The same without changing the promotion cache and RALT.
  void ExpectCoveredScans(const ReadOptions& options = ReadOptions()) {
    ExpectScans(CoveredKeys(), options);
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    for (it->Seek(Key(0)); it->Valid(); it->Next()) {
      EXPECT_EQ(it->key().ToString() + "@1:",
                it->value().ToString().substr(0, it->key().size() + 3));
    }
    EXPECT_OK(it->status());
  }

  // Reads the keys into the promotion cache.
  void TouchIntoCache(const std::vector<std::string>& keys) {
    Touch(keys);
    for (const auto& key : keys) {
      ASSERT_TRUE(InCache(key)) << key;
    }
  }

  Status Cross(ColumnFamilyHandle* cf = nullptr) {
    return CompactLevel(db_, cf == nullptr ? db_->DefaultColumnFamily() : cf,
                        kLastFastLevel, kFirstSlowLevel);
  }

  // Expects keys [0, kCount) at `version` from every kind of read.
  void ExpectVersion(int version) {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), Value(i, version));
    }
    ExpectScans(Keys(0, kCount));
  }

  // Expects scans in both directions to return these keys, each once.
  void ExpectScans(const std::vector<std::string>& keys,
                   const ReadOptions& options = ReadOptions()) {
    EXPECT_EQ(keys, Scan(db_, options));
    EXPECT_EQ(std::vector<std::string>(keys.rbegin(), keys.rend()),
              Scan(db_, options, /*backwards=*/true));
  }

  uint64_t Ticker(uint32_t ticker) {
    return db_->GetOptions().statistics->getTickerCount(ticker);
  }

  // Returns the number of tables in the two paths that no version refers to,
  // left behind by failures.
  int TablesThatAreNotLive() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    int tables = 0;
    for (const auto& path : {FastPath(), SlowPath()}) {
      std::vector<std::string> names;
      EXPECT_OK(env_->GetChildren(path, &names));
      tables += static_cast<int>(std::count_if(
          names.begin(), names.end(), [](const std::string& name) {
            return Slice(name).ends_with(".sst");
          }));
    }
    return tables - static_cast<int>(files.size());
  }

  // Waits until all background work has ended; fails after a timeout.
  void WaitForRest() {
    WaitForCompactOptions options;
    options.timeout = std::chrono::seconds(60);
    ASSERT_OK(db_->WaitForCompact(options));
    // A promotion may have added a file to level 0.
    WaitForPromotionIdle();
    ASSERT_OK(db_->WaitForCompact(options));
  }
};

}  // namespace ROCKSDB_NAMESPACE
