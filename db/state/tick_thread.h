//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "util/threadpool_imp.h"

namespace ROCKSDB_NAMESPACE {

// One thread of the process for jobs that wait for time to pass, and for no
// disk. Like RaltThread(). Thread-safe.
ThreadPoolImpl* TickThread();

// The process exits: it takes no more jobs, and a DB that is closed now would
// wait for them. Thread-safe.
bool TickThreadHasEnded();

}  // namespace ROCKSDB_NAMESPACE
