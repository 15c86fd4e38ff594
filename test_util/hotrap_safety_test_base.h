//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Base class for tests of HotRAP's traps: compactions and promotions run only
// on request, and threads can be blocked at files (gated_file_system.h).
//
// All values are read from files, because there is no block cache. About 14
// records fill the promotion cache.

#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "env/composite_env_wrapper.h"
#include "plugin/hotrap/test_util/gated_file_system.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

class HotRapSafetyTestBase : public HotRapDBTestBase {
 public:
  static constexpr int kValueBytes = 1000;
  // Keys that fill up the cache, besides those that a test is about.
  static constexpr int kFillersBegin = 1000;
  static constexpr int kFillersEnd = 1100;

  static constexpr char kFastTable[] = "/fast/[0-9]+\\.sst$";
  static constexpr char kSlowTable[] = "/slow/[0-9]+\\.sst$";
  static constexpr char kManifest[] = "/MANIFEST-";

  explicit HotRapSafetyTestBase(const std::string& path)
      : HotRapDBTestBase(path),
        fs_(std::make_shared<GatedFileSystem>(env_->GetFileSystem())),
        gated_env_(std::make_unique<CompositeEnvWrapper>(env_, fs_)) {
    // A blocked promotion must leave threads for compactions.
    gated_env_->SetBackgroundThreads(4, Env::Priority::LOW);
    gated_env_->SetBackgroundThreads(2, Env::Priority::HIGH);
  }
  ~HotRapSafetyTestBase() override { Close(); }

  Options TrapOptions() {
    Options options = GatedOptions();
    KeepCompactionsOut(&options);
    return options;
  }

  // Options without a block cache, so that each read reads a file.
  Options GatedOptions() {
    Options options = HotRapOptionsForTest();
    options.env = gated_env_.get();
    BlockBasedTableOptions table_options;
    table_options.no_block_cache = true;
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    return options;
  }

  static std::string Value(int i, int version) {
    std::string value = Key(i) + "@" + std::to_string(version) + ":";
    value.resize(kValueBytes, '.');
    return value;
  }

  static std::vector<std::string> Keys(int begin, int end) {
    std::vector<std::string> keys;
    for (int i = begin; i < end; i++) {
      keys.push_back(Key(i));
    }
    return keys;
  }
  static std::vector<std::string> Fillers() {
    return Keys(kFillersBegin, kFillersEnd);
  }

  static Status PutVersion(DB* db, ColumnFamilyHandle* cf, int begin, int end,
                           int version) {
    Status s;
    for (int i = begin; i < end && s.ok(); i++) {
      s = db->Put(WriteOptions(), cf, Key(i), Value(i, version));
    }
    return s;
  }

  // Compacts all files of the column family into one level.
  static Status CompactAll(DB* db, ColumnFamilyHandle* cf, int level,
                           uint64_t file_bytes = UINT64_MAX) {
    Status s = db->Flush(FlushOptions(), cf);
    if (!s.ok()) {
      return s;
    }
    CompactionOptions options;
    options.output_file_size_limit = file_bytes;
    return db->CompactFiles(options, cf, AllFiles(db, cf), level,
                            /*output_path_id=*/level < kFirstSlowLevel ? 0 : 1);
  }

  // Writes keys [0, count) and the fillers, all at version 1 and hot, into
  // level 3.
  void LoadSlow(int count) {
    ColumnFamilyHandle* const cf = db_->DefaultColumnFamily();
    ASSERT_OK(PutVersion(db_, cf, 0, count, 1));
    ASSERT_OK(PutVersion(db_, cf, kFillersBegin, kFillersEnd, 1));
    ASSERT_OK(CompactAll(db_, cf, kFirstSlowLevel + 1));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, count)));
    ASSERT_NO_FATAL_FAILURE(MakeHot(Fillers()));
  }

  // Reads the keys with Get().
  void Touch(const std::vector<std::string>& keys) {
    for (const auto& key : keys) {
      ASSERT_NE("", Get(key));
    }
  }

  // Returns the record in the promotion cache, or nullptr.
  PromotionRecordPtr Cached(const std::string& key,
                            ColumnFamilyHandle* cf = nullptr) {
    return Tier(cf)->cache().Lookup(key, kMaxSequenceNumber,
                                    std::numeric_limits<uint64_t>::max(),
                                    kFirstSlowLevel);
  }
  bool InCache(const std::string& key, ColumnFamilyHandle* cf = nullptr) {
    return Cached(key, cf) != nullptr;
  }

  std::string Levels() {
    std::string stats, levels;
    db_->GetProperty("rocksdb.hotrap.stats", &stats);
    db_->GetProperty(DB::Properties::kLevelStats, &levels);
    return stats + levels;
  }

  // Reads the keys into the cache, and continues reading until a promotion that
  // contains them is blocked at the gate.
  void PromoteUpTo(FileGate* gate, const std::vector<std::string>& keys) {
    Touch(keys);
    for (const auto& key : keys) {
      ASSERT_TRUE(InCache(key)) << key;
    }
    for (int round = 0; !gate->caught(); round++) {
      ASSERT_LT(round, 20000) << "no promotion starts";
      Touch(Fillers());
    }
  }

  void LetGo(FileGate* gate) {
    gate->Open();
    WaitForPromotionIdle();
  }

  // Reads keys and fillers until a promotion has ended, or until none can start
  // because all of them are on the fast tier.
  void RunPromotion(const std::vector<std::string>& keys) {
    const uint64_t seals = Counter(HotRapCounter::kSeals);
    for (int round = 0; Counter(HotRapCounter::kSeals) == seals; round++) {
      ASSERT_LT(round, 20000) << "no promotion starts\n" << Levels();
      const uint64_t slow_reads = Counter(HotRapCounter::kHitsSlow);
      Touch(keys);
      Touch(Fillers());
      WaitForPromotionIdle();
      if (Counter(HotRapCounter::kHitsSlow) == slow_reads &&
          !Tier()->cache().Full()) {
        return;
      }
    }
  }

  bool AnsweredByFastTier(const std::string& key) {
    const uint64_t before = Counter(HotRapCounter::kHitsFast);
    Get(key);
    return Counter(HotRapCounter::kHitsFast) > before;
  }

  // The same until the keys are on the fast tier.
  void Promote(const std::vector<std::string>& keys) {
    for (const auto& key : keys) {
      for (int round = 0; !AnsweredByFastTier(key); round++) {
        if (round == 50) {
          // What is left does not fill the cache.
          ASSERT_OK(
              db_->SetOptions({{"hotrap", "{promotion_cache_bytes=1024;}"}}));
        }
        ASSERT_LT(round, 100) << key << " is not promoted\n" << Levels();
        ASSERT_NO_FATAL_FAILURE(RunPromotion(keys));
      }
    }
  }

  // Returns the keys of a scan, in the order of the scan.
  static std::vector<std::string> Scan(DB* db, const ReadOptions& options,
                                       bool backwards = false,
                                       ColumnFamilyHandle* cf = nullptr) {
    std::vector<std::string> keys;
    std::unique_ptr<Iterator> it(db->NewIterator(
        options, cf == nullptr ? db->DefaultColumnFamily() : cf));
    if (backwards) {
      for (it->SeekToLast(); it->Valid(); it->Prev()) {
        keys.push_back(it->key().ToString());
      }
    } else {
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        keys.push_back(it->key().ToString());
      }
    }
    EXPECT_OK(it->status());
    return keys;
  }

  // Expects the same result from every kind of read.
  void ExpectEverywhere(const std::string& key, const std::string& expected) {
    EXPECT_EQ(expected, Get(key)) << key;
    EXPECT_EQ(expected, MultiGet({key})[0]) << key;
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek(key);
    const bool found = it->Valid() && it->key() == key;
    EXPECT_EQ(expected, found ? it->value().ToString() : "NOT_FOUND") << key;
    EXPECT_OK(it->status());
  }

 protected:
  const std::shared_ptr<GatedFileSystem> fs_;
  const std::unique_ptr<Env> gated_env_;
};

}  // namespace ROCKSDB_NAMESPACE
