//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/filter_register.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

namespace {
std::vector<PromotionRecordPtr> Records(const std::vector<std::string>& keys) {
  std::vector<PromotionRecordPtr> records;
  for (const auto& key : keys) {
    auto record = std::make_shared<PromotionRecord>();
    record->user_key = key;
    records.push_back(record);
  }
  return records;
}
}  // namespace

class FilterRegisterTest : public testing::Test {
 public:
  using Compaction = FilterRegister::Compaction;
  using Promotion = FilterRegister::Promotion;

  std::unique_ptr<Compaction> NewCompaction() {
    return std::make_unique<Compaction>(&filters_, BytewiseComparator());
  }
  std::unique_ptr<Promotion> NewPromotion() {
    return std::make_unique<Promotion>(&filters_, BytewiseComparator());
  }

 protected:
  FilterRegister filters_;
};

TEST_F(FilterRegisterTest, WhoComesSecondSeesTheFirst) {
  auto compaction = NewCompaction();
  auto promotion = NewPromotion();
  EXPECT_TRUE(compaction->Claim("a"));
  promotion->Publish(Records({"a", "b", "c"}));
  EXPECT_TRUE(filters_.Claimed("a"));
  EXPECT_FALSE(filters_.Claimed("b"));
  EXPECT_FALSE(compaction->Claim("b"));
  EXPECT_TRUE(compaction->Claim("d"));
}

TEST_F(FilterRegisterTest, ACompactionSeesWhatWasPromotedSinceItBegan) {
  auto early = NewPromotion();
  auto compaction = NewCompaction();
  auto late = NewPromotion();
  early->Publish(Records({"a"}));
  late->Publish(Records({"b"}));
  early.reset();
  late.reset();
  auto next = NewCompaction();
  EXPECT_FALSE(compaction->Claim("a"));
  EXPECT_FALSE(compaction->Claim("b"));
  // This one has found them in the tables.
  EXPECT_TRUE(next->Claim("a"));
  EXPECT_TRUE(next->Claim("b"));
}

TEST_F(FilterRegisterTest, APromotionSeesWhatWasClaimedSinceItBegan) {
  auto early = NewCompaction();
  EXPECT_TRUE(early->Claim("a"));
  auto promotion = NewPromotion();
  auto late = NewCompaction();
  EXPECT_TRUE(late->Claim("b"));
  early.reset();
  late.reset();
  EXPECT_TRUE(filters_.Claimed("a"));
  EXPECT_TRUE(filters_.Claimed("b"));
  promotion.reset();
  EXPECT_FALSE(filters_.Claimed("a"));
  EXPECT_FALSE(filters_.Claimed("b"));
}

TEST_F(FilterRegisterTest, Ranges) {
  auto compaction = NewCompaction();
  auto promotion = NewPromotion();
  promotion->Publish(Records({"e", "h"}));
  EXPECT_TRUE(compaction->ClaimRange("a", "c"));
  EXPECT_TRUE(compaction->ClaimRange("a", "e"));
  EXPECT_FALSE(compaction->ClaimRange("a", "f"));
  EXPECT_FALSE(compaction->ClaimRange("h", "i"));
  EXPECT_TRUE(compaction->ClaimRange("i", "k"));
  for (const char* key : {"a", "b", "f", "j"}) {
    EXPECT_TRUE(filters_.Claimed(key)) << key;
  }
  EXPECT_FALSE(filters_.Claimed("l"));
  std::string smallest;
  std::string largest;
  ASSERT_TRUE(compaction->GetRange(&smallest, &largest));
  EXPECT_EQ("a", smallest);
  EXPECT_EQ("k", largest);
}

TEST_F(FilterRegisterTest, TheRangeOfSingleKeys) {
  auto compaction = NewCompaction();
  std::string smallest;
  std::string largest;
  EXPECT_FALSE(compaction->GetRange(&smallest, &largest));
  EXPECT_FALSE(filters_.Claimed("b"));
  for (const char* key : {"d", "b", "c"}) {
    EXPECT_TRUE(compaction->Claim(key));
  }
  ASSERT_TRUE(compaction->GetRange(&smallest, &largest));
  EXPECT_EQ("b", smallest);
  EXPECT_EQ("d", largest);
}

// Compactions that drop more than was expected only err more often.
TEST_F(FilterRegisterTest, ManyKeys) {
  auto compaction = NewCompaction();
  const auto key = [](int i) { return "key" + std::to_string(i); };
  for (int i = 0; i < 400000; i += 2) {
    ASSERT_TRUE(compaction->Claim(key(i)));
  }
  int errors = 0;
  for (int i = 0; i < 400000; i++) {
    if (i % 2 == 0) {
      ASSERT_TRUE(filters_.Claimed(key(i)));
    } else {
      errors += filters_.Claimed(key(i)) ? 1 : 0;
    }
  }
  EXPECT_GT(20000, errors);
}

// Of the two that meet at a key, at least one gives way.
TEST_F(FilterRegisterTest, Races) {
  for (int round = 0; round < 2000; round++) {
    auto compaction = NewCompaction();
    auto promotion = NewPromotion();
    const std::vector<PromotionRecordPtr> records = Records({"a", "b"});
    std::atomic<int> ready{0};
    const auto meet = [&ready] {
      ready++;
      while (ready < 2) {
      }
    };
    bool claimed = false;
    std::thread thread([&] {
      meet();
      claimed = compaction->Claim("a");
      compaction.reset();
    });
    meet();
    promotion->Publish(records);
    const bool promoted = !filters_.Claimed("a");
    thread.join();
    ASSERT_FALSE(claimed && promoted) << round;
  }
}

}  // namespace ROCKSDB_NAMESPACE
