//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/merge_job.h"

#include <memory>

#include "plugin/hotrap/ralt/run/run_test_util.h"

namespace ROCKSDB_NAMESPACE::ralt {

class MergeJobTest : public RunTestBase {
 protected:
  MergeJobTest() {
    context_.env = &env_;
    context_.scoring = &scoring_;
    context_.file_bytes = 2000;
    context_.new_file_number = [this] { return next_number_++; };
    context_.cancelled = [] { return false; };
    policy_.now = kNow;
    // Two runs of level 0, and a level of two files.
    before_.levels = {
        {{WriteRun(1, 0, 1000, 7), ""}, {WriteRun(2, 0, 1000, 5), ""}},
        {{WriteRun(3, 0, 300, 2), ""}, {WriteRun(4, 300, 1000, 2), ""}}};
  }

  static bool IsInput(uint64_t i) {
    return i % 7 == 0 || i % 5 == 0 || i % 2 == 0;
  }

  const Scoring scoring_{0.999, 5, 2.6};
  uint64_t next_number_ = 10;
  MergeContext context_;
  MergePolicy policy_;
  Version before_;
};

TEST_F(MergeJobTest, EveryKeyIsInEachVersionOnTheWay) {
  uint64_t keys = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    keys += IsInput(i) ? 1 : 0;
  }
  MergeJob job(context_, before_.levels, 1, policy_);
  Version version = before_;
  int steps = 0;
  while (!job.done()) {
    ASSERT_OK(job.Step());
    version = *job.Apply(version);
    ++steps;
    for (uint64_t i = 0; i < 1000; ++i) {
      if (IsInput(i)) {
        ASSERT_TRUE(
            version.IsTracked(Key(i), RunFilter::HashKey(Key(i)), env_.order))
            << i << " after step " << steps;
      }
    }
  }
  EXPECT_GT(steps, 2);
  EXPECT_TRUE(version.levels[0].empty());
  EXPECT_EQ(keys, version.LevelRecords(1));
  EXPECT_EQ(static_cast<size_t>(steps), version.levels[1].size());
  for (size_t i = 1; i < version.levels[1].size(); ++i) {
    EXPECT_TRUE(
        env_.order.Less(version.levels[1][i - 1].file->properties().largest,
                        version.levels[1][i].file->properties().smallest));
  }
}

// A flush during the merge.
TEST_F(MergeJobTest, RunsThatAreNoInputsStay) {
  MergeJob job(context_, before_.levels, 1, policy_);
  ASSERT_OK(job.Step());
  Version version = *job.Apply(before_);
  const auto flushed = WriteRun(5, 0, 10, 1);
  version.levels[0].insert(version.levels[0].begin(), {flushed, ""});
  while (!job.done()) {
    ASSERT_OK(job.Step());
    version = *job.Apply(version);
  }
  ASSERT_EQ(1u, version.levels[0].size());
  EXPECT_EQ(flushed, version.levels[0][0].file);
}

TEST_F(MergeJobTest, RecordsBelowTheThresholdAreDropped) {
  policy_.drop_threshold = Rank{true, 1e9f, 0};
  MergeJob job(context_, before_.levels, 1, policy_);
  ASSERT_OK(job.Step());
  EXPECT_TRUE(job.done());
  EXPECT_TRUE(job.Apply(before_)->empty());
}

}  // namespace ROCKSDB_NAMESPACE::ralt
