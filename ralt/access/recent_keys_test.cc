//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/recent_keys.h"

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kHash = 0x1234567890abcdef;
// A hash with the same slot of 64.
constexpr uint64_t kOtherHash = kHash ^ (uint64_t{1} << 50);
}  // namespace

TEST(RecentKeysTest, OneAccessIsNotTwo) {
  RecentKeys keys(64);
  EXPECT_FALSE(keys.Accessed(kHash));
  EXPECT_FALSE(keys.AccessedTwice(kHash));
  keys.Add(kHash);
  EXPECT_TRUE(keys.Accessed(kHash));
  EXPECT_FALSE(keys.AccessedTwice(kHash));
  keys.Add(kHash);
  EXPECT_TRUE(keys.AccessedTwice(kHash));
}

TEST(RecentKeysTest, AccessesOfTheLastPeriodCount) {
  RecentKeys keys(64);
  keys.Add(kHash);
  keys.BeginPeriod();
  keys.Add(kHash);
  EXPECT_TRUE(keys.AccessedTwice(kHash));
  keys.BeginPeriod();
  EXPECT_TRUE(keys.AccessedTwice(kHash));
  EXPECT_TRUE(keys.Accessed(kHash));
  keys.BeginPeriod();
  EXPECT_FALSE(keys.AccessedTwice(kHash));
  EXPECT_FALSE(keys.Accessed(kHash));
}

TEST(RecentKeysTest, OlderAccessesAreForgotten) {
  RecentKeys keys(64);
  keys.Add(kHash);
  keys.BeginPeriod();
  keys.BeginPeriod();
  keys.Add(kHash);
  EXPECT_FALSE(keys.AccessedTwice(kHash));
}

TEST(RecentKeysTest, AKeyTakesTheSlotOfAnother) {
  RecentKeys keys(64);
  keys.Add(kHash);
  keys.Add(kHash);
  keys.Add(kOtherHash);
  EXPECT_FALSE(keys.AccessedTwice(kHash));
  EXPECT_FALSE(keys.AccessedTwice(kOtherHash));
  keys.Add(kHash);
  EXPECT_FALSE(keys.AccessedTwice(kHash));
}

TEST(RecentKeysTest, EmptySlotsKnowNoKey) {
  RecentKeys keys(/*slots=*/0);
  keys.Add(/*key_hash=*/0);
  EXPECT_FALSE(keys.AccessedTwice(0));
  keys.Add(/*key_hash=*/0);
  EXPECT_TRUE(keys.AccessedTwice(0));
}

// The number of the period wraps around.
TEST(RecentKeysTest, PeriodsGoOnForEver) {
  RecentKeys keys(64);
  for (int i = 0; i < 100000; ++i) {
    keys.Add(kHash);
    keys.Add(kHash);
    ASSERT_TRUE(keys.AccessedTwice(kHash));
    keys.BeginPeriod();
    keys.BeginPeriod();
    ASSERT_FALSE(keys.AccessedTwice(kHash));
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
