//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/heat/first_reads.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "gtest/gtest.h"
#include "util/hash.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// In records of one byte.
constexpr uint64_t kData = 100000;
constexpr uint64_t kRoom = 7000;
constexpr uint64_t kFlush = 1000;
}  // namespace

class FirstReadsTest : public testing::Test {
 protected:
  // A flush of random accesses, of which a share goes to some keys from
  // `first_hot` on.
  void Flush(double hot_share, uint64_t first_hot, uint64_t hot_keys,
             uint64_t data_bytes = kData, uint64_t room_bytes = kRoom) {
    std::unordered_map<uint64_t, uint64_t> accesses;
    for (uint64_t i = 0; i < kFlush; ++i) {
      const bool hot =
          static_cast<double>(random_.Uniform(1000)) < 1000 * hot_share;
      const uint64_t key =
          hot ? first_hot + random_.Uniform(hot_keys) : random_.Uniform(kData);
      ++accesses[GetSliceHash64(
          Slice(reinterpret_cast<const char*>(&key), sizeof(key)))];
    }
    reads_.Begin(kFlush);
    for (const auto& [hash, times] : accesses) {
      const bool is_new = known_.insert(hash).second;
      if (FirstReads::IsSampled(hash)) {
        reads_.Add(hash, times > 1, is_new);
      }
    }
    reads_.End(room_bytes, data_bytes);
  }

  FirstReads reads_;
  std::unordered_set<uint64_t> known_;
  Random64 random_{301};
};

TEST_F(FirstReadsTest, NotUnderUniformAccesses) {
  for (int i = 0; i < 50; ++i) {
    Flush(0, 0, 1);
    ASSERT_FALSE(reads_.count()) << i;
  }
}

TEST_F(FirstReadsTest, WhileAHotSetIsFound) {
  Flush(0.95, 0, 5000);
  Flush(0.95, 0, 5000);
  EXPECT_TRUE(reads_.count());
  for (int i = 0; i < 40; ++i) {
    Flush(0.95, 0, 5000);
  }
  EXPECT_FALSE(reads_.count());  // what is new now is cold
  Flush(0.95, 50000, 5000);
  Flush(0.95, 50000, 5000);
  EXPECT_TRUE(reads_.count());
}

// Of those that are new, next to known ones, all are cold.
TEST_F(FirstReadsTest, WhatIsKnownTellsNothing) {
  for (int i = 0; i < 80; ++i) {
    Flush(0.5, 0, 5000);
    ASSERT_FALSE(i >= 60 && reads_.count()) << i;
  }
}

// A tier with room for nearly all data holds whatever is read. First accesses
// must tell more than that.
TEST_F(FirstReadsTest, NotByChance) {
  for (int i = 0; i < 20; ++i) {
    // 10,000 keys, each as likely as any other.
    Flush(1, 0, 10000, /*data_bytes=*/10000);
    ASSERT_FALSE(reads_.count()) << i;
  }
}

// What is promoted would have made way for others by its next access.
TEST_F(FirstReadsTest, NotWhereThereIsLittleRoom) {
  for (int i = 0; i < 20; ++i) {
    Flush(0.95, 0, 5000, kData, /*room_bytes=*/500);
    ASSERT_FALSE(reads_.count()) << i;
  }
}

TEST_F(FirstReadsTest, NotWithoutTheSizeOfTheData) {
  for (int i = 0; i < 5; ++i) {
    Flush(0.95, 0, 5000, /*data_bytes=*/0);
    ASSERT_FALSE(reads_.count()) << i;
  }
}

TEST_F(FirstReadsTest, FewKeysTellNothing) {
  reads_.Begin(10);
  for (uint64_t hash = 0; hash < 60; ++hash) {
    reads_.Add(hash, /*repeated=*/true, /*is_new=*/true);
  }
  reads_.End(kRoom, kData);
  EXPECT_FALSE(reads_.count());
  reads_.Begin(10);
  for (uint64_t hash = 100; hash < 170; ++hash) {
    reads_.Add(hash, /*repeated=*/true, /*is_new=*/true);
  }
  reads_.End(kRoom, kData);
  EXPECT_TRUE(reads_.count());
}

}  // namespace ROCKSDB_NAMESPACE::ralt
