//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/buffer_cursor.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE::ralt {

class BufferCursorTest : public testing::Test {
 protected:
  void Record(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      buffer_.Record(key, /*value_bytes=*/10, /*weight=*/1, /*fast=*/false);
    }
  }

  // Returns the keys in order, with "*" if they were accessed more than once.
  std::vector<std::string> Read(const Comparator* comparator) {
    SealedAccesses sealed = buffer_.Seal();
    const Scoring scoring(0.999, 5, 2.6);
    std::vector<std::string> keys;
    BufferCursor cursor(sealed, KeyOrder(comparator), scoring, clock_.Now());
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
      const AccessRecord& record = cursor.record();
      EXPECT_EQ(10u, record.value_bytes);
      keys.push_back(record.key.ToString() + (record.repeated ? "*" : ""));
    }
    buffer_.Release(std::move(sealed));
    return keys;
  }

  AccessClock clock_{1 << 20, 1 << 20};
  AccessBuffer buffer_{&clock_, 1 << 20, 1 << 20, 1 << 20};
};

TEST_F(BufferCursorTest, NothingWasAccessed) {
  EXPECT_TRUE(Read(BytewiseComparator()).empty());
}

TEST_F(BufferCursorTest, MergesTheAccessesToAKey) {
  Record({"b", "a", "c", "b", "b"});
  EXPECT_EQ(std::vector<std::string>({"a", "b*", "c"}),
            Read(BytewiseComparator()));
}

TEST_F(BufferCursorTest, FollowsTheComparator) {
  Record({"b", "a", "c", "b"});
  EXPECT_EQ(std::vector<std::string>({"c", "b*", "a"}),
            Read(ReverseBytewiseComparator()));
}

// The order is decided by eight bytes after the prefix that all keys share, and
// then by the rest.
TEST_F(BufferCursorTest, KeysWithLongCommonParts) {
  const std::string prefix(100, 'p');
  const std::string same(8, 's');
  Record({prefix + same + "2", prefix + same + "1", prefix, prefix + same,
          prefix + "z", prefix + same + "1"});
  EXPECT_EQ(
      std::vector<std::string>({prefix, prefix + same, prefix + same + "1*",
                                prefix + same + "2", prefix + "z"}),
      Read(BytewiseComparator()));
}

}  // namespace ROCKSDB_NAMESPACE::ralt
