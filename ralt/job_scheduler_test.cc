//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/job_scheduler.h"

#include <atomic>
#include <memory>

#include "gtest/gtest.h"
#include "plugin/hotrap/ralt/access/access_clock.h"
#include "rocksdb/system_clock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
class ManualClock : public SystemClockWrapper {
 public:
  ManualClock() : SystemClockWrapper(SystemClock::Default()) {}
  const char* Name() const override { return "ManualClock"; }
  uint64_t NowNanos() override { return secs.load() * 1000000000; }

  std::atomic<uint64_t> secs{1};
};
}  // namespace

class JobSchedulerTest : public testing::Test {
 protected:
  JobSchedulerTest() {
    options_.clock = &clock_;
    options_.retry_after_error_secs = 10;
  }
  ~JobSchedulerTest() override { scheduler_.Stop(); }

  Status Run() {
    ++jobs_;
    if (fails_.load()) {
      return Status::IOError("as the test wants");
    }
    scheduler_.ServeFlush(scheduler_.RequestedFlush());
    return Status::OK();
  }

  ManualClock clock_;
  RaltOptions options_;
  AccessClock access_clock_{1, 1 << 20};
  AccessBuffer buffer_{&access_clock_, 1 << 20, 1 << 20,
                       /*seal_accessed_bytes=*/1};
  std::atomic<bool> fails_{false};
  std::atomic<int> jobs_{0};
  JobScheduler scheduler_{options_, &buffer_, [this] { return Run(); }};
};

TEST_F(JobSchedulerTest, OneJobAfterTheStart) {
  scheduler_.Start(Status::OK());
  EXPECT_TRUE(scheduler_.WaitForIdle().ok());
  EXPECT_EQ(1, jobs_);
  scheduler_.ScheduleIfDue();
  EXPECT_TRUE(scheduler_.WaitForIdle().ok());
  EXPECT_EQ(1, jobs_);
}

TEST_F(JobSchedulerTest, AJobForEachFlush) {
  scheduler_.Start(Status::OK());
  EXPECT_TRUE(scheduler_.WaitForIdle().ok());
  EXPECT_TRUE(scheduler_.Flush().ok());
  EXPECT_TRUE(scheduler_.Flush().ok());
  EXPECT_TRUE(scheduler_.WaitForIdle().ok());
  EXPECT_EQ(3, jobs_);
}

TEST_F(JobSchedulerTest, AnErrorPauses) {
  fails_ = true;
  scheduler_.Start(Status::OK());
  EXPECT_TRUE(scheduler_.WaitForIdle().IsIOError());
  EXPECT_TRUE(scheduler_.BackgroundError().IsIOError());
  EXPECT_TRUE(scheduler_.paused());
  EXPECT_TRUE(scheduler_.Flush().IsIOError());
  EXPECT_EQ(1, jobs_);
  buffer_.Record("key", 1, /*weight=*/1, /*fast=*/false);
  EXPECT_EQ(1u, buffer_.dropped());

  fails_ = false;
  clock_.secs += options_.retry_after_error_secs - 1;
  scheduler_.MaybeResume();
  EXPECT_TRUE(scheduler_.paused());
  ++clock_.secs;
  scheduler_.MaybeResume();
  EXPECT_FALSE(scheduler_.paused());
  EXPECT_TRUE(scheduler_.WaitForIdle().ok());
  EXPECT_EQ(2, jobs_);
  RaltStats stats;
  scheduler_.AddTo(&stats);
  EXPECT_EQ(1u, stats.background_errors);
  EXPECT_FALSE(stats.paused);
}

TEST_F(JobSchedulerTest, AnErrorAtTheStartPauses) {
  scheduler_.Start(Status::IOError("no folder"));
  EXPECT_TRUE(scheduler_.WaitForIdle().IsIOError());
  EXPECT_EQ(0, jobs_);
  clock_.secs += options_.retry_after_error_secs;
  scheduler_.MaybeResume();
  EXPECT_TRUE(scheduler_.WaitForIdle().ok());
  EXPECT_EQ(1, jobs_);
}

TEST_F(JobSchedulerTest, NoJobOnceCancelled) {
  scheduler_.Cancel();
  scheduler_.Start(Status::OK());
  EXPECT_TRUE(scheduler_.Flush().IsShutdownInProgress());
  EXPECT_TRUE(scheduler_.WaitForIdle().ok());
  EXPECT_EQ(0, jobs_);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
