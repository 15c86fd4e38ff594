//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The background jobs of one column family's HotRAP: schedules them, knows
// whether any is left, and ends them when the DB closes.
//
// A job holds a reference to the column family, and thus keeps everything that
// HotRAP has there alive. Its last act may destroy this object.
//
// Thread safety: any thread, unless a comment says otherwise.

#pragma once

#include <atomic>
#include <functional>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;

class TierJobs {
 public:
  enum class Pool {
    kCompactions,  // where a flush does not wait behind a job
    kRalt,         // RaltThread(), where no compaction waits
    kTicks,        // TickThread(), where nobody waits for a disk
  };

  TierJobs(DBImpl* db, ColumnFamilyData* cfd) : db_(db), cfd_(cfd) {}
  // The caller destroys the column family, so it held the last reference, and a
  // running job holds one.
  ~TierJobs();
  TierJobs(const TierJobs&) = delete;
  TierJobs& operator=(const TierJobs&) = delete;

  // Runs `work` in a pool, without the DB mutex. Once the jobs are stopped, it
  // does nothing, or does not start what waits in a queue. REQUIRES: the caller
  // keeps the column family alive.
  void Schedule(Pool pool, std::function<void()> work);

  // A running job should end at its next step.
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  // Whether a job is scheduled or runs.
  bool busy() const { return jobs_.load(std::memory_order_acquire) > 0; }

  // No job starts from here on. The caller waits until busy() is false, for the
  // DB's signal of background work. REQUIRES: DB mutex held.
  void Stop();

 private:
  struct Job;

  // Returns false if no job may run.
  bool Begin();
  // May destroy the object.
  void End();
  static void Run(void* job);
  // Called by Stop(), with the DB mutex held.
  static void Unschedule(void* job);

  DBImpl* const db_;
  ColumnFamilyData* const cfd_;
  std::atomic<bool> stopped_{false};
  std::atomic<int> jobs_{0};
};

}  // namespace ROCKSDB_NAMESPACE
