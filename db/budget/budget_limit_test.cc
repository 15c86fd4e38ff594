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
  EXPECT_EQ(10000u, opened.Update(10000, SomeNeeds(), 10000));
}

TEST(BudgetLimitTest, FullLevelsAreNotBraked) {
  const BudgetLimit::Needs needs = SomeNeeds();
  BudgetLimit limit;
  WriteBrake::Input in;
  in.limit_bytes = limit.Update(100, needs, 0);
  in.ramp_bytes = limit.ramp();
  EXPECT_EQ(needs.Least(), in.limit_bytes);
  in.held_bytes = needs.targets + needs.ralt + needs.memtables;
  in.next_compaction_bytes = needs.compaction;
  const WriteBrake::Decision decision = WriteBrake::Decide(in);
  EXPECT_EQ(WriteBrake::State::kFree, decision.state);
  EXPECT_TRUE(decision.promotes);
  EXPECT_EQ(WriteBrake::kMostRetained, decision.most_retained);
}

// As with 100 GiB, of which levels leave a fiftieth.
TEST(BudgetLimitTest, TheRampIsShorterBeforeTheLimitIsHigher) {
  BudgetLimit::Needs needs;
  needs.targets = 97500;
  needs.memtables = 125;
  needs.compaction = 500;
  BudgetLimit limit;
  EXPECT_EQ(100000u, limit.Update(100000, needs, 0));
  EXPECT_EQ((100000 - needs.Full()) / 2, limit.ramp());
  // To some point.
  needs.targets = 99000;
  EXPECT_EQ(needs.Full() + 2 * (needs.Full() / 256),
            limit.Update(100000, needs, 0));
  EXPECT_EQ(needs.Full() / 256, limit.ramp());
  needs.memtables = 1000;
  limit.Update(100000, needs, 0);
  EXPECT_EQ(1000u, limit.ramp());
  needs.memtables = 10000;
  limit.Update(100000, needs, 0);
  EXPECT_EQ(needs.Full() / (WriteBrake::kRampDivisor - 2), limit.ramp());
}

TEST(BudgetLimitTest, SinksWithWhatWasThere) {
  const BudgetLimit::Needs needs = SomeNeeds();
  const uint64_t room = 2 * needs.memtables + 4 * needs.compaction +
                        2 * (10000 / WriteBrake::kRampDivisor);
  BudgetLimit limit;
  // Opened with more than the budget.
  EXPECT_EQ(40000 + room, limit.Update(10000, needs, 40000));
  EXPECT_EQ(30000 + room, limit.Update(10000, needs, 30000));
  // It does not come back.
  EXPECT_EQ(30000 + room, limit.Update(10000, needs, 31000));
  // L0 goes up and down, and writes go on at full speed.
  WriteBrake::Input in;
  in.limit_bytes = 30000 + room;
  in.ramp_bytes = limit.ramp();
  in.held_bytes = 30000;
  in.next_compaction_bytes = 2 * needs.compaction;
  EXPECT_EQ(WriteBrake::State::kFree, WriteBrake::Decide(in).state);

  // The room goes at the end.
  EXPECT_EQ(10009u, limit.Update(10000, needs, 10001));
  EXPECT_EQ(10000u, limit.Update(10000, needs, 10000));
  EXPECT_EQ(10000u, limit.Update(10000, needs, 40000));
}

// As where HotRAP is switched on in a DB that had one disk.
TEST(BudgetLimitTest, AHundredBudgetsAreNotBraked) {
  for (const bool misplaced : {false, true}) {
    BudgetLimit::Needs needs = SomeNeeds();
    needs.others = misplaced ? 1000000 : 0;
    BudgetLimit limit;
    WriteBrake::Input in;
    in.held_bytes = 1000000 + needs.targets;
    in.limit_bytes = limit.Update(10000, needs, in.held_bytes);
    in.ramp_bytes = limit.ramp();
    in.next_compaction_bytes = needs.compaction;
    const WriteBrake::Decision decision = WriteBrake::Decide(in);
    EXPECT_EQ(WriteBrake::State::kFree, decision.state);
    EXPECT_TRUE(decision.promotes);
    EXPECT_LT(in.limit_bytes, in.held_bytes + 10000);
  }
}

TEST(BudgetLimitTest, FollowsABudgetUpAndDown) {
  const BudgetLimit::Needs needs = SomeNeeds();
  BudgetLimit limit;
  EXPECT_EQ(10000u, limit.Update(10000, needs, 8000));
  EXPECT_EQ(40000u, limit.Update(40000, needs, 8000));
  // Down again with the levels full: no brake at once.
  EXPECT_GT(limit.Update(10000, needs, 36000), 38000u);
}

}  // namespace ROCKSDB_NAMESPACE
