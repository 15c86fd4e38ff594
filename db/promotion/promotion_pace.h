//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// When the next promotion by flush may start, after one that could not: because
// the DB is busy, or the fast tier full.
//
// Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>

#include "plugin/hotrap/db/state/hotrap_stats.h"
#include "rocksdb/system_clock.h"

namespace ROCKSDB_NAMESPACE {

class PromotionPace {
 public:
  static constexpr uint64_t kBackOffMicros = 100 * 1000;

  // Both must outlive this object.
  PromotionPace(SystemClock* clock, HotRapStats* stats)
      : clock_(clock), stats_(stats) {}

  // Prevents promotions for a while.
  void BackOff() {
    stats_->Count(HotRapCounter::kBackoffs);
    not_before_micros_.store(NowMicros() + kBackOffMicros,
                             std::memory_order_relaxed);
  }
  bool backs_off() const {
    return NowMicros() < not_before_micros_.load(std::memory_order_relaxed);
  }

  // Whether the last promotion found less space than it must leave free.
  bool lacks_space() const {
    return lacks_space_.load(std::memory_order_relaxed);
  }
  void set_lacks_space(bool lacks) {
    lacks_space_.store(lacks, std::memory_order_relaxed);
  }

 private:
  // The wall clock may jump backwards.
  uint64_t NowMicros() const { return clock_->NowNanos() / 1000; }

  SystemClock* const clock_;
  HotRapStats* const stats_;
  std::atomic<uint64_t> not_before_micros_{0};
  std::atomic<bool> lacks_space_{false};
};

}  // namespace ROCKSDB_NAMESPACE
