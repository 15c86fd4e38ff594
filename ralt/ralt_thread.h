//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "util/threadpool_imp.h"

namespace ROCKSDB_NAMESPACE {

// The one thread in which all RALTs of the process work, and whatever else
// waits for RALT's files. None of the Env's pools: while the disk does not
// answer RALT, flushes and compactions go on. It ends with the process, and
// takes no work any more, but can be asked by whoever is destroyed later.
// Thread safe.
ThreadPoolImpl* RaltThread();
bool RaltThreadHasEnded();

}  // namespace ROCKSDB_NAMESPACE
