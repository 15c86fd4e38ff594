//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/hotrap_crossing.h"

#include <gtest/gtest.h>

#include "db/compaction/compaction.h"

namespace ROCKSDB_NAMESPACE {

TEST(HotRapCrossingTest, TheRangeOfTheInputsDownToALevel) {
  const InternalKeyComparator icmp(BytewiseComparator());
  const auto file = [](const char* smallest, const char* largest) {
    FileMetaData meta;
    meta.smallest = InternalKey(smallest, 1, kTypeValue);
    meta.largest = InternalKey(largest, 1, kTypeValue);
    return meta;
  };
  FileMetaData c_d = file("c", "d");
  FileMetaData b_c = file("b", "c");
  FileMetaData e_f = file("e", "f");
  FileMetaData a_z = file("a", "z");
  std::vector<CompactionInputFiles> inputs(3);
  inputs[0].level = 0;
  inputs[0].files = {&c_d, &b_c};
  inputs[1].level = 1;
  inputs[1].files = {&e_f};
  inputs[2].level = 2;
  inputs[2].files = {&a_z};
  const auto range = [&](int last_level) {
    InternalKey smallest;
    InternalKey largest;
    HotRapCrossing::RangeDownTo(last_level, inputs, icmp, &smallest, &largest);
    return smallest.user_key().ToString() + largest.user_key().ToString();
  };
  EXPECT_EQ("bd", range(0));
  EXPECT_EQ("bf", range(1));
  EXPECT_EQ("az", range(2));
  EXPECT_EQ("az", range(6));
}

}  // namespace ROCKSDB_NAMESPACE
