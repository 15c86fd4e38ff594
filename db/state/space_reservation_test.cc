//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/space_reservation.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "file/sst_file_manager_impl.h"
#include "plugin/hotrap/test_util/free_space_file_system.h"
#include "rocksdb/env.h"
#include "test_util/testharness.h"

namespace ROCKSDB_NAMESPACE {

class SpaceReservationTest : public testing::Test {
 public:
  SpaceReservationTest()
      : fs_(FileSystem::Default()),
        manager_(NewSstFileManager(Env::Default())) {}

  SstFileManagerImpl* files() {
    return static_cast<SstFileManagerImpl*>(manager_.get());
  }
  uint64_t Reserved() { return files()->GetCompactionsReservedSize(); }

  FreeSpaceFileSystem fs_;
  const std::unique_ptr<SstFileManager> manager_;
};

TEST_F(SpaceReservationTest, NothingIsLimited) {
  EXPECT_EQ(100u, SpaceReservation(&fs_, "/", nullptr, 100, 10).bytes());
  EXPECT_EQ(100u, SpaceReservation(&fs_, "/", files(), 100, 10).bytes());
  EXPECT_EQ(0u, Reserved());
}

// A reservation stays below the limit, where writes fail.
TEST_F(SpaceReservationTest, WhatTheLimitLeaves) {
  ASSERT_OK(files()->OnAddFile("table", 1000));
  files()->SetMaxAllowedSpaceUsage(2000);
  EXPECT_EQ(899u, SpaceReservation(&fs_, "/", files(), 5000, 100).bytes());
  EXPECT_EQ(300u, SpaceReservation(&fs_, "/", files(), 300, 100).bytes());
  EXPECT_EQ(0u, SpaceReservation(&fs_, "/", files(), 300, 1000).bytes());
  EXPECT_EQ(0u, SpaceReservation(&fs_, "/", files(), 300,
                                 std::numeric_limits<uint64_t>::max())
                    .bytes());
  files()->SetCompactionBufferSize(500);
  EXPECT_EQ(399u, SpaceReservation(&fs_, "/", files(), 5000, 100).bytes());
  EXPECT_TRUE(SpaceReservation::HasRoom(&fs_, "/", files(), 399, 100));
  EXPECT_FALSE(SpaceReservation::HasRoom(&fs_, "/", files(), 400, 100));
  files()->SetMaxAllowedSpaceUsage(500);
  EXPECT_EQ(0u, SpaceReservation(&fs_, "/", files(), 1, 0).bytes());
}

// Two reservations share the room, and compactions see them.
TEST_F(SpaceReservationTest, OneAfterTheOther) {
  files()->SetMaxAllowedSpaceUsage(1001);
  {
    const SpaceReservation first(&fs_, "/", files(), 600, 0);
    EXPECT_EQ(600u, first.bytes());
    EXPECT_EQ(600u, Reserved());
    const SpaceReservation second(&fs_, "/", files(), 600, 0);
    EXPECT_EQ(400u, second.bytes());
    EXPECT_FALSE(files()->IsMaxAllowedSpaceReached());
  }
  EXPECT_EQ(0u, Reserved());
}

TEST_F(SpaceReservationTest, WhatIsFreeOnTheDisk) {
  fs_.set_free_bytes(1000);
  const SpaceReservation first(&fs_, "/", files(), 600, 100);
  EXPECT_EQ(600u, first.bytes());
  {
    const SpaceReservation second(&fs_, "/", nullptr, 600, 100);
    EXPECT_EQ(300u, second.bytes());
  }
  EXPECT_TRUE(SpaceReservation::HasRoom(&fs_, "/", files(), 300, 100));
  // Now the limit is smaller.
  files()->SetMaxAllowedSpaceUsage(801);
  const SpaceReservation third(&fs_, "/", files(), 300, 0);
  EXPECT_EQ(200u, third.bytes());
  EXPECT_EQ(200u, SpaceReservation(&fs_, "/", nullptr, 300, 0).bytes());
}

TEST_F(SpaceReservationTest, SpareForFlushes) {
  MutableCFOptions options;
  options.write_buffer_size = 1 << 20;
  options.max_write_buffer_number = 3;
  EXPECT_EQ(6u << 20, SpareForFlushes(options));
  options.write_buffer_size = size_t{1} << 40;
  EXPECT_EQ(1u << 30, SpareForFlushes(options));
}

}  // namespace ROCKSDB_NAMESPACE
