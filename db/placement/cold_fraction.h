//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The paper's p (section 3.6): the fraction of the bytes taken from the last
// fast level by crossing compactions that moves down to the slow tier. The rest
// is retained.
//
// Level targets depend on p, and changing a target moves data. So p is rounded
// to eighths, and changes only when the measured value is closer to another
// eighth by a margin.
//
// Thread safety: every method may be called from any thread.

#pragma once

#include <atomic>
#include <cstdint>

#include "port/port.h"

namespace ROCKSDB_NAMESPACE {

class ColdFraction {
 public:
  static constexpr int kSteps = 8;
  // Number of crossings before the measurement counts.
  static constexpr int kMinCrossings = 8;

  // Returns p, in [1 / kSteps, 1]. 1 until enough crossings were measured.
  double value() const {
    return steps_.load(std::memory_order_relaxed) / double{kSteps};
  }

  // Reports a crossing that took `fast_input_bytes` from the last fast level
  // and wrote `retained_bytes` of them back.
  void OnCrossing(uint64_t fast_input_bytes, uint64_t retained_bytes);

 private:
  std::atomic<int> steps_{kSteps};

  port::Mutex mutex_;
  // Protected by mutex_. Decaying sums: older crossings weigh less.
  double input_bytes_ = 0;
  double cold_bytes_ = 0;
  int crossings_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
