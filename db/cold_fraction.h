//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The paper's p (section 3.6): which part of the bytes that compactions take
// from the last fast level goes down to the slow tier; the rest is retained.
//
// Level targets follow from it, and moving a target moves data. So it is
// rounded to eighths, and leaves a value only when the measured one is nearer
// to another by a margin.
//
// Thread safety: every method from any thread.

#pragma once

#include <atomic>
#include <cstdint>

#include "port/port.h"

namespace ROCKSDB_NAMESPACE {

class ColdFraction {
 public:
  static constexpr int kSteps = 8;
  // Crossings before anything is concluded from them.
  static constexpr int kMinCrossings = 8;

  // In [1 / kSteps, 1]. 1 until enough has been measured.
  double value() const {
    return steps_.load(std::memory_order_relaxed) / double{kSteps};
  }

  // A compaction took `fast_input_bytes` from the last fast level and wrote
  // `retained_bytes` of them back.
  void OnCrossing(uint64_t fast_input_bytes, uint64_t retained_bytes);

 private:
  std::atomic<int> steps_{kSteps};

  port::Mutex mutex_;
  // Protected by mutex_: sums in which older crossings fade.
  double input_bytes_ = 0;
  double cold_bytes_ = 0;
  int crossings_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
