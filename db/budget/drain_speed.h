//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The speed at which crossings empty the fast tier: that of one, as measured,
// times those that run. So it is what the disks can do, not what was needed of
// them.
//
// Thread safety: any thread. The locks of this room are leaves.

#pragma once

#include <algorithm>
#include <cstdint>

#include "port/port.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

class DrainSpeed {
 public:
  // A compaction that takes from the fast tier begins and ends; a crossing or
  // one within the tier.
  void Begin(bool crosses) {
    MutexLock lock(&mutex_);
    running_++;
    crossings_ += crosses ? 1 : 0;
  }
  void End(bool crosses) {
    MutexLock lock(&mutex_);
    running_--;
    crossings_ -= crosses ? 1 : 0;
  }

  // A crossing took `bytes` off the fast tier, in this time.
  void OnCrossing(uint64_t bytes, uint64_t micros) {
    const double speed = static_cast<double>(bytes) * 1e6 /
                         static_cast<double>(std::max<uint64_t>(1, micros));
    MutexLock lock(&mutex_);
    bytes_per_sec_ = bytes_per_sec_ == 0
                         ? speed
                         : bytes_per_sec_ + kWeight * (speed - bytes_per_sec_);
  }

  // 0 while unknown.
  uint64_t bytes_per_sec() const {
    MutexLock lock(&mutex_);
    return static_cast<uint64_t>(bytes_per_sec_ * std::max(1, crossings_));
  }
  // Whether any such compaction runs.
  bool drains() const {
    MutexLock lock(&mutex_);
    return running_ > 0;
  }

 private:
  // Of the newest crossing.
  static constexpr double kWeight = 0.2;

  mutable port::Mutex mutex_;
  double bytes_per_sec_ = 0;
  int running_ = 0;
  int crossings_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
