//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/relocation/relocation_picker.h"

#include <gtest/gtest.h>

namespace ROCKSDB_NAMESPACE {

namespace {
std::vector<uint64_t> Numbers(const std::vector<RelocationTable>& tables,
                              uint64_t room_bytes) {
  std::vector<uint64_t> numbers;
  for (const RelocationTable& table :
       PickRelocations(tables, /*first_slow_level=*/2, room_bytes)) {
    numbers.push_back(table.number);
  }
  return numbers;
}
using FileNumbers = std::vector<uint64_t>;
}  // namespace

// number, level, path, bytes, reads
TEST(RelocationPickerTest, TheLevelSaysTheTier) {
  const std::vector<RelocationTable> tables = {
      {1, 0, 0, 10, 0}, {2, 1, 0, 10, 0}, {3, 2, 0, 10, 0}, {4, 3, 0, 10, 0},
      {5, 0, 1, 10, 0}, {6, 1, 1, 10, 0}, {7, 2, 1, 10, 0}, {8, 3, 1, 10, 0},
      {9, 1, 2, 10, 0}, {10, 2, 2, 10, 0}};
  ASSERT_EQ((FileNumbers{4, 3, 5, 6, 9}), Numbers(tables, 1000));
  ASSERT_TRUE(Numbers({}, 1000).empty());
}

TEST(RelocationPickerTest, DownBeforeUp) {
  ASSERT_EQ((FileNumbers{2, 1}),
            Numbers({{1, 1, 1, 10, 99}, {2, 2, 0, 10, 50}}, 10));
}

TEST(RelocationPickerTest, UpGoesTheMostReadThenTheUpperLevel) {
  ASSERT_EQ((FileNumbers{3, 2, 1, 4}), Numbers({{1, 1, 1, 10, 0},
                                                {2, 0, 1, 10, 0},
                                                {3, 1, 1, 10, 7},
                                                {4, 1, 1, 9, 0}},
                                               10));
}

TEST(RelocationPickerTest, DownGoesTheLeastReadThenTheDeepest) {
  ASSERT_EQ((FileNumbers{2, 1, 4, 3}), Numbers({{1, 2, 0, 10, 0},
                                                {2, 3, 0, 10, 0},
                                                {3, 2, 0, 10, 7},
                                                {4, 2, 0, 9, 0}},
                                               0));
}

TEST(RelocationPickerTest, UpGoesOnlyWhatFits) {
  ASSERT_EQ((FileNumbers{2}),
            Numbers({{1, 1, 1, 11, 9}, {2, 1, 1, 10, 0}}, 10));
  ASSERT_EQ((FileNumbers{3}), Numbers({{1, 1, 1, 1, 9}, {3, 2, 0, 100, 0}}, 0));
}

}  // namespace ROCKSDB_NAMESPACE
