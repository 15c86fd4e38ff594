//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/taken_records.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class TakenRecordsTest : public testing::Test {
 protected:
  static std::vector<PromotionRecordPtr> Records(const std::string& keys) {
    std::vector<PromotionRecordPtr> records;
    for (const char key : keys) {
      auto record = std::make_shared<PromotionRecord>();
      record->user_key = key;
      records.push_back(record);
    }
    return records;
  }
  void Change(
      const std::string& smallest, const std::string& largest,
      InvalidationRing::Kind kind = InvalidationRing::kSlowTierChanged) {
    registry_.OnChange({++version_, kind, smallest, largest});
  }
  // Returns the keys of the stale records.
  static std::string Overtaken(const TakenRecords& taken,
                               bool fast_too = false) {
    std::string keys;
    for (const auto& record : taken.records()) {
      if (taken.Overtaken(*record, fast_too)) {
        keys += record->user_key;
      }
    }
    return keys;
  }

  uint64_t version_ = 0;
  TakenRecords::Registry registry_{BytewiseComparator()};
};

TEST_F(TakenRecordsTest, EndsOfARangeAreInclusive) {
  TakenRecords taken(&registry_);
  taken.SetRecords(Records("bdfhj"));
  EXPECT_FALSE(taken.AnyOvertaken());
  Change("d", "f");
  EXPECT_EQ("df", Overtaken(taken));
  EXPECT_TRUE(taken.AnyOvertaken());
  Change("g", "i");
  EXPECT_EQ("dfh", Overtaken(taken));
  Change("k", "z");
  Change("", "a");
  EXPECT_EQ("dfh", Overtaken(taken));
  Change("a", "z");
  EXPECT_EQ("bdfhj", Overtaken(taken));
}

// However many there are: nothing is forgotten, and no history is kept.
TEST_F(TakenRecordsTest, ChangesBetweenTheRecordsDoNotCount) {
  TakenRecords taken(&registry_);
  taken.SetRecords(Records("bdf"));
  for (int i = 0; i < 10000; i++) {
    Change("c", "c");
    Change("e", "e");
  }
  EXPECT_EQ(0, taken.num_changes());
  EXPECT_FALSE(taken.AnyOvertaken());
  EXPECT_EQ("", Overtaken(taken));
}

TEST_F(TakenRecordsTest, OnlyWhatConcernsOneMoreIsAChange) {
  TakenRecords taken(&registry_);
  taken.SetRecords(Records("bdf"));
  Change("b", "d");
  EXPECT_EQ(1, taken.num_changes());
  Change("b", "b");
  Change("a", "e");
  EXPECT_EQ(1, taken.num_changes());
  Change("a", "f");
  EXPECT_EQ(2, taken.num_changes());
}

TEST_F(TakenRecordsTest, FilesOfTheFastTierAreForWhoAsksForThem) {
  TakenRecords taken(&registry_);
  taken.SetRecords(Records("bdf"));
  Change("d", "e", InvalidationRing::kFastTierAdded);
  EXPECT_FALSE(taken.AnyOvertaken());
  EXPECT_EQ("", Overtaken(taken));
  EXPECT_EQ("d", Overtaken(taken, /*fast_too=*/true));
  EXPECT_EQ(1, taken.num_changes());
}

// Changes between the registration and SetRecords().
TEST_F(TakenRecordsTest, ChangesBeforeTheRecordsCount) {
  TakenRecords taken(&registry_);
  Change("d", "e");
  Change("x", "z");
  EXPECT_EQ(0, taken.num_changes());
  taken.SetRecords(Records("bdf"));
  EXPECT_EQ("d", Overtaken(taken));
  EXPECT_EQ(1, taken.num_changes());
}

TEST_F(TakenRecordsTest, AnyChangeOvertakesAll) {
  TakenRecords taken(&registry_);
  TakenRecords later(&registry_);
  TakenRecords none(&registry_);
  taken.SetRecords(Records("bdf"));
  none.SetRecords({});
  registry_.OnAnyChange();
  later.SetRecords(Records("ac"));
  EXPECT_EQ("bdf", Overtaken(taken));
  EXPECT_EQ("ac", Overtaken(later));
  EXPECT_FALSE(none.AnyOvertaken());
}

TEST_F(TakenRecordsTest, EachHearsOfWhatHappensWhileItLives) {
  auto first = std::make_unique<TakenRecords>(&registry_);
  first->SetRecords(Records("bdf"));
  Change("b", "b");
  TakenRecords second(&registry_);
  second.SetRecords(Records("bdf"));
  EXPECT_FALSE(second.AnyOvertaken());
  Change("d", "d");
  EXPECT_EQ("bd", Overtaken(*first));
  EXPECT_EQ("d", Overtaken(second));
  first.reset();
  Change("f", "f");
  EXPECT_EQ("df", Overtaken(second));
}

TEST_F(TakenRecordsTest, LikeAModel) {
  Random rnd(301);
  const std::string keys = "abcdefghijklmnopqrstuvwxyz";
  for (int round = 0; round < 200; round++) {
    TakenRecords taken(&registry_);
    taken.SetRecords(Records(keys));
    std::set<char> expected;
    for (int i = 0; i < 8; i++) {
      const uint32_t begin = rnd.Uniform(26);
      const uint32_t end = std::min(25u, begin + rnd.Uniform(6));
      const uint64_t changes = taken.num_changes();
      const size_t before = expected.size();
      Change(keys.substr(begin, 1), keys.substr(end, 1));
      expected.insert(keys.begin() + begin, keys.begin() + end + 1);
      ASSERT_EQ(expected.size() > before, taken.num_changes() > changes);
      ASSERT_EQ(std::string(expected.begin(), expected.end()),
                Overtaken(taken));
    }
  }
}

}  // namespace ROCKSDB_NAMESPACE
