//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// A record and its promoted copy have the same internal key. If a file begins
// or ends with one of them and a range tombstone is truncated there, an
// iterator must not lose track of its tombstones.

#include "plugin/hotrap/test_util/hotrap_crossing_test_base.h"

namespace ROCKSDB_NAMESPACE {

// The parameter is the size of files. With 1, each key gets its own file.
class SafetyIteratorTest : public HotRapCrossingTestBase,
                           public testing::WithParamInterface<uint64_t> {
 public:
  SafetyIteratorTest() : HotRapCrossingTestBase("safety_iterator_test") {}
  ~SafetyIteratorTest() override {
    if (before_ != nullptr) {
      db_->ReleaseSnapshot(before_);
    }
  }

  // Like LoadSlow(), with small files whose records keep their sequence
  // numbers.
  void Load() {
    Options options = CrossingOptions();
    // A few promotions take all keys, so that level 0 does not fill up.
    options.hotrap.promotion_cache_bytes = 32 << 10;
    KeepCompactionsOut(&options);
    DestroyAndReopen(options);
    before_ = db_->GetSnapshot();
    ASSERT_NO_FATAL_FAILURE(LoadSlow(kCount));
    ASSERT_OK(CompactFrom(kFirstSlowLevel + 1, kFirstSlowLevel + 1));
  }

  Status CompactFrom(int from, int to) {
    std::vector<std::string> files;
    for (const auto& file : FilesAtLevel(from)) {
      files.push_back(file.name);
    }
    CompactionOptions options;
    options.output_file_size_limit = GetParam();
    return db_->CompactFiles(options, files, to,
                             /*output_path_id=*/to < kFirstSlowLevel ? 0 : 1);
  }

  static std::vector<std::string> FillersAnd(
      const std::vector<std::string>& keys) {
    std::set<std::string> all = AsSet(Fillers());
    all.insert(keys.begin(), keys.end());
    return {all.begin(), all.end()};
  }

 protected:
  const Snapshot* before_ = nullptr;
};

// The tombstone is older than the records and extends over all their files.
TEST_P(SafetyIteratorTest, CopiesOfTheRecordsAtTheBoundaries) {
  ASSERT_NO_FATAL_FAILURE(Load());
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(0), Key(kCount)));
  ASSERT_OK(PutVersion(db_, db_->DefaultColumnFamily(), 0, kCount, 2));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactFrom(0, kFirstSlowLevel));
  const std::vector<SstFileMetaData> files = FilesAtLevel(kFirstSlowLevel);
  ASSERT_GT(files.size(), 2);
  std::vector<std::string> boundaries;
  for (const auto& file : files) {
    boundaries.push_back(file.smallestkey);
  }
  ASSERT_NO_FATAL_FAILURE(Promote(boundaries));
  ExpectScans(FillersAnd(Keys(0, kCount)));
  for (int i = 0; i < kCount; i++) {
    ExpectEverywhere(Key(i), Value(i, 2));
  }
}

// A snapshot keeps the copies, under a tombstone that also covers the
// originals.
TEST_P(SafetyIteratorTest, CopiesAtTheBoundariesUnderATombstone) {
  ASSERT_NO_FATAL_FAILURE(Load());
  ASSERT_NO_FATAL_FAILURE(Promote(Keys(0, kCount)));
  const Snapshot* const snapshot = db_->GetSnapshot();
  const std::string last = Key(kCount - 1);
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Key(0), last + "a"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactFrom(0, kLastFastLevel));
  ASSERT_GT(FilesAtLevel(kLastFastLevel).size(), 2);
  ExpectScans(Fillers());
  {
    // Meets the last copy, its file's boundary and the original at once.
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekForPrev(last + "b");
    EXPECT_FALSE(it->Valid()) << it->key().ToString();
    EXPECT_OK(it->status());
  }
  ReadOptions options;
  options.snapshot = snapshot;
  ExpectScans(FillersAnd(Keys(0, kCount)), options);
  db_->ReleaseSnapshot(snapshot);
}

INSTANTIATE_TEST_SUITE_P(FileBytes, SafetyIteratorTest,
                         testing::Values(1, 2 << 10));

}  // namespace ROCKSDB_NAMESPACE
