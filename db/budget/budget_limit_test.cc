//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/budget_limit.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

namespace {

BudgetLimit::Needs SomeNeeds() {
  BudgetLimit::Needs needs;
  needs.targets = 6000;
  needs.ralt = 1500;
  needs.memtables = 128;
  needs.compaction = 500;
  return needs;
}

}  // namespace

TEST(BudgetLimitTest, TheBudgetIfItIsEnough) {
  BudgetLimit limit;
  EXPECT_EQ(10000u, limit.Update(10000, SomeNeeds(), 0, 0));
  EXPECT_EQ(10000u, limit.Update(10000, SomeNeeds(), 9000, 500));
  // What comes on top does not raise it.
  EXPECT_EQ(10000u, limit.Update(10000, SomeNeeds(), 30000, 500));
}

TEST(BudgetLimitTest, FullLevelsAreNotBraked) {
  const BudgetLimit::Needs needs = SomeNeeds();
  BudgetLimit limit;
  WriteBrake::Input in;
  in.limit_bytes = limit.Update(100, needs, 0, 0);
  EXPECT_EQ(needs.Least(), in.limit_bytes);
  in.held_bytes = needs.targets + needs.ralt + needs.memtables;
  in.next_compaction_bytes = needs.compaction;
  const WriteBrake::Decision decision = WriteBrake::Decide(in);
  EXPECT_EQ(WriteBrake::State::kFree, decision.state);
  EXPECT_TRUE(decision.promotes);
  EXPECT_EQ(WriteBrake::kMostRetained, decision.most_retained);
}

TEST(BudgetLimitTest, SinksWithWhatWasThere) {
  const BudgetLimit::Needs needs = SomeNeeds();
  const uint64_t slack = needs.Slack(500);
  BudgetLimit limit;
  // Opened with more than the budget.
  EXPECT_EQ(40000 + slack, limit.Update(10000, needs, 40000, 500));
  EXPECT_EQ(30000 + slack, limit.Update(10000, needs, 30000, 500));
  // It does not come back.
  EXPECT_EQ(30000 + slack, limit.Update(10000, needs, 35000, 500));
  EXPECT_EQ(10000u, limit.Update(10000, needs, 2000, 500));
  EXPECT_EQ(10000u, limit.Update(10000, needs, 30000, 500));
}

TEST(BudgetLimitTest, FollowsABudgetUpAndDown) {
  BudgetLimit limit;
  EXPECT_EQ(10000u, limit.Update(10000, SomeNeeds(), 8000, 500));
  EXPECT_EQ(40000u, limit.Update(40000, SomeNeeds(), 8000, 500));
  // Down again with the levels full: no brake at once.
  const uint64_t lowered = limit.Update(10000, SomeNeeds(), 36000, 500);
  EXPECT_EQ(36000 + SomeNeeds().Slack(500), lowered);
}

}  // namespace ROCKSDB_NAMESPACE
