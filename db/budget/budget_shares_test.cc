//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/budget_shares.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

using Shares = std::vector<uint64_t>;

TEST(BudgetSharesTest, OneGetsAll) {
  EXPECT_EQ(Shares({1000}), ShareBudget(1000, {{100, 200, 0}}));
  EXPECT_EQ(Shares(), ShareBudget(1000, {}));
}

TEST(BudgetSharesTest, InProportionToUse) {
  // 100 each first, then 800 as 3 to 1.
  EXPECT_EQ(Shares({700, 300}),
            ShareBudget(1000, {{100, 9999, 30}, {100, 9999, 10}}));
  // Nobody was used yet.
  EXPECT_EQ(Shares({500, 500}),
            ShareBudget(1000, {{100, 9999, 0}, {100, 9999, 0}}));
}

TEST(BudgetSharesTest, TheUnusedGetALittle) {
  const Shares shares =
      ShareBudget(10000, {{100, 99999, 6400}, {100, 99999, 0}});
  EXPECT_EQ(10000u, shares[0] + shares[1] + 1);
  EXPECT_GT(shares[1], 200u);
  EXPECT_LT(shares[1], 300u);
}

TEST(BudgetSharesTest, NoMoreThanThereIs) {
  // The first one is small, however much it is read.
  EXPECT_EQ(Shares({200, 800}),
            ShareBudget(1000, {{100, 200, 1000}, {100, 9999, 10}}));
  EXPECT_EQ(
      Shares({200, 300, 500}),
      ShareBudget(1000, {{100, 200, 100}, {100, 300, 50}, {100, 9999, 9}}));
  // All are small: nothing is left over.
  EXPECT_EQ(Shares({500, 500}),
            ShareBudget(1000, {{100, 150, 7}, {100, 150, 7}}));
}

TEST(BudgetSharesTest, LessThanTheLeast) {
  EXPECT_EQ(Shares({250, 750}),
            ShareBudget(1000, {{1000, 9999, 5}, {3000, 9999, 5}}));
  EXPECT_EQ(Shares({0, 0}), ShareBudget(0, {{1000, 1000, 5}, {1000, 1000, 5}}));
}

TEST(BudgetSharesTest, NothingForThoseThatNeedNothing) {
  EXPECT_EQ(Shares({0, 0}), ShareBudget(0, {{0, 0, 0}, {0, 100, 1}}));
}

TEST(BudgetSharesTest, AWholeIsGivenAway) {
  for (uint64_t total = 1000; total < 100000; total += 777) {
    const Shares shares = ShareBudget(total, {{10, 5000, 3},
                                              {10, 100, 90},
                                              {10, 90000, 1},
                                              {10, 10, 50},
                                              {10, 0, 0}});
    uint64_t sum = 0;
    for (const uint64_t share : shares) {
      sum += share;
    }
    EXPECT_LE(sum, total);
    EXPECT_GE(sum + 20, total);
  }
}

TEST(BudgetSharesTest, ALeastThatWasAskedFor) {
  EXPECT_EQ(200u, ClaimOf(0, 100, 5000, 1).least_bytes);
  EXPECT_EQ(5200u, ClaimOf(0, 100, 5000, 1).most_bytes);
  EXPECT_EQ(700u, ClaimOf(700, 100, 5000, 1).least_bytes);
  EXPECT_EQ(50u, ClaimOf(50, 100, 5000, 1).least_bytes);
  // Nobody reads the first.
  const std::vector<uint64_t> shares =
      ShareBudget(1000, {ClaimOf(600, 100, 5000, 0), ClaimOf(0, 100, 5000, 9)});
  EXPECT_GE(shares[0], 600u);
  EXPECT_GE(shares[1], 200u + 190u);
}

}  // namespace ROCKSDB_NAMESPACE
