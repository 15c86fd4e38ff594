//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tick_thread.h"

#include "port/lang.h"
#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Ends the thread when the process exits, like the threads of Env::Default().
struct JoinOnExit {
  ~JoinOnExit() { threads.JoinAllThreads(); }
  ThreadPoolImpl& threads;
};

ThreadPoolImpl* Start(ThreadPoolImpl* threads) {
  threads->SetThreadPriority(Env::Priority::USER);
  threads->SetBackgroundThreads(1);
  return threads;
}

}  // namespace

ThreadPoolImpl* TickThread() {
  STATIC_AVOID_DESTRUCTION(ThreadPoolImpl, threads);
  static ThreadPoolImpl* const started = Start(&threads);
  static const JoinOnExit join_on_exit{threads};
  return started;
}

}  // namespace ROCKSDB_NAMESPACE
