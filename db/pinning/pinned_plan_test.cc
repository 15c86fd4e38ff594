//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests which pinned ranges are in force when not all of them fit.

#include "plugin/hotrap/db/pinning/pinned_plan.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

namespace {

// Keys "a" to "z": ten bytes each in the slow tier, and tables that begin at
// every second one.
class PinnedPlanTest : public testing::Test {
 public:
  PinnedPlan Plan(const std::vector<RangeOfKeys>& wanted, uint64_t limit,
                  const KeyRangeSet& before) {
    return MakePinnedPlan(
        ucmp_, wanted, limit, before,
        [this](const RangeOfKeys& range) { return Measure(range); },
        [this](const RangeOfKeys& range) {
          std::vector<std::string> keys;
          for (char c = 'a'; c <= 'z'; c = static_cast<char>(c + 2)) {
            if (KeyRangeSet(ucmp_, {range}).Contains(std::string(1, c))) {
              keys.emplace_back(1, c);
            }
          }
          return keys;
        });
  }
  PinnedPlan Plan(const std::vector<RangeOfKeys>& wanted, uint64_t limit) {
    return Plan(wanted, limit, KeyRangeSet(ucmp_, wanted));
  }

 protected:
  TierBytes Measure(const RangeOfKeys& range) const {
    TierBytes bytes;
    for (char c = 'a'; c <= 'z'; c++) {
      if (KeyRangeSet(ucmp_, {range}).Contains(std::string(1, c))) {
        bytes.slow += slow_bytes_;
        bytes.fast += fast_bytes_;
      }
    }
    return bytes;
  }
  static RangeOfKeys Range(const std::string& begin, const std::string& end) {
    return {begin, end};
  }

  const Comparator* const ucmp_ = BytewiseComparator();
  uint64_t slow_bytes_ = 10;
  uint64_t fast_bytes_ = 0;
};

TEST_F(PinnedPlanTest, AllFits) {
  const std::vector<RangeOfKeys> wanted = {Range("a", "c"), Range("x", "z")};
  fast_bytes_ = 4;
  const PinnedPlan plan = Plan(wanted, 40);
  EXPECT_EQ(KeyRangeSet(ucmp_, wanted), plan.in_force);
  EXPECT_EQ(40u, plan.bytes.wanted);
  EXPECT_EQ(40u, plan.bytes.in_force);
  EXPECT_EQ(16u, plan.bytes.fast);
  EXPECT_EQ(40u, plan.bytes.limit);
}

TEST_F(PinnedPlanTest, TheFirstRangesComeFirst) {
  const PinnedPlan plan =
      Plan({Range("x", "z"), Range("a", "m"), Range("p", "q")}, 100);
  // 20 bytes, then 70 of 120, and nothing of the last one though it would fit.
  EXPECT_EQ(KeyRangeSet(ucmp_, {Range("x", "z"), Range("a", "g")}),
            plan.in_force);
  EXPECT_EQ(150u, plan.bytes.wanted);
  EXPECT_EQ(80u, plan.bytes.in_force);
}

TEST_F(PinnedPlanTest, NothingFits) {
  const PinnedPlan plan = Plan({Range("a", "c")}, 5);
  EXPECT_TRUE(plan.in_force.empty());
  EXPECT_EQ(20u, plan.bytes.wanted);
  EXPECT_EQ(0u, plan.bytes.in_force);
  EXPECT_TRUE(Plan({Range("a", "c")}, 0).in_force.empty());
}

// Each new cut moves records.
TEST_F(PinnedPlanTest, ACutStaysWhileItFits) {
  const std::vector<RangeOfKeys> wanted = {Range("a", "z")};
  const KeyRangeSet before(ucmp_, {Range("a", "k")});
  EXPECT_EQ(before, Plan(wanted, 100, before).in_force);
  EXPECT_EQ(before, Plan(wanted, 110, before).in_force);
  // Too little is used, or too much.
  EXPECT_FALSE(before == Plan(wanted, 150, before).in_force);
  EXPECT_FALSE(before == Plan(wanted, 99, before).in_force);
  // Copies and what is newer may take more than the originals.
  fast_bytes_ = 12;
  EXPECT_FALSE(before == Plan(wanted, 110, before).in_force);
  // Everything fits again.
  EXPECT_EQ(KeyRangeSet(ucmp_, wanted), Plan(wanted, 1000, before).in_force);
}

}  // namespace

}  // namespace ROCKSDB_NAMESPACE
