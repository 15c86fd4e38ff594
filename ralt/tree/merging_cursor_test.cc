//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/merging_cursor.h"

#include <map>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/run/run_test_util.h"

namespace ROCKSDB_NAMESPACE::ralt {

class MergingCursorTest : public RunTestBase {};

// Three levels, the deepest trimmed as during a running merge.
TEST_F(MergingCursorTest, FoldsLevels) {
  std::vector<std::vector<RunSlice>> levels(3);
  levels[0] = {{WriteRun(1, 0, 1000, 7), ""}, {WriteRun(2, 0, 1000, 5), ""}};
  levels[1] = {{WriteRun(3, 0, 300, 2), ""}, {WriteRun(4, 300, 1000, 2), ""}};
  levels[2] = {{WriteRun(5, 0, 1000, 3), Key(600)}};
  std::map<std::string, int> expected;
  for (uint64_t i = 0; i < 1000; ++i) {
    const int sources =
        (i % 7 == 0) + (i % 5 == 0) + (i % 2 == 0) + (i % 3 == 0 && i >= 600);
    if (sources > 0) {
      expected[Key(i)] = sources;
    }
  }
  const Scoring scoring(0.999, 5, 2.6);
  MergingCursor cursor(MakeLevelCursors(levels, 1, /*release_passed=*/false),
                       env_.order, scoring, kNow);
  auto next = expected.begin();
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next(), ++next) {
    ASSERT_NE(expected.end(), next);
    ASSERT_EQ(next->first, cursor.record().key.ToString());
    if (next->second > 1) {
      ASSERT_TRUE(cursor.record().repeated);
    }
  }
  ASSERT_OK(cursor.status());
  ASSERT_EQ(expected.end(), next);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
