//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tests what users of Ralt rely on.

#include "plugin/hotrap/ralt/ralt.h"

#include <atomic>
#include <thread>
#include <vector>

#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "rocksdb/comparator.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RaltTest : public RaltTestBase {};

TEST_F(RaltTest, EmptyIsCold) {
  Open();
  EXPECT_FALSE(ralt_->IsHot(Key(1)));
  EXPECT_EQ(0u, ralt_->HotBytes(Key(0), Key(9)));
  EXPECT_EQ(0u, ralt_->GetStats().records);
  ASSERT_OK(ralt_->Flush());
  ASSERT_OK(ralt_->WaitForIdle());
}

TEST_F(RaltTest, OneAccessIsCold) {
  Open();
  Access(0, 100);
  ASSERT_OK(ralt_->Flush());
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_EQ(0u, CountHot(0, 100));
  EXPECT_EQ(100u, ralt_->GetStats().records);
}

TEST_F(RaltTest, SecondAccessMakesHot) {
  Open();
  Access(0, 200);
  ASSERT_OK(ralt_->Flush());
  Access(0, 100);
  ASSERT_OK(ralt_->Flush());
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_EQ(100u, CountHot(0, 100));
  EXPECT_LE(CountHot(100, 200), 2u);
  EXPECT_EQ(100u, ralt_->GetStats().hot_records);
}

TEST_F(RaltTest, SecondAccessInOneBufferMakesHot) {
  Open();
  Access(0, 50);
  Access(0, 50);
  ASSERT_OK(ralt_->Flush());
  EXPECT_EQ(50u, CountHot(0, 50));
}

TEST_F(RaltTest, BuffersFlushByThemselves) {
  Open();
  for (int i = 0; i < 100; ++i) {
    Access(0, 20);
  }
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_GT(ralt_->GetStats().flushes, 0u);
  EXPECT_EQ(20u, CountHot(0, 20));
}

TEST_F(RaltTest, SampledAccessesSealByMemoryOnly) {
  constexpr uint32_t kWeight = 16;
  constexpr int kAccesses = 1000;
  options_.seal_accessed_bytes = 100 * (Key(0).size() + kValueBytes);
  options_.seal_bytes = 1 << 20;
  Open();
  const auto access = [this](int accesses, uint32_t weight) {
    for (int i = 0; i < accesses; ++i) {
      ralt_->RecordAccess(Key(i % 20), kValueBytes, weight);
    }
    EXPECT_OK(ralt_->WaitForIdle());
    return ralt_->GetStats();
  };
  // More than enough, even if each counted only 1 / kWeight.
  EXPECT_EQ(0u, access(10 * kAccesses, kWeight).flushes);
  EXPECT_GT(access(kAccesses, 1).flushes, 0u);
  // Accesses take at least the bytes of their keys.
  const RaltStats before = access(0, kWeight);
  const int enough = static_cast<int>(2 * options_.seal_bytes / Key(0).size());
  const RaltStats after = access(enough, kWeight);
  EXPECT_GT(after.flushes, before.flushes);
  EXPECT_EQ(0u, after.accesses_dropped);
}

TEST_F(RaltTest, OneAccessMoreMakesAKnownKeyHot) {
  options_.fast_budget_bytes = 64 << 20;
  Open();
  Access(0, 1000);
  ASSERT_OK(ralt_->Flush());
  MakeHot(1000, 2000);
  EXPECT_TRUE(ralt_->SecondAccessMakesHot());
  uint64_t false_positives = CountHot(0, 1000);
  for (uint64_t i = 0; i < 12000; ++i) {
    const bool hot_with_one_more_access = ralt_->IsHotWithOneMoreAccess(Key(i));
    ASSERT_TRUE(hot_with_one_more_access || i >= 2000);
    false_positives += hot_with_one_more_access && i >= 2000 ? 1 : 0;
  }
  EXPECT_LE(false_positives, 11000u / 100);
}

TEST_F(RaltTest, AccessesThatAreNotFlushedMakeAKnownKey) {
  options_.fast_budget_bytes = 64 << 20;
  Open();
  Access(0, 200);
  Access(100, 300);
  uint64_t known = 0;
  for (uint64_t i = 100; i < 200; ++i) {
    known += ralt_->IsHotWithOneMoreAccess(Key(i)) ? 1 : 0;
    EXPECT_FALSE(ralt_->IsHotWithOneMoreAccess(Key(i - 100)));
    EXPECT_FALSE(ralt_->IsHotWithOneMoreAccess(Key(i + 100)));
  }
  // Some keys may have lost their slot.
  EXPECT_GE(known, 90u);
  ASSERT_EQ(0u, ralt_->GetStats().flushes);
}

// Nobody asks about keys on the fast tier, and they would displace others.
TEST_F(RaltTest, AccessesOnTheFastTierMakeNoKnownKeyBeforeTheyAreFlushed) {
  options_.fast_budget_bytes = 64 << 20;
  Open();
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < 200; ++i) {
      ralt_->RecordAccess(Key(i), kValueBytes, /*weight=*/1, /*fast=*/true);
    }
  }
  for (uint64_t i = 0; i < 200; ++i) {
    EXPECT_FALSE(ralt_->IsHotWithOneMoreAccess(Key(i)));
  }
  ASSERT_OK(ralt_->Flush());
  for (uint64_t i = 0; i < 200; ++i) {
    EXPECT_TRUE(ralt_->IsHotWithOneMoreAccess(Key(i)));
  }
}

// A key's accesses are in two runs, and most flushed keys are known, which
// would otherwise not trigger a merge.
TEST_F(RaltTest, EachFlushIsMergedWhileAHotSetIsLearnt) {
  options_.fast_budget_bytes = 64 << 20;
  options_.seal_accessed_bytes = 1000 * (Key(0).size() + kValueBytes);
  for (const bool learning : {false, true}) {
    Open();
    ralt_->SetLearning(learning);
    MakeHot(0, 1000);
    for (int round = 0; round < 2; ++round) {
      const uint64_t flushes = ralt_->GetStats().flushes;
      Access(0, 900);
      const uint64_t others = learning ? 5000 : 6000;
      Access(others, others + 100);
      for (int i = 0; ralt_->GetStats().flushes == flushes; ++i) {
        ASSERT_LE(i, 200);
        Access(0, 1);
        ASSERT_OK(ralt_->WaitForIdle());
      }
    }
    EXPECT_EQ(learning ? 100u : 0u, CountHot(5000, 5100) + CountHot(6000, 6100))
        << ralt_->GetStats().ToString();
    ralt_.reset();
    ASSERT_OK(Ralt::Destroy(path_, options_.env->GetFileSystem().get()));
  }
}

TEST_F(RaltTest, OneAccessMoreIsNotEnoughWhereHotKeysNeedAHigherScore) {
  constexpr uint32_t kWeight = 5;
  const uint64_t record_bytes = Key(0).size() + kValueBytes;
  options_.fast_budget_bytes = 64 << 20;
  options_.hot_set_limit_bytes = 100 * record_bytes;
  // Few slices pass, so that scores hardly decay.
  options_.slice_fraction = 0.9;
  options_.auto_tune = false;
  Open();
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < 1000; ++i) {
      ralt_->RecordAccess(Key(i), kValueBytes, kWeight);
    }
    ASSERT_OK(ralt_->Flush());
  }
  ASSERT_OK(ralt_->WaitForIdle());
  ASSERT_GT(ralt_->GetStats().hot_score_threshold, 1);
  EXPECT_FALSE(ralt_->SecondAccessMakesHot());
  Access(5000, 5100);
  ASSERT_OK(ralt_->Flush());
  for (uint64_t i = 0; i < 6000; ++i) {
    ASSERT_EQ(ralt_->IsHot(Key(i)), ralt_->IsHotWithOneMoreAccess(Key(i)));
  }
  EXPECT_GT(CountHot(0, 1000), 0u);
}

TEST_F(RaltTest, BytesOfHotKeysInARange) {
  options_.fast_budget_bytes = 64 << 20;
  Open();
  MakeHot(1000, 3000);
  const uint64_t record_bytes = Key(0).size() + kValueBytes;
  EXPECT_EQ(2000 * record_bytes, ralt_->HotBytes(Key(0), Key(9999)));
  uint64_t error = 0;
  const uint64_t part = ralt_->HotBytes(Key(1200), Key(2800), &error);
  EXPECT_GE(part, 1600 * record_bytes - error);
  EXPECT_LE(part, 1600 * record_bytes + error);
  EXPECT_LE(error, 400 * record_bytes);
  EXPECT_EQ(0u, ralt_->HotBytes(Key(5000), Key(6000)));
  EXPECT_EQ(0u, ralt_->HotBytes(Key(0), Key(1000)));
}

// After a change of the periods' length, counters neither expire at once nor
// stop.
TEST_F(RaltTest, HotSurvivesAnotherFastBudget) {
  const uint64_t budget = options_.fast_budget_bytes;
  for (const uint64_t other : {budget / 2, 4 * budget}) {
    SCOPED_TRACE(other);
    options_.path = path_ + "/" + std::to_string(other);
    options_.fast_budget_bytes = budget;
    Open();
    // Ten periods.
    for (int i = 0; i < 100; ++i) {
      MakeHot(0, 100);
    }
    ASSERT_EQ(100u, CountHot(0, 100));
    options_.fast_budget_bytes = other;
    Open();
    Access(5000, 5001);
    ASSERT_OK(ralt_->Flush());
    ASSERT_OK(ralt_->WaitForIdle());
    EXPECT_EQ(100u, CountHot(0, 100));
    // After six more periods the counters, which are at most 5, have expired.
    // Keys differ, so that there are no second accesses.
    const uint64_t record_bytes = Key(0).size() + kValueBytes;
    for (uint64_t i = 0; i < 6 * other / record_bytes; i += 50) {
      Access(10000 + i, 10050 + i);
      ASSERT_OK(ralt_->Flush());
    }
    ASSERT_OK(ralt_->WaitForIdle());
    EXPECT_EQ(0u, CountHot(0, 100));
  }
}

TEST_F(RaltTest, LimitsOfALargerFastBudgetAreLowered) {
  const uint64_t budget = options_.fast_budget_bytes;
  options_.fast_budget_bytes = 16 * budget;
  Open();
  MakeHot(0, 10);
  EXPECT_EQ(8 * budget, ralt_->GetStats().hot_set_limit_bytes);
  options_.fast_budget_bytes = budget;
  Open();
  const RaltStats stats = ralt_->GetStats();
  EXPECT_LT(stats.hot_set_limit_bytes, budget);
  // 15 to 50, as at the start.
  EXPECT_LE(stats.record_limit_bytes, stats.hot_set_limit_bytes * 3 / 10);
}

TEST_F(RaltTest, HotSurvivesReopen) {
  UseRealFiles();
  Open();
  MakeHot(0, 100);
  const uint64_t accessed = ralt_->GetStats().accessed_bytes;
  Open();
  EXPECT_EQ(100u, CountHot(0, 100));
  EXPECT_GE(ralt_->GetStats().accessed_bytes, accessed);
  EXPECT_EQ(0u, ralt_->GetStats().resets);
}

TEST_F(RaltTest, LargeFiltersAreLoadedInTheBackground) {
  Open();
  MakeHot(0, 100);
  options_.inline_load_bytes = 0;
  Open();
  Access(0, 10);
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_EQ(100u, CountHot(0, 100));
  // Closed before the load: existing data stays.
  for (int i = 0; i < 10; ++i) {
    Open();
  }
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_EQ(100u, CountHot(0, 100));
  EXPECT_EQ(0u, ralt_->GetStats().resets);
}

TEST_F(RaltTest, CloseAtAnyMoment) {
  options_.file_bytes = 2048;
  Random64 random(301);
  for (int i = 0; i < 50; ++i) {
    Open();
    ASSERT_EQ(0u, ralt_->GetStats().resets);
    const uint64_t accesses = random.Uniform(20000);
    for (uint64_t a = 0; a < accesses; ++a) {
      ralt_->RecordAccess(Key(random.Uniform(random.OneIn(3) ? 9000 : 200)),
                          kValueBytes);
    }
    if (random.OneIn(2)) {
      ralt_->CancelWork();
    }
  }
  Open();
  // A merge reads everything.
  Access(0, 1);
  ASSERT_OK(ralt_->Flush());
  EXPECT_EQ(0u, ralt_->GetStats().resets);
}

TEST_F(RaltTest, BuffersAreFlushedAtClose) {
  // Do not seal earlier: the run of an access must not depend on a job's
  // timing.
  options_.seal_accessed_bytes = 1 << 20;
  Open();
  Access(0, 100);
  Access(0, 100);
  ralt_->CancelWork();
  Access(100, 200);
  Access(100, 200);
  Open();
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_EQ(100u, CountHot(0, 100));
  EXPECT_LE(CountHot(100, 200), 2u);
}

// A hotspot of 300 records in a budget of 1,000, with cold accesses in between.
TEST_F(RaltTest, HotspotBecomesHotAndStaysInLimits) {
  Open();
  Random64 random(301);
  for (int i = 0; i < 40000; ++i) {
    const uint64_t number =
        random.OneIn(20) ? 1000 + random.Uniform(10000) : random.Uniform(300);
    ralt_->RecordAccess(Key(number), kValueBytes);
    if (i % 1000 == 999) {
      ASSERT_OK(ralt_->WaitForIdle());
    }
  }
  ASSERT_OK(ralt_->Flush());
  ASSERT_OK(ralt_->WaitForIdle());
  const RaltStats stats = ralt_->GetStats();
  EXPECT_EQ(300u, CountHot(0, 300)) << stats.ToString();
  EXPECT_LE(CountHot(1000, 11000), 350u) << stats.ToString();
  EXPECT_LE(stats.hot_set_bytes, options_.fast_budget_bytes * 7 / 10);
  EXPECT_LE(stats.hot_set_limit_bytes, options_.fast_budget_bytes * 7 / 10);
}

// The hotspot moves to 500 other records of 10,000, half of what fits on the
// fast tier. With D_hs alone, its bytes are read some 20 times until the hit
// rate is 0.9.
TEST_F(RaltTest, AHotSetThatMovesIsLearntWhereMoreIsRemembered) {
  Open();
  Random64 random(301);
  const auto read_hotspot = [&](uint64_t begin, int accesses) {
    for (int i = 0; i < accesses; ++i) {
      ralt_->RecordAccess(Key(random.OneIn(20) ? random.Uniform(10000)
                                               : begin + random.Uniform(500)),
                          kValueBytes);
      if (i % 50 == 49) {
        ASSERT_OK(ralt_->WaitForIdle());
      }
    }
  };
  read_hotspot(1000, 20000);
  ASSERT_EQ(500u, CountHot(1000, 1500));
  const uint64_t settled = ralt_->GetStats().tracked_bytes;

  read_hotspot(3000, 2500);
  EXPECT_LE(CountHot(3000, 3500), 250u);

  ralt_->SetLearning(true);
  ASSERT_TRUE(ralt_->GetStats().learning);
  read_hotspot(5000, 2500);
  EXPECT_GE(CountHot(5000, 5500), 460u) << ralt_->GetStats().ToString();
  EXPECT_LE(ralt_->GetStats().physical_bytes, options_.fast_budget_bytes / 7);

  // Additional records are dropped afterwards.
  ralt_->SetLearning(false);
  read_hotspot(5000, 10000);
  EXPECT_LE(ralt_->GetStats().tracked_bytes, 2 * settled);
  EXPECT_EQ(500u, CountHot(5000, 5500));
}

// 50 very hot keys are recorded in one of 16 accesses, like cache hits. 250
// keys that are accessed a tenth as often are recorded each time.
TEST_F(RaltTest, SampledKeysDoNotLookCold) {
  Open();
  constexpr uint32_t kSampling = 16;
  Random64 random(301);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t draw = random.Uniform(100);
    if (draw < 65) {
      if (random.OneIn(kSampling)) {
        ralt_->RecordAccess(Key(random.Uniform(50)), kValueBytes, kSampling);
      }
    } else if (draw < 98) {
      ralt_->RecordAccess(Key(100 + random.Uniform(250)), kValueBytes);
    } else {
      ralt_->RecordAccess(Key(1000 + random.Uniform(10000)), kValueBytes);
    }
    if (i % 1000 == 999) {
      ASSERT_OK(ralt_->WaitForIdle());
    }
  }
  ASSERT_OK(ralt_->Flush());
  EXPECT_EQ(50u, CountHot(0, 50));
  EXPECT_EQ(250u, CountHot(100, 350));
  EXPECT_LE(CountHot(1000, 11000), 350u);
}

TEST_F(RaltTest, UniformStaysMostlyCold) {
  Open();
  Random64 random(301);
  for (int i = 0; i < 60000; ++i) {
    ralt_->RecordAccess(Key(random.Uniform(10000)), kValueBytes);
    if (i % 50 == 49) {
      ASSERT_OK(ralt_->WaitForIdle());
    }
  }
  const RaltStats stats = ralt_->GetStats();
  EXPECT_GT(stats.evictions, 0u);
  EXPECT_LE(stats.hot_set_limit_bytes, options_.fast_budget_bytes / 5)
      << stats.ToString();
}

// Descending order, in which empty keys are invalid.
class DescendingComparator : public Comparator {
 public:
  const char* Name() const override { return "DescendingComparator"; }
  int Compare(const Slice& a, const Slice& b) const override {
    if (a.empty() || b.empty()) {
      empty_keys++;
    }
    return b.compare(a);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

  mutable std::atomic<int> empty_keys{0};
};

TEST_F(RaltTest, LevelsOfManyFilesInAnyOrder) {
  DescendingComparator comparator;
  options_.comparator = &comparator;
  options_.file_bytes = 1024;
  options_.block_bytes = 256;
  Open();
  MakeHot(0, 300);
  Access(300, 400);
  ASSERT_OK(ralt_->Flush());
  EXPECT_GT(ralt_->GetStats().runs, 2u);
  EXPECT_EQ(300u, CountHot(0, 300));
  EXPECT_EQ(300u, ralt_->GetStats().hot_records);
  EXPECT_EQ(400u, ralt_->GetStats().records);
  EXPECT_EQ(0, comparator.empty_keys);
  ralt_.reset();  // before the comparator is destroyed
}

// If a time slice has many accesses, memory determines when to flush.
TEST_F(RaltTest, BuffersOfALargeFastTierFlushByThemselves) {
  options_.fast_budget_bytes = uint64_t{1} << 50;
  options_.buffer_bytes = 1 << 20;
  Open();
  Access(0, 30000);
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_GT(ralt_->GetStats().flushes, 0u);
}

TEST_F(RaltTest, DropsUnderPressureAndCounts) {
  options_.buffer_bytes = 64 << 10;
  // Nothing is ever flushed.
  options_.seal_bytes = 1 << 30;
  options_.seal_accessed_bytes = 1 << 30;
  Open();
  Access(0, 10000);
  const RaltStats stats = ralt_->GetStats();
  EXPECT_EQ(10000u, stats.accesses + stats.accesses_dropped);
  EXPECT_GT(stats.accesses_dropped, 0u);
  EXPECT_LE(stats.buffer_memory_bytes, options_.buffer_bytes);
}

TEST_F(RaltTest, ConcurrentUse) {
  UseRealFiles();
  Open();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Random64 random(t);
      for (int i = 0; i < 50000; ++i) {
        ralt_->RecordAccess(Key(random.Uniform(2000)), kValueBytes);
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop.load()) {
      CountHot(0, 1000);
      ralt_->HotBytes(Key(0), Key(1000));
    }
  });
  threads.emplace_back([&] {
    while (!stop.load()) {
      ralt_->PhysicalBytes();
      ralt_->GetStats();
    }
  });
  for (int t = 0; t < 4; ++t) {
    threads[t].join();
  }
  ASSERT_OK(ralt_->WaitForIdle());
  stop.store(true);
  threads[4].join();
  threads[5].join();
  const RaltStats stats = ralt_->GetStats();
  EXPECT_EQ(200000u, stats.accesses + stats.accesses_dropped);
}

TEST_F(RaltTest, DirectIo) {
  UseRealFiles();
  options_.use_direct_reads = true;
  options_.use_direct_io_for_writes = true;
  // An in-memory file system may not support direct I/O, which pauses RALT.
  Open();
  MakeHot(0, 300);
  Open();
  EXPECT_TRUE(!ralt_->BackgroundError().ok() || CountHot(0, 300) == 300);
}

TEST_F(RaltTest, TwoStoresNeverMeet) {
  Open();
  MakeHot(0, 100);
  RaltOptions other_options = options_;
  other_options.path = path_ + "/other";
  other_options.cf_id = 1;
  std::unique_ptr<Ralt> other;
  ASSERT_OK(Ralt::Open(other_options, &other));
  EXPECT_FALSE(other->IsHot(Key(1)));
}

TEST_F(RaltTest, DestroyRemovesTheFolder) {
  UseRealFiles();
  Open();
  MakeHot(0, 100);
  ralt_.reset();
  ASSERT_OK(Ralt::Destroy(path_, options_.env->GetFileSystem().get()));
  EXPECT_TRUE(options_.env->FileExists(path_).IsNotFound());
  ASSERT_OK(Ralt::Destroy(path_, options_.env->GetFileSystem().get()));
}

TEST_F(RaltTest, RefusesOptionsThatCannotBeMeant) {
  options_.alpha = 1;
  EXPECT_TRUE(Ralt::Open(options_, &ralt_).IsInvalidArgument());
  options_.alpha = 0.999;
  options_.fast_budget_bytes = 0;
  EXPECT_TRUE(Ralt::Open(options_, &ralt_).IsInvalidArgument());
}

}  // namespace ROCKSDB_NAMESPACE::ralt
