//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/retention_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ROCKSDB_NAMESPACE {

TEST(RetentionBudgetTest, NoMoreThanIsLeft) {
  RetentionBudget budget;
  EXPECT_FALSE(budget.TakeHot(1));
  EXPECT_FALSE(budget.TakePinned(1));
  budget.Set(100, 1000);
  EXPECT_TRUE(budget.TakeHot(60));
  // What does not fit takes nothing.
  EXPECT_FALSE(budget.TakeHot(41));
  EXPECT_TRUE(budget.TakeHot(40));
  EXPECT_FALSE(budget.TakeHot(1));
  EXPECT_TRUE(budget.TakeHot(0));
}

TEST(RetentionBudgetTest, WhatIsPinnedMayTakeAllRoom) {
  RetentionBudget budget;
  budget.Set(80, 100);
  EXPECT_TRUE(budget.TakePinned(50));
  EXPECT_FALSE(budget.TakeHot(51));
  EXPECT_TRUE(budget.TakeHot(30));
  EXPECT_TRUE(budget.TakePinned(20));
  EXPECT_FALSE(budget.TakePinned(1));
  EXPECT_FALSE(budget.TakeHot(1));
  // What found no room has not used up the share of what is hot.
  budget.Set(80, 10);
  EXPECT_FALSE(budget.TakeHot(20));
  EXPECT_TRUE(budget.TakeHot(10));
}

TEST(RetentionBudgetTest, SeveralSubcompactionsShareIt) {
  RetentionBudget budget;
  budget.Set(1000, 1000);
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; j++) {
        taken += budget.TakeHot(1) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(1000, taken);
}

}  // namespace ROCKSDB_NAMESPACE
