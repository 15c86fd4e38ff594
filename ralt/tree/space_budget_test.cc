//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/space_budget.h"

#include "gtest/gtest.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// The share of a flush is 100.
constexpr uint64_t kLimit = 800;

SpaceUse Use(uint64_t total_bytes, uint64_t merge_bytes) {
  SpaceUse use;
  use.total_bytes = total_bytes;
  use.merge_bytes = merge_bytes;
  return use;
}

struct Case {
  uint64_t total_bytes;
  uint64_t merge_bytes;
  bool is_short;
  uint64_t room_bytes;
};

const Case kCases[] = {
    {0, 0, false, 300},      // all but the next flush's share, for two copies
    {300, 100, false, 100},  // twice the share is left
    {500, 100, false, 100},
    {500, 101, true, 99},  // a copy and a run of less
                           // than the share
    {600, 100, true, 50},
    {700, 100, true, 0},
    {900, 900, true, 0},
};
}  // namespace

TEST(SpaceBudgetTest, RoomBesideFilesAndTheirMerge) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.total_bytes + c.merge_bytes);
    const SpaceUse use = Use(c.total_bytes, c.merge_bytes);
    EXPECT_EQ(c.is_short, SpaceBudget::IsShort(use, kLimit));
    EXPECT_EQ(c.room_bytes, SpaceBudget().RoomForFlush(use, kLimit));
    EXPECT_FALSE(SpaceBudget().FlushMustWait(use, kLimit));
  }
}

// While files change places, their sum at the beginning counts, and what is
// flushed counts twice: the next merge needs a copy of it.
TEST(SpaceBudgetTest, AMergeKeepsItsRoom) {
  SpaceBudget budget;
  budget.BeginMerge(Use(400, 100));
  EXPECT_EQ(100u, budget.RoomForFlush(Use(100, 0), kLimit));
  EXPECT_FALSE(budget.FlushMustWait(Use(100, 0), kLimit));
  budget.NoteFlush(75);
  EXPECT_EQ(75u, budget.RoomForFlush(Use(100, 0), kLimit));
  EXPECT_TRUE(budget.FlushMustWait(Use(100, 0), kLimit));
  budget.EndMerge();
  EXPECT_EQ(250u, budget.RoomForFlush(Use(100, 0), kLimit));
  // Outside a merge only merges count what is flushed.
  budget.NoteFlush(75);
  EXPECT_EQ(250u, budget.RoomForFlush(Use(100, 0), kLimit));
}

}  // namespace ROCKSDB_NAMESPACE::ralt
