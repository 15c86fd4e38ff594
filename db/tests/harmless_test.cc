//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Where reads of the slow tier are not slower, HotRAP must not be noticed;
// where they become slower, it must be back.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/composite_env_wrapper.h"
#include "plugin/hotrap/db/state/thread_switches.h"
#include "plugin/hotrap/test_util/hotrap_db_test_base.h"
#include "plugin/hotrap/test_util/timed_reads.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

class HarmlessTest : public HotRapDBTestBase {
 public:
  static constexpr int kKeys = 400;
  // The threads of the test do not wait for it: see ThreadSwitches.
  static constexpr uint64_t kDiskMicros = 900;

  HarmlessTest()
      : HotRapDBTestBase("harmless_test"),
        clock_(std::make_shared<ReadClock>(env_->GetSystemClock())),
        fs_(std::make_shared<TwoDiskFileSystem>(env_->GetFileSystem(), clock_,
                                                "/slow/")),
        timed_env_(std::make_unique<CompositeEnvWrapper>(env_, fs_, clock_)) {}
  ~HarmlessTest() override { Close(); }

 protected:
  Options OnlyIfSlower() {
    Options options = HotRapOptionsForTest();
    options.env = timed_env_.get();
    options.hotrap.promote_only_if_slower = true;
    // MultiGet counts what the block cache misses: everything.
    BlockBasedTableOptions table_options;
    table_options.block_cache = NewLRUCache(1);
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    return options;
  }
  void Load(const Options& options) {
    DestroyAndReopen(options);
    WaitForRalt();
    ASSERT_NO_FATAL_FAILURE(LoadSlowTier(0, kKeys));
  }

  // Beside what the disks take, a read takes a millisecond.
  void ReadAll(int times) {
    for (int i = 0; i < times * kKeys; i++) {
      ASSERT_NE("NOT_FOUND", Get(Key(i % kKeys)));
      clock_->Advance(1000 * 1000);
    }
  }
  // The same for a batch.
  void ReadAllAtOnce(int times) {
    constexpr int kBatch = 4;
    for (int i = 0; i < times * kKeys; i += kBatch) {
      std::vector<std::string> keys;
      for (int j = 0; j < kBatch; j++) {
        keys.push_back(Key((i + j) % kKeys));
      }
      for (const std::string& value : MultiGet(keys)) {
        ASSERT_NE("NOT_FOUND", value);
      }
      clock_->Advance(1000 * 1000);
    }
  }
  uint64_t Hits() {
    return Counter(HotRapCounter::kHitsFast) +
           Counter(HotRapCounter::kHitsSlow) +
           Counter(HotRapCounter::kHitsPromotionCache);
  }
  std::string Figure(const std::string& name) {
    std::map<std::string, std::string> stats;
    EXPECT_TRUE(db_->GetMapProperty(kHotRapStatsProperty, &stats));
    return stats.at(name);
  }
  bool Slower() { return Tier()->tracker().speeds().slower(); }

  const std::shared_ptr<ReadClock> clock_;
  const std::shared_ptr<TwoDiskFileSystem> fs_;
  const std::unique_ptr<Env> timed_env_;
};

TEST_F(HarmlessTest, ASlowTierThatIsNotSlowerPromotesNothing) {
  ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
  ASSERT_TRUE(Slower());
  EXPECT_EQ("", Figure("promotion_blocked_reason"));
  ReadAll(1);
  ASSERT_FALSE(Slower());
  EXPECT_EQ("reads of the slow tier are not slower",
            Figure("promotion_blocked_reason"));
  const uint64_t accesses = Counter(HotRapCounter::kAccesses);
  const uint64_t estimated = Counter(HotRapCounter::kAccessesEstimated);
  const uint64_t admissions = Counter(HotRapCounter::kAdmissions);
  const uint64_t hits = Hits();
  ReadAll(40);
  // All are counted, and samples are tracked.
  EXPECT_EQ(hits + 40 * kKeys, Hits());
  const uint64_t tracked = Counter(HotRapCounter::kAccesses) - accesses;
  EXPECT_GT(tracked, 0);
  EXPECT_LT(tracked, 40 * kKeys / 16);
  // Column families are compared by these.
  EXPECT_EQ(TierSpeeds::kTrackedOneIn * tracked,
            Counter(HotRapCounter::kAccessesEstimated) - estimated);
  EXPECT_EQ(admissions, Counter(HotRapCounter::kAdmissions));
  EXPECT_GT(Counter(HotRapCounter::kRefusedNotSlower), 0);
}

TEST_F(HarmlessTest, PromotesOnceItIsSlower) {
  ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
  ReadAll(4);
  ASSERT_FALSE(Slower());
  const uint64_t admissions = Counter(HotRapCounter::kAdmissions);
  fs_->set_slow_micros(kDiskMicros);
  // 200 reads a second.
  ReadAll(5);
  ASSERT_TRUE(Slower());
  EXPECT_GT(Counter(HotRapCounter::kAdmissions), admissions);
  const uint64_t accesses = Counter(HotRapCounter::kAccesses);
  ReadAll(1);
  EXPECT_EQ(accesses + kKeys, Counter(HotRapCounter::kAccesses));
}

TEST_F(HarmlessTest, TracksAllReadsOfADiskFromTheStart) {
  fs_->set_slow_micros(kDiskMicros);
  ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
  ReadAll(2);
  EXPECT_TRUE(Slower());
  EXPECT_EQ(2 * kKeys, Counter(HotRapCounter::kAccesses));
}

TEST_F(HarmlessTest, OneDiskOfTwoFolders) {
  fs_->set_slow_micros(kDiskMicros);
  fs_->set_fast_micros(kDiskMicros);
  ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
  for (int i = kKeys; i < kKeys + 100; i++) {
    ASSERT_OK(Put(Key(i), "fast"));
  }
  ASSERT_OK(Flush());
  for (int i = 0; i < 4 * kKeys; i++) {
    ASSERT_NE("NOT_FOUND", Get(Key(i % kKeys)));
    ASSERT_EQ("fast", Get(Key(kKeys + i % 100)));
  }
  EXPECT_FALSE(Slower());
}

TEST_F(HarmlessTest, BatchesAreMeasured) {
  ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
  ReadAllAtOnce(3);
  ASSERT_FALSE(Slower());
  const uint64_t accesses = Counter(HotRapCounter::kAccesses);
  ReadAllAtOnce(16);
  EXPECT_LT(Counter(HotRapCounter::kAccesses) - accesses, 16 * kKeys / 4);
  fs_->set_slow_micros(kDiskMicros);
  ReadAllAtOnce(10);
  EXPECT_TRUE(Slower());
}

TEST_F(HarmlessTest, TheCacheIsFreed) {
  Options options = OnlyIfSlower();
  options.hotrap.promotion_cache_bytes = 1 << 20;
  ASSERT_NO_FATAL_FAILURE(Load(options));
  ReadAll(1);
  ASSERT_FALSE(Slower());
  ASSERT_GT(Counter(HotRapCounter::kAdmissions), 0);
  WaitForPromotionIdle();
  EXPECT_EQ(0, Tier()->cache().num_records());
  EXPECT_EQ(0, Counter(HotRapCounter::kPromotedRecords));
}

TEST_F(HarmlessTest, WhatIsInTheCacheIsServedAndSampled) {
  Options options = OnlyIfSlower();
  options.hotrap.promotion_cache_bytes = 1 << 20;
  // With rules it is not freed.
  options.hotrap.excluded_ranges = {{"no", "such", ""}};
  ASSERT_NO_FATAL_FAILURE(Load(options));
  ReadAll(1);
  ASSERT_FALSE(Slower());
  const uint64_t records = Tier()->cache().num_records();
  ASSERT_GT(records, 0);
  const uint64_t accesses = Counter(HotRapCounter::kAccesses);
  const uint64_t hits = Counter(HotRapCounter::kHitsPromotionCache);
  ReadAll(40);
  EXPECT_EQ(hits + 40 * records, Counter(HotRapCounter::kHitsPromotionCache));
  EXPECT_LT(Counter(HotRapCounter::kAccesses) - accesses, 40 * kKeys / 16);
}

TEST_F(HarmlessTest, PinnedRecordsAreAdmittedAllTheSame) {
  Options options = OnlyIfSlower();
  options.hotrap.promotion_cache_bytes = 1 << 20;
  // Only reads bring them up.
  options.hotrap.relocation_bytes_per_sec = 0;
  ASSERT_NO_FATAL_FAILURE(Load(options));
  ReadAll(1);
  ASSERT_FALSE(Slower());
  ASSERT_OK(db_->SetOptions(
      {{"hotrap.pinned_ranges",
        "{begin=" + Key(kKeys - 100) + ";end=" + Key(kKeys) + "}"}}));
  const uint64_t admissions = Counter(HotRapCounter::kAdmissions);
  ReadAll(1);
  ASSERT_FALSE(Slower());
  EXPECT_EQ(admissions + 100, Counter(HotRapCounter::kAdmissions));
}

#ifndef NDEBUG
TEST_F(HarmlessTest, PreemptedReadsAreNotMeasured) {
  SyncPoint* const sync = SyncPoint::GetInstance();
  int64_t preemptions = 0;
  sync->SetCallBack("ThreadSwitches::OfThisThread", [&](void* arg) {
    static_cast<ThreadSwitches*>(arg)->preempted = preemptions++;
  });
  sync->EnableProcessing();
  fs_->set_slow_micros(kDiskMicros);
  ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
  ReadAll(2);
  EXPECT_GT(preemptions, 2 * kKeys);
  sync->DisableProcessing();
  sync->ClearAllCallBacks();
  EXPECT_EQ("0", Figure("slow_read_nanos"));
}

TEST_F(HarmlessTest, ReadsWhoseCpuWasTakenAwayAreNotMeasured) {
  SyncPoint* const sync = SyncPoint::GetInstance();
  for (const bool waits : {false, true}) {
    int64_t waited = 0;
    sync->SetCallBack("ThreadSwitches::OfThisThread", [&](void* arg) {
      *static_cast<ThreadSwitches*>(arg) = {0, waits ? waited++ : 0, true};
    });
    sync->EnableProcessing();
    fs_->set_slow_micros(ThreadSwitches::kMostWithoutWait / 1000 + 1);
    ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
    ReadAll(2);
    EXPECT_EQ(waits, Figure("slow_read_nanos") != "0");
    sync->DisableProcessing();
    sync->ClearAllCallBacks();
  }
}
#endif

TEST_F(HarmlessTest, ChangesLive) {
  ASSERT_NO_FATAL_FAILURE(Load(OnlyIfSlower()));
  ReadAll(1);
  ASSERT_FALSE(Slower());
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promote_only_if_slower=false;}"}}));
  ASSERT_TRUE(Slower());
  const uint64_t accesses = Counter(HotRapCounter::kAccesses);
  ReadAll(1);
  EXPECT_EQ(accesses + kKeys, Counter(HotRapCounter::kAccesses));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promote_only_if_slower=true;}"}}));
  ReadAll(3);
  EXPECT_FALSE(Slower());
}

// However long its reads take; known before the first of them.
TEST_F(HarmlessTest, OneFileSystemIsNotSlowerThanItself) {
  class OfTheSystem : public TwoDiskFileSystem {
   public:
    using TwoDiskFileSystem::TwoDiskFileSystem;
    const char* Name() const override { return FileSystem::Default()->Name(); }
  };
  const auto fs =
      std::make_shared<OfTheSystem>(env_->GetFileSystem(), clock_, "/slow/");
  CompositeEnvWrapper env(env_, fs, clock_);
  Options options = OnlyIfSlower();
  options.env = &env;
  options.hotrap.promotion_cache_bytes = 1 << 20;
  fs->set_slow_micros(kDiskMicros);
  ASSERT_NO_FATAL_FAILURE(Load(options));
  EXPECT_FALSE(Slower());
  ReadAll(1);
  EXPECT_EQ(0, Counter(HotRapCounter::kAdmissions));
  EXPECT_EQ("0", Figure("slow_read_nanos"));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promote_only_if_slower=false;}"}}));
  ReadAll(1);
  EXPECT_NE("0", Figure("promotion_cache_records"));
  ASSERT_OK(db_->SetOptions({{"hotrap", "{promote_only_if_slower=true;}"}}));
  WaitForPromotionIdle();
  EXPECT_EQ("0", Figure("promotion_cache_records"));
  Close();
}

}  // namespace ROCKSDB_NAMESPACE
