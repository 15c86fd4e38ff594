//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_thread.h"

#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {

namespace {

struct Pool {
  Pool() {
    threads.SetThreadPriority(Env::Priority::USER);
    threads.SetBackgroundThreads(1);
  }
  ~Pool() { threads.JoinAllThreads(); }

  ThreadPoolImpl threads;
};

}  // namespace

ThreadPoolImpl* RaltThread() {
  static Pool pool;
  return &pool.threads;
}

}  // namespace ROCKSDB_NAMESPACE
