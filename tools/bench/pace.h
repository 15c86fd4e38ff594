//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Schedules operations evenly, at a given rate over all threads. Each free
// thread takes the next turn: a blocked thread delays only its own turn, and
// turns for which all threads are late follow at once. Operations released in
// batches would wait for each other.
//
// Thread-safe.

#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // The first turn is at `start`. REQUIRES: operations_per_sec > 0
  Pace(uint64_t operations_per_sec, Clock::time_point start)
      : operations_per_sec_(static_cast<double>(operations_per_sec)),
        start_(start) {
    assert(operations_per_sec > 0);
  }

  // Returns when the caller's next operation should start.
  Clock::time_point NextTurn() {
    const auto turn = static_cast<double>(next_turn_.fetch_add(1));
    constexpr double kNanosPerSec = 1e9;
    return start_ + std::chrono::nanoseconds(static_cast<int64_t>(
                        turn * kNanosPerSec / operations_per_sec_));
  }

 private:
  const double operations_per_sec_;
  const Clock::time_point start_;
  std::atomic<uint64_t> next_turn_{0};
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
