//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/access_buffer.h"

#include <utility>

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kNever = uint64_t{1} << 40;
constexpr uint64_t kRecordBytes = 100;
}  // namespace

class AccessBufferTest : public testing::Test {
 protected:
  // With a slice of one byte, the clock sees each access at once.
  AccessClock clock_{/*slice_bytes=*/1, /*period_bytes=*/kNever};

  bool Record(AccessBuffer* buffer, uint32_t weight = 1, bool fast = false) {
    return buffer->Record("k", kRecordBytes - 1, weight, fast);
  }
};

TEST_F(AccessBufferTest, OneCallerIsToldThatItIsReady) {
  AccessBuffer buffer(&clock_, kNever, kNever, 10 * kRecordBytes);
  for (int seal = 0; seal < 2; ++seal) {
    for (int i = 1; i <= 12; ++i) {
      EXPECT_EQ(i == 10, Record(&buffer)) << i;
      EXPECT_EQ(i >= 10, buffer.ready_to_seal());
    }
    SealedAccesses sealed = buffer.Seal();
    EXPECT_EQ(12u, sealed.accesses);
    EXPECT_EQ(12u, sealed.weight);
    EXPECT_EQ(12u, sealed.slow_weight);
    EXPECT_FALSE(buffer.ready_to_seal());
    EXPECT_TRUE(buffer.empty());
    buffer.Release(std::move(sealed));
  }
  EXPECT_EQ(24u, buffer.recorded());
  EXPECT_EQ(24 * kRecordBytes, clock_.accessed_bytes());
}

// Samples of accesses to records in memory are not urgent, but age records.
TEST_F(AccessBufferTest, SamplesDoNotMakeItReady) {
  AccessBuffer buffer(&clock_, kNever, kNever, 10 * kRecordBytes);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(Record(&buffer, /*weight=*/4, /*fast=*/true));
  }
  EXPECT_EQ(400 * kRecordBytes, clock_.accessed_bytes());
  const SealedAccesses sealed = buffer.Seal();
  EXPECT_EQ(100u, sealed.accesses);
  EXPECT_EQ(400u, sealed.weight);
  EXPECT_EQ(0u, sealed.slow_weight);
}

TEST_F(AccessBufferTest, APauseDropsAccessesButNotTime) {
  AccessBuffer buffer(&clock_, kNever, kNever, 10 * kRecordBytes);
  buffer.SetPaused(true);
  Record(&buffer);
  EXPECT_EQ(1u, buffer.dropped());
  EXPECT_EQ(0u, buffer.recorded());
  EXPECT_EQ(kRecordBytes, clock_.accessed_bytes());
  buffer.SetPaused(false);
  Record(&buffer);
  EXPECT_EQ(1u, buffer.dropped());
  EXPECT_EQ(1u, buffer.Seal().accesses);
}

TEST_F(AccessBufferTest, DropsWhatHasNoRoom) {
  constexpr uint64_t kCapacity = 8 << 10;
  AccessBuffer buffer(&clock_, kCapacity, kNever, kNever);
  for (int i = 0; i < 10000; ++i) {
    Record(&buffer);
  }
  EXPECT_GT(buffer.recorded(), 0u);
  EXPECT_GT(buffer.dropped(), 0u);
  EXPECT_EQ(10000u, buffer.recorded() + buffer.dropped());
  EXPECT_LE(buffer.memory_bytes(), kCapacity);
  // Sealed accesses count until they are released.
  SealedAccesses sealed = buffer.Seal();
  EXPECT_EQ(sealed.memory_bytes, buffer.memory_bytes());
  EXPECT_EQ(buffer.recorded(), sealed.accesses);
  buffer.Release(std::move(sealed));
  EXPECT_EQ(0u, buffer.memory_bytes());
}

}  // namespace ROCKSDB_NAMESPACE::ralt
