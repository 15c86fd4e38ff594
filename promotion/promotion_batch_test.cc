//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/promotion_batch.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

class PromotionBatchTest : public testing::Test {
 protected:
  using Result = PromotionBatch::InsertResult;

  Result Insert(const std::string& key, const std::string& value = "value") {
    auto record = std::make_shared<PromotionRecord>();
    record->user_key = key;
    record->value = value;
    return batch_.Insert(record, [] { return true; });
  }
  std::string AllKeys() {
    std::string keys;
    for (const auto& record : batch_.Records()) {
      keys += record->user_key;
    }
    return keys;
  }

  PromotionBatch batch_{BytewiseComparator()};
};

TEST_F(PromotionBatchTest, FirstInsertWins) {
  EXPECT_EQ(Result::kInserted, Insert("a", "first"));
  EXPECT_EQ(Result::kPresent, Insert("a", "second"));
  ASSERT_NE(nullptr, batch_.Find("a"));
  EXPECT_EQ("first", batch_.Find("a")->value);
  EXPECT_EQ(nullptr, batch_.Find("b"));
  EXPECT_EQ(1, batch_.num_records());
}

TEST_F(PromotionBatchTest, WhatIsNotValidStaysOut) {
  EXPECT_EQ(Result::kInvalid, batch_.Insert(std::make_shared<PromotionRecord>(),
                                            [] { return false; }));
  EXPECT_EQ(0, batch_.num_records());
  EXPECT_EQ(0, batch_.memory_bytes());
}

TEST_F(PromotionBatchTest, RecordsComeInKeyOrder) {
  for (const char* key : {"q", "a", "z", "m", "c", "b", "y", "x", "n", "o"}) {
    Insert(key);
  }
  EXPECT_EQ("abcmnoqxyz", AllKeys());
}

TEST_F(PromotionBatchTest, EraseIsInclusiveAndGivesMemoryBack) {
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    Insert(key);
  }
  const size_t six = batch_.memory_bytes();
  EXPECT_EQ(0, batch_.Erase("bb", "bz"));
  EXPECT_EQ(3, batch_.Erase("b", "d"));
  EXPECT_EQ("aef", AllKeys());
  EXPECT_EQ(six / 2, batch_.memory_bytes());
  EXPECT_EQ(3, batch_.num_records());
  // The key can be inserted again.
  EXPECT_EQ(Result::kInserted, Insert("c"));
}

TEST_F(PromotionBatchTest, ClearEmptiesAll) {
  Insert("a");
  const PromotionRecordPtr held = batch_.Find("a");
  batch_.Clear();
  EXPECT_EQ(0, batch_.memory_bytes());
  EXPECT_EQ(0, batch_.num_records());
  EXPECT_EQ(nullptr, batch_.Find("a"));
  EXPECT_EQ("value", held->value);  // a reader's reference keeps it alive
}

TEST_F(PromotionBatchTest, FindsAllThatIsThere) {
  constexpr int kRecords = 20000;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < kRecords; i++) {
      ASSERT_EQ(nullptr, batch_.Find(std::to_string(i)));
      Insert(std::to_string(i));
    }
    for (int i = 0; i < kRecords; i++) {
      ASSERT_NE(nullptr, batch_.Find(std::to_string(i)));
    }
    batch_.Clear();
  }
}

TEST_F(PromotionBatchTest, OrderIsTheComparators) {
  PromotionBatch batch(ReverseBytewiseComparator());
  for (const char* key : {"a", "b", "c"}) {
    auto record = std::make_shared<PromotionRecord>();
    record->user_key = key;
    ASSERT_EQ(Result::kInserted, batch.Insert(record, [] { return true; }));
  }
  EXPECT_EQ("c", batch.Records().front()->user_key);
  EXPECT_EQ(2, batch.Erase("c", "b"));
  EXPECT_EQ("a", batch.Records().front()->user_key);
}

}  // namespace ROCKSDB_NAMESPACE
