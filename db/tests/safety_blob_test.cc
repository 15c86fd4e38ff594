//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests blob files on a tiered DB, switched on and off. RocksDB counts the
// garbage blobs of one compaction output, and deletes a blob file that is all
// garbage. Its counts must be the same as without tiers.

#include <functional>

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"

namespace ROCKSDB_NAMESPACE {

class SafetyBlobTest : public HotRapCrossingTestBase {
 public:
  SafetyBlobTest() : HotRapCrossingTestBase("safety_blob_test") {}
  ~SafetyBlobTest() override {
    untiered_.reset();
    EXPECT_OK(DestroyDB(UntieredPath(), UntieredOptions()));
  }

  std::string UntieredPath() const { return dbname_ + "_untiered"; }
  Options BlobOptions() {
    Options options = CrossingOptions();
    options.min_blob_size = 100;
    options.blob_garbage_collection_age_cutoff = 1.0;
    return options;
  }
  Options UntieredOptions() {
    Options options = BlobOptions();
    options.hotrap.enabled = false;
    options.db_paths = {{UntieredPath() + "/a", 1 << 20},
                        {UntieredPath() + "/b", 1ull << 40}};
    return options;
  }

  using Change = std::function<Status(DB*)>;

  void Both(const Change& change) {
    ASSERT_OK(change(db_));
    ASSERT_OK(change(untiered_.get()));
  }

  void Open() {
    DestroyAndReopen(BlobOptions());
    WaitForRalt();
    ASSERT_OK(DestroyDB(UntieredPath(), UntieredOptions()));
    ASSERT_OK(DB::Open(UntieredOptions(), UntieredPath(), &untiered_));
  }

  // Writes keys [begin, end) and compacts them into level 1.
  static Change WriteToFast(int begin, int end, int version) {
    return [=](DB* db) {
      ColumnFamilyHandle* const cf = db->DefaultColumnFamily();
      Status s = PutVersion(db, cf, begin, end, version);
      if (s.ok()) {
        s = db->Flush(FlushOptions());
      }
      return s.ok() ? CompactLevel(db, cf, 0, kLastFastLevel) : s;
    };
  }
  static Change CrossOnce() {
    return [](DB* db) {
      return CompactLevel(db, db->DefaultColumnFamily(), kLastFastLevel,
                          kFirstSlowLevel);
    };
  }
  static Change Set(const std::string& option, bool value) {
    return [=](DB* db) {
      return db->SetOptions({{option, value ? "true" : "false"}});
    };
  }

  static std::map<std::string, uint64_t> BlobFigures(DB* db) {
    std::map<std::string, uint64_t> figures;
    for (const auto& property :
         {DB::Properties::kNumBlobFiles, DB::Properties::kLiveBlobFileSize,
          DB::Properties::kLiveBlobFileGarbageSize}) {
      EXPECT_TRUE(db->GetIntProperty(property, &figures[property]));
    }
    return figures;
  }

  void ExpectSame(int versions_below_20, int others) {
    for (int i = 0; i < kCount; i++) {
      ExpectEverywhere(Key(i), Value(i, i < 20 ? versions_below_20 : others));
    }
    ExpectScans(Keys(0, kCount));
    EXPECT_EQ(BlobFigures(untiered_.get()), BlobFigures(db_));
  }

  uint64_t NumBlobFiles() {
    return BlobFigures(db_)[DB::Properties::kNumBlobFiles];
  }

 protected:
  std::unique_ptr<DB> untiered_;
};

TEST_F(SafetyBlobTest, SwitchedOnAndOff) {
  Open();
  Both(WriteToFast(0, kCount, 1));
  ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys()));
  Both(CrossOnce());
  EXPECT_EQ(AsSet(HotKeys()), KeysAtLevel(kLastFastLevel));
  ExpectSame(1, 1);

  // Some of the records become blobs, then garbage.
  Both(Set("enable_blob_files", true));
  Both(WriteToFast(0, kCount, 2));
  ASSERT_GT(NumBlobFiles(), 0);
  Both(CrossOnce());
  ExpectSame(2, 2);
  Both(WriteToFast(0, 20, 3));
  Both(CrossOnce());
  ExpectSame(3, 2);
  ExpectPaths();

  // References remain when the option is off.
  Both(Set("enable_blob_files", false));
  Both(WriteToFast(0, 20, 4));
  ExpectSame(4, 2);
  Both(CrossOnce());
  ExpectSame(4, 2);
  Both([](DB* db) {
    return CompactLevel(db, db->DefaultColumnFamily(), kFirstSlowLevel,
                        kFirstSlowLevel + 1);
  });
  ExpectSame(4, 2);
  Reopen(BlobOptions());
  WaitForRalt();
  ExpectSame(4, 2);

  // Records are retained again once the last blob is back in the tables.
  Both(Set("enable_blob_garbage_collection", true));
  Both([](DB* db) {
    return CompactAll(db, db->DefaultColumnFamily(), kFirstSlowLevel + 2);
  });
  ExpectSame(4, 2);
  EXPECT_EQ(0, NumBlobFiles());
  Both(WriteToFast(0, kCount, 5));
  ASSERT_NO_FATAL_FAILURE(MakeHot(HotKeys()));
  Both(CrossOnce());
  // All keys were read meanwhile, so it is unknown which of them are hot.
  EXPECT_FALSE(KeysAtLevel(kLastFastLevel).empty());
  ExpectSame(5, 5);
}

// Blobs that level 1 refers to are not garbage.
TEST_F(SafetyBlobTest, WhatIsHotIsNoGarbage) {
  Open();
  Both(Set("enable_blob_files", true));
  Both(WriteToFast(0, kCount, 1));
  ASSERT_NO_FATAL_FAILURE(MakeHot(Keys(0, 30)));
  for (const bool enabled : {true, false}) {
    Both(Set("enable_blob_files", enabled));
    Both(CrossOnce());
    ExpectSame(1, 1);
    // The level must not be empty for the next compaction.
    Both(WriteToFast(0, 1, 1));
    ExpectSame(1, 1);
    Reopen(BlobOptions());
    WaitForRalt();
    ExpectSame(1, 1);
  }
}

// A record that is retained last: RocksDB takes the blob files that a
// compaction has written, and their garbage, from the last used output.
TEST_F(SafetyBlobTest, ASmallHotRecordAtTheEnd) {
  Open();
  const std::string small_key = Key(kCount);
  const auto write = [&](int end, int version) {
    Both([&](DB* db) { return db->Put(WriteOptions(), small_key, "small"); });
    Both(WriteToFast(0, end, version));
    ASSERT_NO_FATAL_FAILURE(MakeHot({small_key}));
  };
  const auto expect = [&](int version_below_20) {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < kCount; i++) {
        ExpectEverywhere(Key(i), Value(i, i < 20 ? version_below_20 : 1));
      }
      ExpectEverywhere(small_key, "small");
      EXPECT_EQ(BlobFigures(untiered_.get()), BlobFigures(db_));
      Reopen(BlobOptions());
      WaitForRalt();
    }
  };
  // The compaction makes blobs of values.
  write(kCount, 1);
  Both(Set("enable_blob_files", true));
  Both(CrossOnce());
  ASSERT_GT(NumBlobFiles(), 0);
  expect(1);
  // It makes garbage of blobs.
  Both(Set("enable_blob_files", false));
  write(20, 2);
  Both(CrossOnce());
  expect(2);
}

}  // namespace ROCKSDB_NAMESPACE
