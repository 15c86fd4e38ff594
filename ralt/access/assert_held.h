//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cassert>

#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Fails in a debug build if nobody holds the mutex. SpinMutex has no
// AssertHeld().
inline void AssertHeld([[maybe_unused]] SpinMutex* mutex) {
#ifndef NDEBUG
  const bool is_free = mutex->try_lock();
  assert(!is_free);
#endif
}

}  // namespace ROCKSDB_NAMESPACE::ralt
