//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_jobs.h"

#include <atomic>

#include "plugin/hotrap/test_util/hotrap_db_test_base.h"

namespace ROCKSDB_NAMESPACE {

class TierJobsTest : public HotRapDBTestBase {
 public:
  TierJobsTest() : HotRapDBTestBase("tier_jobs_test") {}
};

TEST_F(TierJobsTest, AJobRunsInEitherPool) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  TierJobs& jobs = Tier()->jobs();
  for (const auto pool :
       {TierJobs::Pool::kCompactions, TierJobs::Pool::kRalt}) {
    std::atomic<bool> may_end{false};
    std::atomic<bool> ended{false};
    jobs.Schedule(pool, [&] {
      while (!may_end) {
        env_->SleepForMicroseconds(100);
      }
      ended = true;
    });
    EXPECT_TRUE(jobs.busy());
    may_end = true;
    WaitForPromotionIdle();
    EXPECT_TRUE(ended);
    EXPECT_FALSE(jobs.stopped());
  }
}

// A job may schedule the next one before it ends.
TEST_F(TierJobsTest, JobsFollowEachOther) {
  DestroyAndReopen(HotRapOptionsForTest());
  TierJobs& jobs = Tier()->jobs();
  std::atomic<int> runs{0};
  std::function<void()> run = [&] {
    if (++runs < 10) {
      jobs.Schedule(TierJobs::Pool::kCompactions, run);
    }
  };
  jobs.Schedule(TierJobs::Pool::kCompactions, run);
  WaitForPromotionIdle();
  EXPECT_EQ(10, runs);
}

TEST_F(TierJobsTest, ClosingEndsWhatRunsAndDropsWhatWaits) {
  DestroyAndReopen(HotRapOptionsForTest());
  WaitForRalt();
  TierJobs& jobs = Tier()->jobs();
  std::atomic<bool> first_runs{false};
  std::atomic<bool> first_ended{false};
  std::atomic<bool> second_ran{false};
  // There is one thread.
  jobs.Schedule(TierJobs::Pool::kRalt, [&] {
    first_runs = true;
    while (!jobs.stopped()) {
      env_->SleepForMicroseconds(100);
    }
    first_ended = true;
  });
  jobs.Schedule(TierJobs::Pool::kRalt, [&] { second_ran = true; });
  while (!first_runs) {
    env_->SleepForMicroseconds(100);
  }
  Close();
  EXPECT_TRUE(first_ended);
  EXPECT_FALSE(second_ran);
}

}  // namespace ROCKSDB_NAMESPACE
