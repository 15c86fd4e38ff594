//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Measures a read, if it is a sample of TierSpeeds, or if ReadLatencies is on.
//
// A sample that lost its CPU does not count: a read of 6 us from the page cache
// takes 10 ms then, and one in a few hundred does where threads outnumber CPUs.
//
// Thread safety: for one read, in its thread.

#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "plugin/hotrap/db/state/read_latencies.h"
#include "plugin/hotrap/db/state/thread_switches.h"
#include "plugin/hotrap/db/state/tier_speeds.h"

namespace ROCKSDB_NAMESPACE {

class ReadTimer {
 public:
  // A read begins.
  void Start(const TierSpeeds& speeds, const ReadLatencies& latencies) {
    StartSample(speeds);
    if (start_nanos_ == 0 && latencies.on()) {
      start_nanos_ = latencies.NowNanos();
    }
  }
  // The same for a batch of reads, which ReadLatencies is not told of.
  void StartSample(const TierSpeeds& speeds) {
    is_sample_ = speeds.IsSample();
    if (is_sample_) {
      switches_ = ThreadSwitches::OfThisThread();
      start_nanos_ = speeds.NowNanos();
    }
  }

  bool started() const { return start_nanos_ > 0; }

  // The read is answered. Returns what TierSpeeds::Count() does. REQUIRES:
  // started
  bool Stop(ReadLatencies::Source source, TierSpeeds::Device device,
            ReadLatencies* latencies, TierSpeeds* speeds) const {
    assert(started());
    const uint64_t now = latencies->NowNanos();
    latencies->Count(source, now - start_nanos_);
    return is_sample_ && Count(device, now - start_nanos_, now, speeds);
  }
  // The same for a batch, which has read so many blocks; their mean counts.
  bool StopSample(TierSpeeds::Device device, uint64_t blocks,
                  TierSpeeds* speeds) const {
    assert(started());
    const uint64_t now = speeds->NowNanos();
    return Count(device, (now - start_nanos_) / std::max<uint64_t>(1, blocks),
                 now, speeds);
  }

 private:
  bool Count(TierSpeeds::Device device, uint64_t nanos, uint64_t now_nanos,
             TierSpeeds* speeds) const {
    bool waited = false;
    if (device != TierSpeeds::Device::kNone) {
      const ThreadSwitches now = ThreadSwitches::OfThisThread();
      waited = now.WaitedSince(switches_);
      if (!now.HadTheCpuSince(switches_, nanos)) {
        device = TierSpeeds::Device::kNone;
      }
    }
    return speeds->Count(device, waited, nanos, now_nanos);
  }

  bool is_sample_ = false;
  ThreadSwitches switches_;
  // 0 if the read is not measured.
  uint64_t start_nanos_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
