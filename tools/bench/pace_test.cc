//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

using std::chrono::microseconds;

TEST(PaceTest, TurnsComeOneByOne) {
  const Pace::Clock::time_point start = Pace::Clock::now();
  Pace pace(20000, start);
  for (int turn = 0; turn < 1000; ++turn) {
    EXPECT_EQ(pace.NextTurn() - start, microseconds(50) * turn);
  }
}

TEST(PaceTest, NoTurnIsGivenTwice) {
  constexpr int kThreads = 4;
  constexpr int kTurnsOfEach = 1000;
  const Pace::Clock::time_point start = Pace::Clock::now();
  Pace pace(20000, start);
  std::vector<std::vector<Pace::Clock::time_point>> taken(kThreads);
  std::vector<std::thread> threads;
  for (auto& turns : taken) {
    threads.emplace_back([&pace, &turns] {
      for (int i = 0; i < kTurnsOfEach; ++i) {
        turns.push_back(pace.NextTurn());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<Pace::Clock::time_point> all;
  for (const auto& turns : taken) {
    all.insert(all.end(), turns.begin(), turns.end());
  }
  std::sort(all.begin(), all.end());
  for (int i = 0; i < kThreads * kTurnsOfEach; ++i) {
    EXPECT_EQ(all[static_cast<size_t>(i)] - start, microseconds(50) * i);
  }
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
