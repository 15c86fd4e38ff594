//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/run_index.h"

#include <string>

#include "gtest/gtest.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// Blocks of 100, 200 and 300 bytes, with 10, 0 and 30 hot bytes.
RunIndex MakeIndex() {
  RunIndex index;
  index.Add("b", 100, 10);
  index.Add("d", 200, 0);
  index.Add("f", 300, 30);
  return index;
}
const KeyOrder kOrder(BytewiseComparator());
}  // namespace

TEST(RunIndexTest, FindsTheBlockOfAKey) {
  struct Case {
    const char* key;
    size_t block;       // the one that would hold it
    size_t first_from;  // the first one that begins at or after it
  };
  const Case kCases[] = {{"a", 0, 0}, {"b", 0, 0}, {"c", 0, 1}, {"d", 1, 1},
                         {"e", 1, 2}, {"f", 2, 2}, {"g", 2, 3}};
  const RunIndex index = MakeIndex();
  for (const Case& c : kCases) {
    EXPECT_EQ(c.block, index.FindBlock(c.key, kOrder)) << c.key;
    EXPECT_EQ(c.first_from, index.FirstBlockFrom(c.key, kOrder)) << c.key;
  }
}

TEST(RunIndexTest, IsReadAsItWasWritten) {
  std::string bytes;
  MakeIndex().EncodeTo(&bytes);
  RunIndex index;
  ASSERT_TRUE(index.DecodeFrom(bytes, 600, kOrder));
  ASSERT_EQ(3u, index.blocks());
  EXPECT_EQ("d", index.first_key(1).ToString());
  EXPECT_EQ(100u, index.offset(1));
  EXPECT_EQ(200u, index.bytes(1));
  EXPECT_EQ(600u, index.offset(3));
  EXPECT_EQ(10u, index.hot_bytes_before(2));
  EXPECT_EQ(40u, index.hot_bytes_before(3));
}

TEST(RunIndexTest, RefusesWhatNoWriterWrites) {
  const auto decodes = [](const RunIndex& index, uint64_t data_bytes) {
    std::string bytes;
    index.EncodeTo(&bytes);
    RunIndex decoded;
    return decoded.DecodeFrom(bytes, data_bytes, kOrder);
  };
  EXPECT_TRUE(decodes(MakeIndex(), 600));
  EXPECT_FALSE(decodes(MakeIndex(), 599));
  EXPECT_FALSE(decodes(MakeIndex(), 601));
  EXPECT_FALSE(decodes(RunIndex(), 0));
  RunIndex out_of_order = MakeIndex();
  out_of_order.Add("e", 100, 0);
  EXPECT_FALSE(decodes(out_of_order, 700));
  RunIndex empty_block = MakeIndex();
  empty_block.Add("g", kBlockTrailerBytes, 0);
  EXPECT_FALSE(decodes(empty_block, 600 + kBlockTrailerBytes));
}

}  // namespace ROCKSDB_NAMESPACE::ralt
