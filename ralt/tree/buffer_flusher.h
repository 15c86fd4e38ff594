//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "plugin/hotrap/ralt/access/access_buffer.h"
#include "plugin/hotrap/ralt/access/access_clock.h"
#include "plugin/hotrap/ralt/access/buffer_cursor.h"
#include "plugin/hotrap/ralt/access/recent_keys.h"
#include "plugin/hotrap/ralt/access/record_cursor.h"
#include "plugin/hotrap/ralt/heat/first_reads.h"
#include "plugin/hotrap/ralt/heat/hit_rate_sample.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/ralt_stats.h"
#include "plugin/hotrap/ralt/tree/flush_figures.h"
#include "plugin/hotrap/ralt/tree/run_store.h"
#include "plugin/hotrap/ralt/tree/space_budget.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The part of RALT's background job that writes the sealed accesses into a run
// of level 0, as far as there is room.
//
// Thread safety: AddTo(), first_reads_count() and SetDataBytes() may be called
// from any thread, the others by the background job.
class BufferFlusher {
 public:
  // All must outlive the flusher.
  BufferFlusher(const RaltOptions& options, const Scoring& scoring,
                AccessClock* clock, AccessBuffer* buffer,
                RecentKeys* recent_keys, RunStore* store, SpaceBudget* space,
                HitRateSample* sample);

  BufferFlusher(const BufferFlusher&) = delete;
  BufferFlusher& operator=(const BufferFlusher&) = delete;

  Status Flush();

  // Called once the runs have been loaded.
  void Start() {
    figures_.time = clock_->Now();
    flushed_until_bytes_ = clock_->accessed_bytes();
  }
  const FlushFigures& figures() const { return figures_; }

  // Returns whether another flush would wait too long for a merge. On a disk
  // that is too slow for merges and evictions, runs would otherwise pile up
  // beyond all limits. Instead the buffers fill up to their cap, and then
  // accesses are dropped and counted.
  bool IsCrowded() const;
  // Returns whether a flush has to wait for the end of the running merge.
  bool MustWait() const;

  // See Ralt::SetTierSizes().
  void SetDataBytes(uint64_t bytes) {
    data_bytes_.store(bytes, std::memory_order_relaxed);
  }
  bool first_reads_count() const { return first_reads_.count(); }

  void AddTo(RaltStats* stats) const;

 private:
  // A survey of what is about to be flushed.
  struct Survey {
    uint64_t records = 0;
    // Estimated size as a run.
    uint64_t run_bytes = 0;
    // Share of keys that no run has, from a sample.
    double new_share = 0;
  };
  // Shows each key to the sample of hit rates and to first_reads_, too.
  Survey Look(const SealedAccesses& sealed, BufferCursor* cursor);
  // Returns a rank such that records of at least this rank fit into `room`.
  Rank RankThatFits(RecordCursor* cursor, const Survey& survey, uint64_t room);
  // Forgets recent keys that no longer count.
  void BeginPeriod(const SealedAccesses& sealed);
  // Writes the records that there is room for. *file is nullptr if there are
  // none. *records is the number of records, written or not.
  Status WriteWhatFits(const SealedAccesses& sealed, uint64_t* records,
                       std::shared_ptr<RunFile>* file);
  Status InstallRun(const std::shared_ptr<RunFile>& file);
  // Logs a warning, once.
  void WarnOfNoRoom();

  const RaltOptions& options_;
  const Scoring& scoring_;
  AccessClock* const clock_;
  AccessBuffer* const buffer_;
  RecentKeys* const recent_keys_;
  RunStore* const store_;
  SpaceBudget* const space_;
  HitRateSample* const sample_;
  Random64 random_;
  FlushFigures figures_;
  FirstReads first_reads_;
  // Of the clock, at the last seal.
  uint64_t flushed_until_bytes_ = 0;
  std::atomic<uint64_t> data_bytes_{0};
  // Consecutive flushes without a key for recent_keys_.
  uint32_t flushes_without_keys_ = 0;
  bool warned_of_no_room_ = false;

  // Written by the background job, read by anyone.
  std::atomic<uint64_t> flushes_{0};
  std::atomic<uint64_t> bytes_flushed_{0};
  std::atomic<uint64_t> lost_accesses_{0};
  std::atomic<uint64_t> records_without_room_{0};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
