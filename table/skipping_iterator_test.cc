//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/table/skipping_iterator.h"

#include <string>
#include <vector>

#include "test_util/testharness.h"
#include "util/vector_iterator.h"

namespace ROCKSDB_NAMESPACE {

class SkippingIteratorTest : public testing::Test {
 public:
  SkippingIteratorTest() : icmp_(BytewiseComparator()) {}

  std::string Walk(const std::string& skipped, const Slice& from = Slice()) {
    std::vector<std::string> keys;
    for (const char* key : {"a", "b", "c", "d"}) {
      keys.push_back(InternalKey(key, 7, kTypeValue).Encode().ToString());
    }
    VectorIterator records(keys, {"1", "2", "3", "4"}, &icmp_);
    SkippingIterator it(&records, [&](const ParsedInternalKey& ikey) {
      return skipped.find(ikey.user_key.ToString()) != std::string::npos;
    });
    std::string met;
    if (from.empty()) {
      it.SeekToFirst();
    } else {
      it.Seek(InternalKey(from, 8, kTypeValue).Encode());
    }
    for (; it.Valid(); it.Next()) {
      met += ExtractUserKey(it.key()).ToString() + it.value().ToString();
    }
    EXPECT_OK(it.status());
    num_skipped_ = it.num_skipped();
    return met;
  }

 protected:
  const InternalKeyComparator icmp_;
  uint64_t num_skipped_ = 0;
};

TEST_F(SkippingIteratorTest, LeavesOut) {
  EXPECT_EQ("a1b2c3d4", Walk(""));
  EXPECT_EQ(0, num_skipped_);
  EXPECT_EQ("b2d4", Walk("ac"));
  EXPECT_EQ(2, num_skipped_);
  EXPECT_EQ("", Walk("abcd"));
  EXPECT_EQ(4, num_skipped_);
  EXPECT_EQ("c3", Walk("bd", "b"));
  EXPECT_EQ(2, num_skipped_);
}

}  // namespace ROCKSDB_NAMESPACE
