//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/pick_gate.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "env/composite_env_wrapper.h"
#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "plugin/hotrap/test_util/timed_reads.h"
#include "rocksdb/hotrap.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class PickGateTest : public HotRapDBTestBase {
 public:
  PickGateTest() : HotRapDBTestBase("pick_gate_test") {}

 protected:
  static constexpr int kValueBytes = 1000;

  uint64_t Figure(const std::string& name) {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return std::stoull(stats[name]);
  }
  uint64_t RunningCompactions() {
    uint64_t value = 0;
    EXPECT_TRUE(
        db_->GetIntProperty(DB::Properties::kNumRunningCompactions, &value));
    return value;
  }
  // Less than the minute after which nothing is held back.
  void WaitFor(const std::function<bool()>& condition) {
    for (int i = 0; !condition(); i++) {
      ASSERT_LT(i, 20000);
      env_->SleepForMicroseconds(1000);
    }
  }
  // As many tables as start a compaction, which overlap.
  void FillL0(const Options& options, int keys, int value_bytes) {
    Random rnd(301);
    for (int i = 0; i < options.level0_file_num_compaction_trigger; i++) {
      for (int key = 0; key < keys; key++) {
        ASSERT_OK(Put(Key(key), rnd.RandomString(value_bytes)));
      }
      ASSERT_OK(Flush());
    }
  }
};

// It is picked once the other one has ended, though no version tells of it; or
// after a minute.
TEST_F(PickGateTest, ACompactionThatWouldWaitIsNotPicked) {
  const auto clock = std::make_shared<ReadClock>(env_->GetSystemClock());
  CompositeEnvWrapper env(env_, env_->GetFileSystem(), clock);
  Options options = HotRapOptionsForTest();
  options.env = &env;
  for (const bool ends : {true, false}) {
    DestroyAndReopen(options);
    FastLedger::Job job;
    job.output_bytes = uint64_t{1} << 40;
    auto other = std::make_unique<FastLedger::Reservation>(
        Tier()->sizes().ledger(), job);
    ASSERT_TRUE(other->TryBegin(/*regardless=*/true));
    ASSERT_NO_FATAL_FAILURE(FillL0(options, /*keys=*/2, /*value_bytes=*/1));
    ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
    EXPECT_EQ(options.level0_file_num_compaction_trigger,
              NumTableFilesAtLevel(0));
    EXPECT_EQ(0u, RunningCompactions());
    if (!ends) {
      clock->Advance(PickGate::kMostMicros * 1000);
      WaitFor([&] { return RunningCompactions() > 0; });
    }
    other.reset();
    WaitFor([&] { return NumTableFilesAtLevel(0) == 0; });
    Close();
  }
}

// A backup runs. What compactions replace stays, and fills the path until none
// is picked any more.
TEST_F(PickGateTest, NoneThatWouldFreeNothing) {
  Options options = HotRapOptionsForTest();
  DestroyAndReopen(options);
  ASSERT_OK(db_->DisableFileDeletions());
  for (int i = 0; NumTableFilesAtLevel(0) == 0; i++) {
    ASSERT_LT(i, 20);
    ASSERT_NO_FATAL_FAILURE(FillL0(options, /*keys=*/50, kValueBytes));
    ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
  }
  EXPECT_EQ(options.level0_file_num_compaction_trigger,
            NumTableFilesAtLevel(0));
  EXPECT_GT(Figure("fast_path_bytes"), Figure("fast_path_limit_bytes"));
  // The last compaction's output, and L0, came on top.
  EXPECT_LE(Figure("fast_path_bytes"),
            Figure("fast_path_limit_bytes") + 7 * 50 * kValueBytes);
  ASSERT_OK(db_->EnableFileDeletions());
  WaitFor([&] { return NumTableFilesAtLevel(0) == 0; });
}

// Where L0 would slow writes soon, it is compacted all the same.
TEST_F(PickGateTest, UnlessL0Presses) {
  Options options = HotRapOptionsForTest();
  options.level0_slowdown_writes_trigger =
      2 * options.level0_file_num_compaction_trigger;
  DestroyAndReopen(options);
  ASSERT_OK(db_->DisableFileDeletions());
  for (int i = 0; i < 20; i++) {
    ASSERT_NO_FATAL_FAILURE(FillL0(options, /*keys=*/50, kValueBytes));
    ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
    EXPECT_EQ(0, NumTableFilesAtLevel(0));
  }
  EXPECT_GT(Figure("fast_path_bytes"), Figure("fast_path_limit_bytes"));
  ASSERT_OK(db_->EnableFileDeletions());
}

}  // namespace ROCKSDB_NAMESPACE
