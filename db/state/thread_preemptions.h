//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells whether a thread has lost its CPU, so that a time says nothing about
// what the thread did.
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

// How often the calling thread was preempted so far; always the same where the
// system does not tell. About a microsecond.
inline int64_t ThreadPreemptions() {
  int64_t preemptions = 0;
#ifdef RUSAGE_THREAD
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) == 0) {
    preemptions = usage.ru_nivcsw;
  }
#endif
  TEST_SYNC_POINT_CALLBACK("ThreadPreemptions", &preemptions);
  return preemptions;
}

}  // namespace ROCKSDB_NAMESPACE
