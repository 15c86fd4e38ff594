//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/key_ranges.h"

#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

TEST(KeyRangesTest, EndsAreExclusive) {
  KeyRanges ranges(BytewiseComparator(), /*include_end=*/false);
  EXPECT_FALSE(ranges.Contains("a"));
  ranges.Add(Slice("b"), Slice("d"));
  ranges.Add(Slice("x"), OptSlice());
  EXPECT_FALSE(ranges.Contains("a"));
  EXPECT_TRUE(ranges.Contains("b"));
  EXPECT_FALSE(ranges.Contains("d"));
  EXPECT_TRUE(ranges.Contains("z"));
  EXPECT_TRUE(ranges.ContainsAll("b", "c"));
  EXPECT_FALSE(ranges.ContainsAll("b", "d"));
  EXPECT_FALSE(ranges.ContainsAll("c", "y"));
  EXPECT_TRUE(ranges.Overlap("a", "b"));
  EXPECT_FALSE(ranges.Overlap("d", "e"));
  EXPECT_TRUE(ranges.Overlap("a", "z"));
}

TEST(KeyRangesTest, EndsAreInclusive) {
  KeyRanges ranges(BytewiseComparator(), /*include_end=*/true);
  ranges.Add(OptSlice(), Slice("d"));
  EXPECT_TRUE(ranges.Contains(""));
  EXPECT_TRUE(ranges.Contains("d"));
  EXPECT_TRUE(ranges.ContainsAll("c", "d"));
  EXPECT_FALSE(ranges.Contains("da"));
  EXPECT_TRUE(ranges.Overlap("d", "e"));
}

}  // namespace ROCKSDB_NAMESPACE
