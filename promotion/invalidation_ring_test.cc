//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/invalidation_ring.h"

#include <gtest/gtest.h>

#include <string>

namespace ROCKSDB_NAMESPACE {

using Kind = InvalidationRing::Kind;

class InvalidationRingTest : public testing::Test {
 protected:
  void Push(uint64_t version, const std::string& smallest,
            const std::string& largest,
            Kind kind = InvalidationRing::kSlowTierChanged) {
    ring_.Push({version, kind, smallest, largest});
  }
  bool ChangedSince(uint64_t version, const std::string& key,
                    bool fast_too = false) {
    return ring_.ChangedSince(version, key, fast_too);
  }

  InvalidationRing ring_{BytewiseComparator()};
};

TEST_F(InvalidationRingTest, EmptyRingKnowsOfNoChange) {
  EXPECT_FALSE(ChangedSince(0, "a"));
}

TEST_F(InvalidationRingTest, RangeIsInclusiveAndVersionIsNot) {
  Push(7, "b", "d");
  for (const char* inside : {"b", "bb", "c", "d"}) {
    EXPECT_TRUE(ChangedSince(6, inside)) << inside;
    // The read saw version 7, which includes the change.
    EXPECT_FALSE(ChangedSince(7, inside)) << inside;
  }
  for (const char* outside : {"a", "da", "e"}) {
    EXPECT_FALSE(ChangedSince(6, outside)) << outside;
  }
}

TEST_F(InvalidationRingTest, AnOlderEntryIsFoundBehindYoungerOnes) {
  Push(7, "b", "d");
  Push(8, "x", "y");
  Push(8, "p", "q");  // one version, two edits
  EXPECT_TRUE(ChangedSince(6, "c"));
  EXPECT_TRUE(ChangedSince(7, "x"));
  EXPECT_TRUE(ChangedSince(7, "p"));
  EXPECT_FALSE(ChangedSince(7, "c"));
}

TEST_F(InvalidationRingTest, FilesOfTheFastTierAreForWhoAsksForThem) {
  Push(7, "b", "d", InvalidationRing::kFastTierAdded);
  EXPECT_FALSE(ChangedSince(6, "c"));
  EXPECT_TRUE(ChangedSince(6, "c", /*fast_too=*/true));
  EXPECT_FALSE(ChangedSince(7, "c", /*fast_too=*/true));
}

// Forgotten entries may have been anything.
TEST_F(InvalidationRingTest, OverflowRefusesWhoWasBeforeIt) {
  uint64_t version = 10;
  while (!ChangedSince(10, "a")) {
    Push(++version, "x", "y");
    ASSERT_LT(version, 100000) << "the ring grows without limit";
  }
  // Just one, version 11, is forgotten.
  EXPECT_FALSE(ChangedSince(11, "a"));
  EXPECT_TRUE(ChangedSince(11, "x"));
}

TEST_F(InvalidationRingTest, ForgetRefusesWhoWasBeforeIt) {
  Push(3, "x", "y");
  ring_.Forget(5);
  EXPECT_TRUE(ChangedSince(4, "a"));
  EXPECT_FALSE(ChangedSince(5, "a"));
  EXPECT_FALSE(ChangedSince(5, "x"));
  Push(6, "x", "y");
  EXPECT_TRUE(ChangedSince(5, "x"));
}

}  // namespace ROCKSDB_NAMESPACE
