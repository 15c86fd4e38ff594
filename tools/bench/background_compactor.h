//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Compacts random ranges of the DB with CompactRange while a workload runs.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <thread>

#include "plugin/hotrap/tools/bench/client.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Works in its own thread from construction to destruction. Errors go to the
// workload's log.
class BackgroundCompactor {
 public:
  // The first CompactRange starts at once, each following one `interval_secs`
  // after the end of the previous one.
  // REQUIRES: interval_secs > 0; there are keys to compact; `workload` outlives
  // this object.
  BackgroundCompactor(uint64_t interval_secs, Workload* workload);
  // Waits for a running compaction.
  ~BackgroundCompactor();
  BackgroundCompactor(const BackgroundCompactor&) = delete;
  BackgroundCompactor& operator=(const BackgroundCompactor&) = delete;

  // Constant after Stop(). REQUIRES: stopped
  uint64_t compactions() const { return compactions_; }
  // Waits for a running compaction. May be called twice.
  void Stop();

 private:
  void Run();
  void CompactRandomRange();

  const uint64_t interval_secs_;
  Workload* const workload_;
  // Used by the thread only.
  std::mt19937_64 rng_;
  uint64_t compactions_ = 0;

  std::mutex mutex_;
  std::condition_variable stop_asked_;
  // Protected by mutex_.
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
