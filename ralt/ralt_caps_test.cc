//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Tests that the caps of an open RALT change, down and up again.

#include <atomic>
#include <thread>
#include <vector>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/ralt_test_util.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RaltCapsTest : public RaltTestBase {};

TEST_F(RaltCapsTest, CapsChangeWhileOpen) {
  const uint64_t budget = options_.fast_budget_bytes;
  options_.fast_budget_bytes = 4 * budget;
  Open();
  MakeHot(0, 2000);
  ASSERT_EQ(2000u, CountHot(0, 2000));
  RaltCaps caps;
  caps.fast_budget_bytes = budget;
  caps.buffer_bytes = options_.buffer_bytes;
  caps.auto_tune = true;
  ralt_->SetCaps(caps);
  ASSERT_OK(ralt_->WaitForIdle());
  RaltStats stats = ralt_->GetStats();
  EXPECT_LE(stats.hot_set_limit_bytes, budget * 7 / 10);
  EXPECT_LE(stats.hot_set_bytes, stats.hot_set_limit_bytes);
  EXPECT_LE(stats.physical_bytes, stats.physical_limit_bytes);
  EXPECT_LE(stats.physical_limit_bytes, budget / 2);
  const uint64_t still_hot = CountHot(0, 2000);
  EXPECT_GT(still_hot, 0u);
  EXPECT_LT(still_hot, 1000u);

  caps.fast_budget_bytes = 4 * budget;
  ralt_->SetCaps(caps);
  ASSERT_OK(ralt_->WaitForIdle());
  EXPECT_EQ(still_hot, CountHot(0, 2000));
  for (int i = 0; i < 4; i++) {
    MakeHot(0, 2000);
  }
  EXPECT_GT(CountHot(0, 2000), 1900u);

  // Fixed caps are those that a RALT starts with.
  caps.auto_tune = false;
  ralt_->SetCaps(caps);
  ASSERT_OK(ralt_->WaitForIdle());
  stats = ralt_->GetStats();
  EXPECT_EQ(2 * budget, stats.hot_set_limit_bytes);
  EXPECT_EQ(RaltOptions::RecordShare(DefaultRaltPhysicalLimit(4 * budget)),
            stats.record_limit_bytes);
}

// Accesses, flushes and questions go on meanwhile.
TEST_F(RaltCapsTest, CapsChangeUnderLoad) {
  options_.file_bytes = 4096;
  Open();
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; t++) {
    threads.emplace_back([&, t] {
      Random64 random(t);
      while (!ends) {
        const uint64_t i = random.Uniform(3000);
        ralt_->RecordAccess(Key(i), kValueBytes);
        ralt_->IsHot(Key(i));
        ralt_->GetStats();
      }
    });
  }
  for (int i = 0; i < 100; i++) {
    RaltCaps caps;
    caps.fast_budget_bytes = uint64_t{1} << (18 + i % 5);
    caps.buffer_bytes = uint64_t{64} << (10 + i % 8);
    caps.auto_tune = i % 3 > 0;
    ralt_->SetCaps(caps);
    if (i % 4 == 0) {
      ASSERT_OK(ralt_->Flush());
    }
  }
  ends = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_OK(ralt_->Flush());
  const RaltStats stats = ralt_->GetStats();
  EXPECT_EQ(0u, stats.background_errors);
  EXPECT_LE(stats.physical_bytes, stats.physical_limit_bytes);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
