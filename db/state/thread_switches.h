//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells whether a thread has lost its CPU, so that a time says nothing about
// what the thread did, and whether it has waited.
//
// Thread-safe.

#pragma once

#include <cstdint>

#ifdef __linux__
#include <sys/resource.h>
#endif

#include "rocksdb/rocksdb_namespace.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

struct ThreadSwitches {
  // How often the calling thread was preempted so far, and how often it gave up
  // its CPU to wait: for a disk, or for another thread.
  int64_t preempted = 0;
  int64_t waited = 0;
  // If not, the figures do not change.
  bool known = false;

  // A read that does not wait for a disk takes less, unless it has lost its
  // CPU.
  static constexpr uint64_t kMostWithoutWait = 1000 * 1000;  // ns

  // Whether the thread has waited since then; true where that is not known.
  bool WaitedSince(const ThreadSwitches& before) const {
    return waited != before.waited || !known;
  }
  // Whether a read that began then, and took so long, had its CPU. The system
  // counts preemptions, but not what a hypervisor takes away.
  bool HadTheCpuSince(const ThreadSwitches& before, uint64_t nanos) const {
    return preempted == before.preempted &&
           (WaitedSince(before) || nanos <= kMostWithoutWait);
  }

  // About a microsecond.
  static ThreadSwitches OfThisThread() {
    ThreadSwitches switches;
#ifdef RUSAGE_THREAD
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
      switches = {usage.ru_nivcsw, usage.ru_nvcsw, true};
    }
#endif
    TEST_SYNC_POINT_CALLBACK("ThreadSwitches::OfThisThread", &switches);
    return switches;
  }
};

}  // namespace ROCKSDB_NAMESPACE
