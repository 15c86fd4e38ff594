//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/target_easing.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

using Bytes = std::vector<uint64_t>;

TEST(TargetEasingTest, NothingToDoWhereLevelsFit) {
  const Bytes wanted = {50, 100, 300, 3000};
  EXPECT_EQ(wanted, TargetsInForce(wanted, nullptr, {500, 90, 309, 0}, 10));
  EXPECT_EQ(wanted, TargetsInForce(wanted, &wanted, {500, 900, 3090, 0}, 10));
}

TEST(TargetEasingTest, SinksWithTheLevel) {
  const Bytes wanted = {50, 100, 300, 3000};
  Bytes targets = TargetsInForce(wanted, nullptr, {0, 100, 400, 1000}, 10);
  EXPECT_EQ(Bytes({50, 100, 390, 3000}), targets);
  // Growth counts as debt.
  targets = TargetsInForce(wanted, &targets, {0, 100, 420, 1000}, 10);
  EXPECT_EQ(Bytes({50, 100, 390, 3000}), targets);
  targets = TargetsInForce(wanted, &targets, {0, 100, 360, 1000}, 10);
  EXPECT_EQ(Bytes({50, 100, 350, 3000}), targets);
  targets = TargetsInForce(wanted, &targets, {0, 100, 305, 1000}, 10);
  EXPECT_EQ(wanted, targets);
  targets = TargetsInForce(wanted, &targets, {0, 100, 400, 1000}, 10);
  EXPECT_EQ(wanted, targets);
}

TEST(TargetEasingTest, NewOptionsForgiveNoOldDebt) {
  // The level was 50 too large before; the target falls by 200.
  const Bytes before = {50, 100, 500, 5000};
  EXPECT_EQ(Bytes({50, 100, 500, 3000}),
            TargetsInForce({50, 100, 300, 3000}, &before, {0, 0, 550, 0}, 10));
}

TEST(TargetEasingTest, TheLastLevelKeepsItsTarget) {
  EXPECT_EQ(Bytes({50, 100, 300}),
            TargetsInForce({50, 100, 300}, nullptr, {0, 0, 900}, 10));
}

TEST(TargetEasingTest, TargetsAscend) {
  EXPECT_EQ(
      Bytes({50, 100, 390, 390, 400}),
      TargetsInForce({50, 100, 200, 300, 400}, nullptr, {0, 0, 400, 1, 1}, 10));
}

}  // namespace ROCKSDB_NAMESPACE
