//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/thread_switches.h"

#include "gtest/gtest.h"
#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {

TEST(ThreadSwitchesTest, WhatHadTheCpu) {
  constexpr uint64_t kLong = ThreadSwitches::kMostWithoutWait + 1;
  const ThreadSwitches before = {3, 5, true};
  EXPECT_TRUE(ThreadSwitches(before).HadTheCpuSince(before, kLong - 1));
  EXPECT_FALSE(ThreadSwitches(before).HadTheCpuSince(before, kLong));
  const ThreadSwitches waited = {3, 6, true};
  EXPECT_TRUE(waited.WaitedSince(before));
  EXPECT_TRUE(waited.HadTheCpuSince(before, kLong));
  const ThreadSwitches preempted = {4, 6, true};
  EXPECT_FALSE(preempted.HadTheCpuSince(before, 1));
  EXPECT_FALSE(ThreadSwitches(before).WaitedSince(before));
  const ThreadSwitches unknown;
  EXPECT_TRUE(unknown.WaitedSince(unknown));
  EXPECT_TRUE(unknown.HadTheCpuSince(unknown, kLong));
}

#ifdef OS_LINUX
TEST(ThreadSwitchesTest, AThreadThatSleepsWaits) {
  const ThreadSwitches before = ThreadSwitches::OfThisThread();
  EXPECT_TRUE(before.known);
  Env::Default()->SleepForMicroseconds(1000);
  EXPECT_TRUE(ThreadSwitches::OfThisThread().WaitedSince(before));
}
#endif

}  // namespace ROCKSDB_NAMESPACE
