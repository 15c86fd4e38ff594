//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RALT's logical time: the HotRAP bytes accessed, divided into slices, which
// age the scores (paper section 3.2), and periods, which lower the counters
// (paper section 3.7).
//
// Thread-safe. Advance() never waits: it only tries a spin lock, and only when
// a slice ends.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "plugin/hotrap/ralt/access/access_record.h"
#include "plugin/hotrap/ralt/access/assert_held.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

class AccessClock {
 public:
  // The part of the clock's state that the manifest stores.
  struct State {
    uint64_t accessed_bytes = 0;
    uint64_t tick = 0;
    uint64_t slice_start_bytes = 0;
  };

  // `period_bytes` is constant during the clock's lifetime; see
  // ContinuePeriods().
  AccessClock(uint64_t slice_bytes, uint64_t period_bytes)
      : slice_bytes_(slice_bytes),
        period_bytes_(std::max<uint64_t>(period_bytes, 1)) {
    slice_end_bytes_.store(slice_bytes, std::memory_order_relaxed);
  }

  void Advance(uint64_t bytes) {
    const uint64_t accessed =
        accessed_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (accessed >= slice_end_bytes_.load(std::memory_order_relaxed) &&
        mutex_.try_lock()) {
      EndSlices(accessed);
      mutex_.unlock();
    }
  }

  // Returns the current time. Its period is a whole number of periods: all
  // counters fall by one when a period ends (Algorithm 1), not continuously.
  LogicalTime Now() const {
    return {tick_.load(std::memory_order_relaxed),
            PeriodsOf(accessed_bytes()) +
                period_offset_.load(std::memory_order_relaxed)};
  }

  uint64_t tick() const { return tick_.load(std::memory_order_relaxed); }

  uint64_t accessed_bytes() const {
    return accessed_bytes_.load(std::memory_order_relaxed);
  }

  uint64_t slice_bytes() const {
    return slice_bytes_.load(std::memory_order_relaxed);
  }

  // Takes effect with the next slice.
  void SetSliceBytes(uint64_t bytes) {
    slice_bytes_.store(std::max<uint64_t>(bytes, 1), std::memory_order_relaxed);
  }

  State Save() {
    std::lock_guard<SpinMutex> lock(mutex_);
    return {accessed_bytes(), tick(), slice_start_bytes_};
  }

  // REQUIRES: Advance() was not called yet.
  void Restore(const State& state) {
    std::lock_guard<SpinMutex> lock(mutex_);
    accessed_bytes_.store(state.accessed_bytes, std::memory_order_relaxed);
    tick_.store(state.tick, std::memory_order_relaxed);
    slice_start_bytes_ = state.slice_start_bytes;
    slice_end_bytes_.store(state.slice_start_bytes + slice_bytes(),
                           std::memory_order_relaxed);
  }

  // Makes `period`, the last one that records were written in, the current
  // period. If the length of periods has changed since then, the accessed bytes
  // give a different period, and all counters would expire at once or hardly
  // ever.
  void ContinuePeriods(uint64_t period) {
    period_offset_.store(period - PeriodsOf(accessed_bytes()),
                         std::memory_order_relaxed);
  }

 private:
  uint64_t PeriodsOf(uint64_t bytes) const {
    return bytes / period_bytes_ * kCounterUnit;
  }

  // One large access may end many slices. REQUIRES: mutex_ held.
  void EndSlices(uint64_t accessed) {
    AssertHeld(&mutex_);
    const uint64_t slice = slice_bytes();
    if (accessed < slice_start_bytes_ + slice) {
      return;
    }
    const uint64_t passed = (accessed - slice_start_bytes_) / slice;
    slice_start_bytes_ += passed * slice;
    tick_.store(tick() + passed, std::memory_order_relaxed);
    slice_end_bytes_.store(slice_start_bytes_ + slice,
                           std::memory_order_relaxed);
  }

  std::atomic<uint64_t> accessed_bytes_{0};
  std::atomic<uint64_t> tick_{0};
  std::atomic<uint64_t> slice_end_bytes_{0};
  std::atomic<uint64_t> slice_bytes_;
  const uint64_t period_bytes_;
  // Added to the period that follows from the bytes; wraps around to subtract.
  std::atomic<uint64_t> period_offset_{0};

  SpinMutex mutex_;
  // Protected by mutex_.
  uint64_t slice_start_bytes_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
