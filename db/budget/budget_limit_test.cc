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
  EXPECT_EQ(10000u, limit.Update(10000, SomeNeeds(), 0));
  EXPECT_EQ(10000u, limit.Update(10000, SomeNeeds(), 9000));
  // What comes on top does not raise it.
  EXPECT_EQ(10000u, limit.Update(10000, SomeNeeds(), 30000));
  // Nor does a DB that is opened with full levels.
  BudgetLimit opened;
  EXPECT_EQ(10000u, opened.Update(10000, SomeNeeds(), SomeNeeds().Full()));
}

TEST(BudgetLimitTest, FullLevelsAreNotBraked) {
  const BudgetLimit::Needs needs = SomeNeeds();
  BudgetLimit limit;
  WriteBrake::Input in;
  in.limit_bytes = limit.Update(100, needs, 0);
  EXPECT_EQ(needs.Least(), in.limit_bytes);
  in.held_bytes = needs.Full();
  in.next_compaction_bytes = needs.compaction;
  const WriteBrake::Decision decision = WriteBrake::Decide(in);
  EXPECT_EQ(WriteBrake::State::kFree, decision.state);
  EXPECT_TRUE(decision.promotes);
  EXPECT_EQ(WriteBrake::kMostRetained, decision.most_retained);
}

TEST(BudgetLimitTest, SinksWithWhatWasThere) {
  const BudgetLimit::Needs needs = SomeNeeds();
  const uint64_t slack = needs.memtables + 3 * needs.compaction;
  BudgetLimit limit;
  // Opened with more than the budget.
  const uint64_t high = needs.Full() + 30000;
  EXPECT_EQ(40000 + slack, limit.Update(10000, needs, high));
  EXPECT_EQ(30000 + slack, limit.Update(10000, needs, high - 10000));
  // It does not come back.
  EXPECT_EQ(30000 + slack, limit.Update(10000, needs, high - 5000));
  // L0 goes up and down, and writes go on at full speed.
  WriteBrake::Input in;
  in.limit_bytes = 30000 + slack;
  in.held_bytes = high - 10000 + needs.compaction;
  in.next_compaction_bytes = 2 * needs.compaction;
  EXPECT_EQ(WriteBrake::State::kFree, WriteBrake::Decide(in).state);

  EXPECT_EQ(10000u, limit.Update(10000, needs, needs.Full()));
  EXPECT_EQ(10000u, limit.Update(10000, needs, high));
}

TEST(BudgetLimitTest, FollowsABudgetUpAndDown) {
  const BudgetLimit::Needs needs = SomeNeeds();
  BudgetLimit limit;
  EXPECT_EQ(10000u, limit.Update(10000, needs, 8000));
  EXPECT_EQ(40000u, limit.Update(40000, needs, 8000));
  // Down again with the levels full: no brake at once.
  EXPECT_EQ(10000 + 36000 - needs.Full() + needs.memtables +
                3 * needs.compaction,
            limit.Update(10000, needs, 36000));
}

}  // namespace ROCKSDB_NAMESPACE
