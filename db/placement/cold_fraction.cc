//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/cold_fraction.h"

#include <algorithm>
#include <cmath>

#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// The fraction of a crossing's weight that is left after the next one.
constexpr double kFade = 15.0 / 16;

// In steps. Rounding changes at half a step; the rest is the margin.
constexpr double kMargin = 0.75;
}  // namespace

void ColdFraction::OnCrossing(uint64_t fast_input_bytes,
                              uint64_t retained_bytes) {
  if (fast_input_bytes == 0) {
    return;
  }
  const uint64_t kept_bytes = std::min(fast_input_bytes, retained_bytes);
  MutexLock lock(&mutex_);
  input_bytes_ = input_bytes_ * kFade + static_cast<double>(fast_input_bytes);
  cold_bytes_ =
      cold_bytes_ * kFade + static_cast<double>(fast_input_bytes - kept_bytes);
  if (crossings_ < kMinCrossings && ++crossings_ < kMinCrossings) {
    return;
  }
  const double measured = cold_bytes_ / input_bytes_ * kSteps;
  const int steps = steps_.load(std::memory_order_relaxed);
  if (std::abs(measured - steps) >= kMargin) {
    steps_.store(std::clamp(static_cast<int>(std::lround(measured)), 1, kSteps),
                 std::memory_order_relaxed);
  }
}

}  // namespace ROCKSDB_NAMESPACE
