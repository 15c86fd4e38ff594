//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/short_keys.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "rocksdb/comparator.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
const KeyOrder kOrder(BytewiseComparator());
}  // namespace

TEST(ShortKeysTest, AfterAPrefix) {
  EXPECT_EQ("ac", AfterPrefix("abc", 2));
  EXPECT_EQ("b", AfterPrefix("a\xff\xff", 3));
  EXPECT_EQ("", AfterPrefix("\xff\xff", 2));
}

TEST(ShortKeysTest, KeysOfOrdinaryLengthAreNotShortened) {
  const std::string key(kShortKeyBytes, 'k');
  const std::string above(kShortKeyBytes, 'a');
  const Slice below("z");
  EXPECT_EQ(key, ShortLowerBound(kOrder, above, key));
  EXPECT_EQ(key, ShortLowerBound(kOrder, key));
  EXPECT_EQ(key, ShortUpperBound(kOrder, key, &below));
  EXPECT_EQ(key, ShortUpperBound(kOrder, key, nullptr));
}

TEST(ShortKeysTest, LongKeysAreShortenedIfTheyDifferEarly) {
  const std::string above(1000, 'a');
  const std::string key(1000, 'k');
  const std::string z(1000, 'z');
  const Slice below(z);
  EXPECT_EQ(kShortKeyBytes, ShortLowerBound(kOrder, above, key).size());
  EXPECT_EQ(kShortKeyBytes, ShortLowerBound(kOrder, key).size());
  EXPECT_EQ(kShortKeyBytes, ShortUpperBound(kOrder, key, &below).size());
  EXPECT_EQ(kShortKeyBytes, ShortUpperBound(kOrder, key, nullptr).size());
}

// For keys of few different bytes, which have much in common.
TEST(ShortKeysTest, BoundsAreWithinTheirKeys) {
  Random random(301);
  const auto random_key = [&] {
    static const char kBytes[] = {'\0', 'a', '\xff'};
    std::string key(random.Uniform(200), 'p');
    for (uint32_t n = random.Uniform(4); n > 0; --n) {
      key += kBytes[random.Uniform(3)];
    }
    return key;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string a = random_key();
    std::string b = random_key();
    if (b < a) {
      std::swap(a, b);
    }
    if (a == b) {
      continue;
    }
    const std::string lower = ShortLowerBound(kOrder, a, b);
    ASSERT_LT(a, lower);
    ASSERT_LE(lower, b);
    ASSERT_LE(lower.size(), b.size());
    ASSERT_LE(ShortLowerBound(kOrder, a), a);
    const Slice below(b);
    const std::string upper = ShortUpperBound(kOrder, a, &below);
    ASSERT_LE(a, upper);
    ASSERT_LT(upper, b);
    ASSERT_LE(upper.size(), a.size());
    ASSERT_LE(a, ShortUpperBound(kOrder, a, nullptr));
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
