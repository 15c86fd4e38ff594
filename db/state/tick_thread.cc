//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tick_thread.h"

#include <atomic>

#include "port/lang.h"
#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {

namespace {

std::atomic<bool> ticks_have_ended{false};

// Ends the thread when the process exits, like the threads of Env::Default().
struct JoinTicksOnExit {
  ~JoinTicksOnExit() {
    ticks_have_ended.store(true);
    threads.JoinAllThreads();
  }
  ThreadPoolImpl& threads;
};

ThreadPoolImpl* StartTicks(ThreadPoolImpl* threads) {
  threads->SetThreadPriority(Env::Priority::USER);
  threads->SetBackgroundThreads(1);
  return threads;
}

}  // namespace

ThreadPoolImpl* TickThread() {
  STATIC_AVOID_DESTRUCTION(ThreadPoolImpl, threads);
  static ThreadPoolImpl* const started = StartTicks(&threads);
  static const JoinTicksOnExit join_on_exit{threads};
  return started;
}

bool TickThreadHasEnded() { return ticks_have_ended.load(); }

}  // namespace ROCKSDB_NAMESPACE
