//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/output_room.h"

#include <atomic>
#include <memory>
#include <thread>

#include "env/composite_env_wrapper.h"
#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Counts the steps in which a compaction waits.
class StepClock : public SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "StepClock"; }
  void SleepForMicroseconds(int micros) override {
    steps.fetch_add(micros == 5000 ? 1 : 0);
    SystemClockWrapper::SleepForMicroseconds(micros);
  }
  std::atomic<int> steps{0};
};

}  // namespace

class OutputRoomTest : public HotRapDBTestBase {
 public:
  OutputRoomTest() : HotRapDBTestBase("output_room_test") {}
};

// Whoever drops a column family does not wait for what it would have got.
TEST_F(OutputRoomTest, NobodyWaitsForADroppedColumnFamily) {
  const auto clock = std::make_shared<StepClock>(env_->GetSystemClock());
  CompositeEnvWrapper env(env_, env_->GetFileSystem(), clock);
  Options options = HotRapOptionsForTest();
  options.env = &env;
  options.disable_auto_compactions = false;
  DestroyAndReopen(options);
  CreateColumnFamilies({"a"}, options);
  for (const char* value : {"1", "2"}) {
    ASSERT_OK(db_->Put(WriteOptions(), handles_[0], "key", value));
    ASSERT_OK(db_->Flush(FlushOptions(), handles_[0]));
  }
  FastLedger::Job job;
  job.output_bytes = uint64_t{1} << 40;
  FastLedger::Reservation other(Tier()->sizes().ledger(), job);
  ASSERT_TRUE(other.TryBegin(/*regardless=*/true));
  // A compaction that is asked for waits in its thread.
  std::thread compaction(
      [&] { CompactLevel(db_, handles_[0], 0, 1).PermitUncheckedError(); });
  while (clock->steps.load() == 0) {
    env_->SleepForMicroseconds(1000);
  }
  ASSERT_OK(db_->DropColumnFamily(handles_[0]));
  compaction.join();
  EXPECT_LT(clock->steps.load(), 6000);
  Close();
}

}  // namespace ROCKSDB_NAMESPACE
