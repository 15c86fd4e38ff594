//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "util/threadpool_imp.h"

namespace ROCKSDB_NAMESPACE {

// The thread in which all RALTs of the process do their background work, and
// other work that waits for RALT's files. It is not one of the Env's pools, so
// that flushes and compactions continue while the disk does not respond to
// RALT. It ends when the process exits; objects that are destroyed later may
// still call these functions, but it accepts no more work. Thread-safe.
ThreadPoolImpl* RaltThread();
bool RaltThreadHasEnded();

}  // namespace ROCKSDB_NAMESPACE
