//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/pick_gate.h"

#include <functional>
#include <memory>
#include <string>

#include "env/composite_env_wrapper.h"
#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "plugin/hotrap/test_util/timed_reads.h"

namespace ROCKSDB_NAMESPACE {

class PickGateTest : public HotRapDBTestBase {
 public:
  PickGateTest() : HotRapDBTestBase("pick_gate_test") {}
};

// It is picked once the other one has ended, though no version tells of it; or
// after a minute.
TEST_F(PickGateTest, ACompactionThatWouldWaitIsNotPicked) {
  const auto clock = std::make_shared<ReadClock>(env_->GetSystemClock());
  CompositeEnvWrapper env(env_, env_->GetFileSystem(), clock);
  Options options = HotRapOptionsForTest();
  options.env = &env;
  const auto figure = [&](const std::string& name) {
    std::string value;
    EXPECT_TRUE(db_->GetProperty(name, &value));
    return std::stoi(value);
  };
  const std::string files_in_l0 = DB::Properties::kNumFilesAtLevelPrefix + "0";
  const auto wait_for = [&](const std::function<bool()>& condition) {
    for (int i = 0; !condition(); i++) {
      ASSERT_LT(i, 60000);
      env_->SleepForMicroseconds(1000);
    }
  };
  for (const bool ends : {true, false}) {
    DestroyAndReopen(options);
    FastLedger::Job job;
    job.output_bytes = uint64_t{1} << 40;
    auto other = std::make_unique<FastLedger::Reservation>(
        Tier()->sizes().ledger(), job);
    ASSERT_TRUE(other->TryBegin(/*regardless=*/true));
    const int trigger = options.level0_file_num_compaction_trigger;
    for (int i = 0; i < trigger; i++) {
      ASSERT_OK(Put(Key(i), "a"));
      ASSERT_OK(Put(Key(100 + i), "b"));
      ASSERT_OK(Flush());
    }
    ASSERT_OK(db_->WaitForCompact(WaitForCompactOptions()));
    EXPECT_EQ(trigger, figure(files_in_l0));
    EXPECT_EQ(0, figure(DB::Properties::kNumRunningCompactions));
    if (!ends) {
      clock->Advance(PickGate::kMostMicros * 1000);
      wait_for(
          [&] { return figure(DB::Properties::kNumRunningCompactions) > 0; });
    }
    other.reset();
    wait_for([&] { return figure(files_in_l0) == 0; });
    Close();
  }
}

}  // namespace ROCKSDB_NAMESPACE
