//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests when a Ralt merges its level 0, and that merges do not disturb other
// work.

#include <algorithm>
#include <utility>

#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RaltMergeTest : public RaltTestBase {};

TEST_F(RaltMergeTest, KnownKeysAreMergedLessOftenThanNewOnes) {
  options_.fast_budget_bytes = 64 << 20;
  options_.seal_accessed_bytes = 100 * kValueBytes;
  Open();
  MakeHot(0, 1000);
  RaltStats before = ralt_->GetStats();
  const auto flush_and_merge = [&](uint64_t step) {
    for (uint64_t round = 0; round < 40; ++round) {
      Access(round * step, round * step + 200);
      EXPECT_OK(ralt_->WaitForIdle());
    }
    const RaltStats after = ralt_->GetStats();
    const uint64_t flushes = after.flushes - before.flushes;
    const uint64_t merges = after.merges - before.merges;
    before = after;
    EXPECT_GE(flushes, 40u);
    EXPECT_GT(merges, 0u);
    return std::make_pair(flushes, merges);
  };
  const auto known = flush_and_merge(0);
  EXPECT_LE(3 * known.second, known.first);
  const auto unknown = flush_and_merge(1000);
  EXPECT_GE(2 * unknown.second, unknown.first);
}

// Whatever a job has flushed before the close, the rest is flushed by the
// close, and the runs are merged later.
TEST_F(RaltMergeTest, RunsOfAClosedRaltAreMergedAtTheNextFlush) {
  for (int i = 0; i < 50; ++i) {
    ralt_.reset();
    ASSERT_OK(Ralt::Destroy(path_, env_->GetFileSystem().get()));
    Open();
    Access(0, 100);
    Access(0, 100);
    Open();
    Access(100, 101);
    ASSERT_OK(ralt_->Flush());
    ASSERT_EQ(100u, CountHot(0, 100)) << ralt_->GetStats().ToString();
  }
}

// Accesses that a job has sealed are no longer in the buffers for the close,
// which comes while the job runs, in most rounds.
TEST_F(RaltMergeTest, FlushesAreNotCutShortByACloseAtAnyMoment) {
  constexpr uint64_t kKeys = 5000;
  options_.fast_budget_bytes = 64 << 20;
  options_.seal_accessed_bytes = 2 * kKeys * kValueBytes;
  for (int i = 0; i < 20; ++i) {
    ralt_.reset();
    ASSERT_OK(Ralt::Destroy(path_, env_->GetFileSystem().get()));
    Open();
    Access(0, kKeys);
    Access(0, kKeys);
    Env::Default()->SleepForMicroseconds(50 * i);
    Open();
    Access(kKeys, kKeys + 1);
    ASSERT_OK(ralt_->Flush());
    ASSERT_EQ(kKeys, CountHot(0, kKeys)) << ralt_->GetStats().ToString();
  }
}

TEST_F(RaltMergeTest, KeysOfANewHotSetAreMergedAtOnce) {
  options_.fast_budget_bytes = 64 << 20;
  options_.seal_accessed_bytes = 100 * kValueBytes;
  Open();
  MakeHot(0, 1000);
  const auto merges_after = [this](uint64_t begin) {
    Access(begin, begin + 200);
    EXPECT_OK(ralt_->WaitForIdle());
    return ralt_->GetStats().merges;
  };
  // Until RALT knows that no key is new, and no run waits.
  uint64_t merges = merges_after(0);
  for (int changes = 0; changes < 3;) {
    const uint64_t now = merges_after(0);
    changes += now > merges ? 1 : 0;
    merges = now;
  }
  EXPECT_EQ(merges, merges_after(0));
  EXPECT_LT(merges, merges_after(5000));
}

// Tests while a hot set is learned.
class RaltMergeAtOnceTest : public RaltMergeTest {
 protected:
  void OpenLearning() {
    options_.fast_budget_bytes = 64 << 20;
    options_.seal_accessed_bytes = 100 * kValueBytes;
    Open();
    ralt_->SetLearning(true);
  }

  // Returns the merges per flush with accesses to keys below `end`, a share of
  // which goes to the slow tier. Accesses come in small steps, so that all
  // flushed runs are small.
  double MergesAFlush(uint64_t end, double slow_share) {
    const RaltStats before = ralt_->GetStats();
    for (uint64_t i = 0; i < end; ++i) {
      const bool fast = static_cast<double>(i % 100) >= 100 * slow_share;
      ralt_->RecordAccess(Key(i), kValueBytes, /*weight=*/1, fast);
      if (i % 20 == 19) {
        EXPECT_OK(ralt_->WaitForIdle());
      }
    }
    const RaltStats after = ralt_->GetStats();
    EXPECT_GT(after.flushes, before.flushes + 8);
    return static_cast<double>(after.merges - before.merges) /
           static_cast<double>(after.flushes - before.flushes);
  }
};

TEST_F(RaltMergeAtOnceTest, SmallRunsWaitForOthersBeforeALargeLevel) {
  OpenLearning();
  EXPECT_GT(MergesAFlush(1600, /*slow_share=*/1), 0.9);
  MergesAFlush(30000, /*slow_share=*/1);
  EXPECT_LT(MergesAFlush(1600, /*slow_share=*/1), 0.3);
}

// This holds as long as the hit rate is below 0.9.
TEST_F(RaltMergeAtOnceTest, FewAccessesOnTheSlowTierAreEnough) {
  OpenLearning();
  EXPECT_GT(MergesAFlush(1600, /*slow_share=*/0.12), 0.9);
  EXPECT_LT(MergesAFlush(3200, /*slow_share=*/0.01), 0.3);
}

TEST_F(RaltMergeAtOnceTest, AccessesOnTheFastTierWaitForOthers) {
  OpenLearning();
  EXPECT_GT(MergesAFlush(1600, /*slow_share=*/1), 0.9);
  EXPECT_LT(MergesAFlush(1600, /*slow_share=*/0), 0.3);
  EXPECT_GT(MergesAFlush(1600, /*slow_share=*/1), 0.7);
}

#ifndef NDEBUG
// A close that comes just before the job seals the buffers.
TEST_F(RaltMergeTest, AFlushIsNotCutShortByAClose) {
  options_.fast_budget_bytes = 64 << 20;
  options_.seal_accessed_bytes = 64 << 20;
  Open();
  Access(0, 5000);
  Access(0, 5000);
  SyncPoint::GetInstance()->SetCallBack("BufferFlusher::Flush",
                                        [&](void*) { ralt_->CancelWork(); });
  SyncPoint::GetInstance()->EnableProcessing();
  ralt_->Flush().PermitUncheckedError();
  SyncPoint::GetInstance()->DisableProcessing();
  SyncPoint::GetInstance()->ClearAllCallBacks();
  Open();
  Access(5000, 5001);
  ASSERT_OK(ralt_->Flush());
  EXPECT_EQ(5000u, CountHot(0, 5000)) << ralt_->GetStats().ToString();
}

// If a merge is slower than the accesses, they wait in the buffers.
TEST_F(RaltMergeTest, RunsDoNotPileUpDuringAMerge) {
  options_.file_bytes = 16 << 10;
  options_.fast_budget_bytes = 64 << 20;
  options_.seal_accessed_bytes = 100 * kValueBytes;
  Open();
  Access(0, 20000);
  ASSERT_OK(ralt_->Flush());
  ASSERT_OK(ralt_->WaitForIdle());
  uint64_t number = 20000;
  uint64_t most_flushes = 0;
  uint64_t flushes = 0;
  uint64_t merges = UINT64_MAX;
  SyncPoint::GetInstance()->SetCallBack(
      "TreeKeeper::RunMerge:Step", [&](void*) {
        const RaltStats stats = ralt_->GetStats();
        if (stats.merges != merges) {
          merges = stats.merges;
          flushes = stats.flushes;
        }
        most_flushes = std::max(most_flushes, stats.flushes - flushes);
        if (number < 60000) {
          Access(number, number + 200);
          number += 200;
        }
      });
  SyncPoint::GetInstance()->EnableProcessing();
  Access(0, 200);
  ASSERT_OK(ralt_->WaitForIdle());
  SyncPoint::GetInstance()->DisableProcessing();
  SyncPoint::GetInstance()->ClearAllCallBacks();
  EXPECT_GT(most_flushes, 4u);
  EXPECT_LE(most_flushes, 16u);
  // Nothing was lost.
  EXPECT_EQ(0u, ralt_->GetStats().accesses_dropped);
  EXPECT_EQ(ralt_->GetStats().accesses, number + 200);
}

// Records that a running merge has moved do not count twice.
TEST_F(RaltMergeTest, HotSetDoesNotGrowDuringAMerge) {
  options_.fast_budget_bytes = 64 << 20;
  Open();
  MakeHot(0, 20000);
  const uint64_t hot = ralt_->GetStats().hot_set_bytes;
  ASSERT_GT(hot, 19000 * kValueBytes);
  ralt_.reset();
  options_.file_bytes = 16 << 10;
  Open();
  uint64_t steps = 0;
  uint64_t most = 0;
  SyncPoint::GetInstance()->SetCallBack(
      "TreeKeeper::RunMerge:Step", [&](void*) {
        ++steps;
        most = std::max(most, ralt_->GetStats().hot_set_bytes);
      });
  SyncPoint::GetInstance()->EnableProcessing();
  Access(20000, 20100);
  ASSERT_OK(ralt_->Flush());
  ASSERT_OK(ralt_->WaitForIdle());
  SyncPoint::GetInstance()->DisableProcessing();
  SyncPoint::GetInstance()->ClearAllCallBacks();
  EXPECT_GT(steps, 2u);
  EXPECT_LE(most, hot + hot / 10);
}
#endif

}  // namespace ROCKSDB_NAMESPACE::ralt
