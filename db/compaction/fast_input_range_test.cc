//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/fast_input_range.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

TEST(FastInputRangeTest, BothEndsBelongToIt) {
  const FastInputRange range(BytewiseComparator(),
                             InternalKey("b", 7, kTypeValue),
                             InternalKey("d", 3, kTypeValue));
  EXPECT_EQ("b", range.smallest());
  EXPECT_EQ("d", range.largest());
  EXPECT_FALSE(range.Contains("a"));
  EXPECT_TRUE(range.Contains("b"));
  EXPECT_TRUE(range.Contains("c"));
  EXPECT_TRUE(range.Contains("d"));
  EXPECT_FALSE(range.Contains("d0"));
}

TEST(FastInputRangeTest, NotTheEndOfARangeTombstone) {
  const FastInputRange range(
      BytewiseComparator(), InternalKey("b", 7, kTypeValue),
      InternalKey("d", kMaxSequenceNumber, kTypeRangeDeletion));
  EXPECT_TRUE(range.Contains("b"));
  EXPECT_TRUE(range.Contains("c"));
  EXPECT_FALSE(range.Contains("d"));
}

}  // namespace ROCKSDB_NAMESPACE
