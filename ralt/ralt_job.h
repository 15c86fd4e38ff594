//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <cstdint>

#include "plugin/hotrap/ralt/access/access_buffer.h"
#include "plugin/hotrap/ralt/access/access_clock.h"
#include "plugin/hotrap/ralt/access/recent_keys.h"
#include "plugin/hotrap/ralt/job_scheduler.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/tree/buffer_flusher.h"
#include "plugin/hotrap/ralt/tree/run_store.h"
#include "plugin/hotrap/ralt/tree/space_budget.h"
#include "plugin/hotrap/ralt/tree/tree_keeper.h"

namespace ROCKSDB_NAMESPACE::ralt {

// RALT's background job: loads the runs, flushes the buffers, keeps the tree in
// shape, and starts empty where files cannot be used.
//
// Thread safety: loaded(), new_share(), first_reads_count(), SetLearning(),
// SetDataBytes() and AddTo() may be called from any thread. Open() comes before
// the first job, Close() after the last one.
class RaltJob {
 public:
  // All must outlive the job.
  RaltJob(const RaltOptions& options, const Scoring& scoring,
          AccessClock* clock, AccessBuffer* buffer, RecentKeys* recent_keys,
          RunStore* store, JobScheduler* scheduler, HitRateSample* sample);

  RaltJob(const RaltJob&) = delete;
  RaltJob& operator=(const RaltJob&) = delete;

  // Reads the manifest, and small runs.
  Status Open();
  Status Run();
  // Flushes the buffers.
  Status Close();

  bool loaded() const { return loaded_.load(std::memory_order_acquire); }
  double new_share() const { return keeper_.new_share(); }
  void SetLearning(bool learning) { keeper_.SetLearning(learning); }
  void SetDataBytes(uint64_t bytes) { flusher_.SetDataBytes(bytes); }
  bool first_reads_count() const { return flusher_.first_reads_count(); }
  void AddTo(RaltStats* stats) const;

 private:
  Status DoDueWork();
  Status LoadRuns();
  Status FlushIfDue();
  // Keeps the curve of hit rates for tools, which cannot ask this process. Best
  // effort.
  void SaveHitRates();

  const RaltOptions& options_;
  AccessBuffer* const buffer_;
  RunStore* const store_;
  JobScheduler* const scheduler_;
  HitRateSample* const sample_;
  SpaceBudget space_;
  BufferFlusher flusher_;
  TreeKeeper keeper_;

  uint32_t flushes_unsaved_ = 0;
  bool recovered_ = false;
  std::atomic<bool> loaded_{false};
  uint32_t failed_jobs_ = 0;  // consecutive, because of failed reads
};

}  // namespace ROCKSDB_NAMESPACE::ralt
