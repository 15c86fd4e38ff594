//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/promoted_copies.h"

#include <string>

#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class PromotedCopiesTest : public testing::Test {
 public:
  static TableProperties With(const std::string& value) {
    TableProperties properties;
    properties.user_collected_properties[kPromotedCopiesProperty] = value;
    return properties;
  }
  static std::string Key(int i) { return "key" + std::to_string(i); }
};

TEST_F(PromotedCopiesTest, NoPropertyMeansNone) {
  const TableProperties properties;
  const PromotedCopies copies = PromotedCopies::In(properties);
  EXPECT_EQ(0, copies.count());
  EXPECT_FALSE(copies.MayContain("a", 1));
}

TEST_F(PromotedCopiesTest, ContainsWhatWasAddedAndLittleElse) {
  constexpr int kCopies = 10000;
  PromotedCopiesBuilder builder;
  for (int i = 0; i < kCopies; i++) {
    builder.Add(Key(i), 100 + i);
  }
  const TableProperties properties = With(builder.Finish());
  const PromotedCopies copies = PromotedCopies::In(properties);
  EXPECT_EQ(kCopies, copies.count());
  int false_positives = 0;
  for (int i = 0; i < kCopies; i++) {
    EXPECT_TRUE(copies.MayContain(Key(i), 100 + i)) << i;
    // Another version of the key, and another key.
    false_positives += copies.MayContain(Key(i), 99 + i);
    false_positives += copies.MayContain(Key(kCopies + i), 100 + i);
  }
  EXPECT_LT(false_positives, 2 * kCopies / 500);
}

// An unreadable property may name any record.
TEST_F(PromotedCopiesTest, DamageCountsAsTheWorst) {
  PromotedCopiesBuilder builder;
  builder.Add("a", 1);
  const std::string good = builder.Finish();
  const std::string bad[] = {"",
                             good.substr(0, 1),
                             good.substr(0, 2),
                             good.substr(0, 3),
                             good.substr(0, 10),
                             "\x07" + good.substr(1),
                             std::string("\x01\x00", 2) + good.substr(2),
                             good.substr(0, 2) + "\x7f" + good.substr(3)};
  for (const std::string& value : bad) {
    const TableProperties properties = With(value);
    const PromotedCopies copies = PromotedCopies::In(properties);
    EXPECT_GT(copies.count(), 0) << value.size();
    EXPECT_TRUE(copies.MayContain("b", 2)) << value.size();
  }
}

}  // namespace ROCKSDB_NAMESPACE
