//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/promotion_cache.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

class PromotionCacheTest : public testing::Test {
 protected:
  static constexpr int kFirstSlowLevel = 3;
  using Result = PromotionCache::InsertResult;

  PromotionCacheTest() {
    cache_.SetCapacity(1 << 20);
    cache_.Reset(kFirstSlowLevel, /*version_number=*/1);
  }

  static std::shared_ptr<PromotionRecord> Record(
      const std::string& key, const std::string& value = "value",
      SequenceNumber visible_from = 10) {
    auto record = std::make_shared<PromotionRecord>();
    record->user_key = key;
    record->value = value;
    record->seq = 5;
    record->visible_from = visible_from;
    record->first_slow_level = kFirstSlowLevel;
    return record;
  }
  Result Insert(const std::string& key, uint64_t version = 1) {
    return cache_.Insert(Record(key), version);
  }
  bool Has(const std::string& key) {
    return cache_.Lookup(key, 10, 1000, kFirstSlowLevel) != nullptr;
  }
  size_t Invalidate(
      uint64_t version, const std::string& smallest, const std::string& largest,
      InvalidationRing::Kind kind = InvalidationRing::kSlowTierChanged) {
    return cache_.Invalidate({version, kind, smallest, largest});
  }

  PromotionCache cache_{BytewiseComparator()};
};

// A sequence number that a compaction zeroed does not tell which reads may see
// the record.
TEST_F(PromotionCacheTest, ServesNoReadOlderThanTheInsertingOne) {
  ASSERT_EQ(Result::kInserted,
            cache_.Insert(Record("a", "value", /*visible_from=*/10), 1));
  EXPECT_EQ(nullptr, cache_.Lookup("a", 0, 1000, kFirstSlowLevel));
  EXPECT_EQ(nullptr, cache_.Lookup("a", 9, 1000, kFirstSlowLevel));
  EXPECT_NE(nullptr, cache_.Lookup("a", 10, 1000, kFirstSlowLevel));
  EXPECT_NE(nullptr, cache_.Lookup("a", 11, 1000, kFirstSlowLevel));
}

// A MultiGet may hold a version that is older than its sequence number.
TEST_F(PromotionCacheTest, ServesNoVersionOlderThanTheInsertingReads) {
  auto record = Record("a");
  record->version_number = 7;
  ASSERT_EQ(Result::kInserted, cache_.Insert(record, 7));
  EXPECT_EQ(nullptr, cache_.Lookup("a", 10, 6, kFirstSlowLevel));
  EXPECT_NE(nullptr, cache_.Lookup("a", 10, 7, kFirstSlowLevel));
  EXPECT_NE(nullptr, cache_.Lookup("a", 10, 8, kFirstSlowLevel));
}

// The newest version in the levels >= 3 may not be the newest in those >= 2.
TEST_F(PromotionCacheTest, ServesNoReadWithAnotherFirstSlowLevel) {
  ASSERT_EQ(Result::kInserted, Insert("a"));
  EXPECT_EQ(nullptr, cache_.Lookup("a", 10, 1000, kFirstSlowLevel - 1));
  EXPECT_EQ(nullptr, cache_.Lookup("a", 10, 1000, kFirstSlowLevel + 1));
}

TEST_F(PromotionCacheTest, RefusesWhatWasReadWithAnotherFirstSlowLevel) {
  cache_.Reset(kFirstSlowLevel + 1, 1);
  EXPECT_EQ(Result::kStale, Insert("a"));
}

TEST_F(PromotionCacheTest, RefusesWhatIsThereOrTooMuch) {
  EXPECT_EQ(Result::kInserted, Insert("a"));
  EXPECT_EQ(Result::kPresent, Insert("a"));
  EXPECT_FALSE(cache_.Full());
  cache_.SetCapacity(cache_.memory_bytes());
  EXPECT_TRUE(cache_.Full());
  EXPECT_EQ(Result::kFull, Insert("b"));
  cache_.SetCapacity(cache_.memory_bytes() + 1);
  EXPECT_EQ(Result::kInserted, Insert("b"));
  EXPECT_EQ(2, cache_.num_records());
}

TEST_F(PromotionCacheTest, RefusesWhatIsLargerThanAll) {
  constexpr size_t kMiB = 1 << 20;
  cache_.SetCapacity(1);
  EXPECT_EQ(Result::kTooLarge,
            cache_.Insert(Record("a", std::string(kMiB, 'v'), 10), 1));
  EXPECT_EQ(0, cache_.num_records());
  EXPECT_EQ(Result::kInserted,
            cache_.Insert(Record("a", std::string(kMiB - 1, 'v'), 10), 1));
  cache_.SetCapacity(4 * kMiB);
  EXPECT_EQ(Result::kInserted,
            cache_.Insert(Record("b", std::string(2 * kMiB, 'v'), 10), 1));
}

// ---- Staleness -------------------------------------------------------------

TEST_F(PromotionCacheTest, InvalidateErasesTheRange) {
  for (const char* key : {"a", "b", "c", "d"}) {
    ASSERT_EQ(Result::kInserted, Insert(key));
  }
  EXPECT_EQ(2, Invalidate(2, "b", "c"));
  EXPECT_TRUE(Has("a"));
  EXPECT_FALSE(Has("b"));
  EXPECT_FALSE(Has("c"));
  EXPECT_TRUE(Has("d"));
}

TEST_F(PromotionCacheTest, RefusesWhatWasReadBeforeTheChange) {
  Invalidate(2, "b", "c");
  EXPECT_EQ(Result::kStale, Insert("b", /*version=*/1));
  EXPECT_EQ(Result::kInserted, Insert("a", /*version=*/1));
  EXPECT_EQ(Result::kInserted, Insert("b", /*version=*/2));
}

TEST_F(PromotionCacheTest, FilesOfTheFastTierLeaveTheCacheAlone) {
  ASSERT_EQ(Result::kInserted, Insert("b"));
  EXPECT_EQ(0, Invalidate(2, "b", "c", InvalidationRing::kFastTierAdded));
  EXPECT_TRUE(Has("b"));
  EXPECT_EQ(Result::kInserted, Insert("c", /*version=*/1));
}

// The promoted copy would have sequence number 1, and so may the file.
TEST_F(PromotionCacheTest, FilesOfTheFastTierRefuseWhatHasSequenceNumberZero) {
  Invalidate(2, "b", "c", InvalidationRing::kFastTierAdded);
  auto record = Record("c");
  record->seq = 0;
  EXPECT_EQ(Result::kStale, cache_.Insert(record, 1));
  EXPECT_EQ(Result::kInserted, cache_.Insert(record, 2));
}

TEST_F(PromotionCacheTest, RefusesAllWhenTheRingHasForgotten) {
  bool refused = false;
  for (uint64_t version = 2; !refused; version++) {
    ASSERT_LT(version, 100000);
    Invalidate(version, "x", "y");
    refused = cache_.Insert(Record("a" + std::to_string(version)), 1) ==
              Result::kStale;
  }
}

// Records that were sealed, but were too few to be promoted.
TEST_F(PromotionCacheTest, ReturnsWhatIsNotOvertakenWhateverTheRingForgot) {
  for (const char* key : {"b", "c", "d"}) {
    ASSERT_EQ(Result::kInserted, Insert(key));
  }
  cache_.Seal();
  TakenRecords taken(cache_.taken());
  taken.SetRecords(cache_.SealedRecords());
  for (uint64_t version = 2; version < 5000; version++) {
    Invalidate(version, "x", "y");
  }
  Invalidate(5000, "c", "c");
  EXPECT_EQ(Result::kInserted, cache_.Return(taken.records()[0], taken));
  EXPECT_EQ(Result::kStale, cache_.Return(taken.records()[1], taken));
  cache_.Reset(kFirstSlowLevel, /*version_number=*/5001);
  EXPECT_EQ(Result::kStale, cache_.Return(taken.records()[2], taken));
  cache_.Unseal();
}

TEST_F(PromotionCacheTest, ResetDropsAllAndRefusesOlderReads) {
  ASSERT_EQ(Result::kInserted, Insert("a"));
  cache_.Seal();
  ASSERT_EQ(Result::kInserted, Insert("b"));
  cache_.Reset(kFirstSlowLevel, /*version_number=*/5);
  EXPECT_FALSE(Has("a"));
  EXPECT_FALSE(Has("b"));
  EXPECT_EQ(0, cache_.memory_bytes());
  EXPECT_TRUE(cache_.SealedRecords().empty());
  EXPECT_EQ(Result::kStale, Insert("a", /*version=*/4));
  EXPECT_EQ(Result::kInserted, Insert("a", /*version=*/5));
  cache_.Unseal();
}

// ---- The immutable part ----------------------------------------------------

TEST_F(PromotionCacheTest, SealedRecordsAreServedUntilUnsealed) {
  for (const char* key : {"c", "a", "b"}) {
    ASSERT_EQ(Result::kInserted, Insert(key));
  }
  cache_.Seal();
  EXPECT_TRUE(Has("a"));
  const std::vector<PromotionRecordPtr> records = cache_.SealedRecords();
  ASSERT_EQ(3, records.size());
  EXPECT_EQ("a", records[0]->user_key);
  EXPECT_EQ("c", records[2]->user_key);
  cache_.Unseal();
  EXPECT_FALSE(Has("a"));
  EXPECT_EQ(0, cache_.num_records());
}

TEST_F(PromotionCacheTest, InsertsGoOnBesideTheImmutablePart) {
  ASSERT_EQ(Result::kInserted, Insert("a"));
  cache_.Seal();
  EXPECT_EQ(Result::kInserted, Insert("b"));
  EXPECT_EQ(1, cache_.SealedRecords().size());
  cache_.Unseal();
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
  // Seal again, into the part that was sealed before.
  cache_.Seal();
  EXPECT_EQ("b", cache_.SealedRecords()[0]->user_key);
  EXPECT_EQ(Result::kInserted, Insert("c"));
  cache_.Unseal();
  EXPECT_TRUE(Has("c"));
}

TEST_F(PromotionCacheTest, FullIsSaidOfTheMutablePart) {
  ASSERT_EQ(Result::kInserted, Insert("a"));
  cache_.SetCapacity(cache_.memory_bytes());
  ASSERT_TRUE(cache_.Full());
  cache_.Seal();
  EXPECT_FALSE(cache_.Full());
  EXPECT_EQ(Result::kInserted, Insert("b"));
  EXPECT_TRUE(cache_.Full());
  cache_.Unseal();
  EXPECT_TRUE(cache_.Full());
}

TEST_F(PromotionCacheTest, InvalidateReachesTheImmutablePart) {
  ASSERT_EQ(Result::kInserted, Insert("a"));
  cache_.Seal();
  ASSERT_EQ(Result::kInserted, Insert("b"));
  EXPECT_EQ(2, Invalidate(2, "a", "b"));
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(cache_.SealedRecords().empty());
  cache_.Unseal();
}

}  // namespace ROCKSDB_NAMESPACE
