//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Lock order: mutex_ first, then the spin locks of AccessBuffer, AccessClock
// and VersionHolder and the mutexes of RunStore and the thread pool. Only
// mutex_ is held for more than a few instructions. RecordAccess and IsHot do
// not take mutex_, except for the one access in many thousands that schedules
// the background job.
//
// At most one background job is scheduled or running at a time. Only it uses
// the members marked "of the background job"; Open uses them before the first
// job, and the destructor after the last one.

#pragma once

#include <atomic>
#include <memory>

#include "plugin/hotrap/ralt/access_buffer.h"
#include "plugin/hotrap/ralt/access_clock.h"
#include "plugin/hotrap/ralt/eviction.h"
#include "plugin/hotrap/ralt/merge_job.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/recent_keys.h"
#include "plugin/hotrap/ralt/run_store.h"
#include "port/port.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RaltImpl : public Ralt {
 public:
  // REQUIRES: `options` are sanitized.
  explicit RaltImpl(const RaltOptions& options);
  ~RaltImpl() override;

  // The part of Open that does I/O.
  void Start();

  void RecordAccess(const Slice& user_key, uint64_t value_bytes,
                    uint32_t weight, bool fast) override;
  bool IsHot(const Slice& user_key) const override;
  bool IsHotWithOneMoreAccess(const Slice& user_key) const override;
  bool SecondAccessMakesHot() const override {
    return store_.hot_score() <= Scoring::kFirstScore;
  }
  void SetLearning(bool learning) override {
    learning_.store(learning, std::memory_order_relaxed);
  }
  uint64_t HotBytes(const Slice& begin, const Slice& end,
                    uint64_t* error) const override;
  std::optional<uint64_t> PhysicalBytes() const override;
  Status Flush() override;
  Status WaitForIdle() override;
  void CancelWork() override;
  RaltStats GetStats() const override;
  Status BackgroundError() const override;

 private:
  static void RunScheduled(void* ralt);
  static void Unscheduled(void* ralt);

  // REQUIRES: mutex_ held.
  void MaybeSchedule();
  bool WorkIsDue() const;
  uint64_t NowMicros() const;
  void Pause(const Status& s);
  void Resume();

  // Retries a paused Ralt. Triggered by the accesses that it drops.
  void MaybeResume();

  // The background job and its steps.
  void RunJob();
  Status DoWork();
  Status DoDueWork();
  Status LoadRuns();
  Status FlushBuffer();
  Status FlushIfDue();
  // Returns whether another flush would wait too long for a merge. On a disk
  // that is too slow for merges and evictions, runs would otherwise pile up
  // beyond all limits. Instead the buffers fill up to their cap, and then
  // accesses are dropped and counted.
  bool Crowded() const;
  // Runs a merge to its end, step by step, with flushes in between.
  Status RunMerge(MergeJob* job);
  Status MergeLevel(size_t level);
  Status MoveLevel(size_t from, size_t to);
  Status Evict();
  // Passes every record to the planner, with flushes in between.
  Status ScanVersion(const Version& version, EvictionPlanner* planner);
  // Merges levels and evicts until neither is due.
  Status Settle();

  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  double new_share() const {
    return new_share_.load(std::memory_order_relaxed);
  }
  // A survey of what is about to be flushed.
  struct BufferSurvey {
    uint64_t records = 0;
    // Estimated size as a run.
    uint64_t run_bytes = 0;
    // Share of keys that no run has, from a sample.
    double new_share = 0;
  };
  BufferSurvey Survey(RecordCursor* cursor) const;
  // Returns a rank such that records of at least this rank fit into `room`.
  Rank RankThatFits(RecordCursor* cursor, const BufferSurvey& survey,
                    uint64_t room);

  // The limit on the total size of RALT's files, at any time.
  uint64_t PhysicalLimit() const;
  // Returns whether existing runs must be merged or evicted before the next
  // flush.
  bool SpaceIsShort(const Version& version) const;
  // Returns the room for the run of a flush. Between BeginMerge() and
  // EndMerge(), it excludes what the merge may need.
  uint64_t RoomForFlush() const;
  bool FlushMustWait() const;
  void BeginMerge();
  void EndMerge();
  void NoteFlushedBytes(uint64_t bytes);
  // Logs a warning, once.
  void WarnOfNoRoom();
  uint64_t LevelCapacity(size_t level) const;
  // Returns the number of runs in level 0 that start a merge.
  size_t Level0Runs(const Version& version) const;
  // Returns the first level that is due to be merged into the next one.
  size_t FullLevel(const Version& version) const;
  bool OverLimits(const Version& version) const;
  // Returns what a hot set that is being learned may take beyond the limit on
  // merged records.
  uint64_t RoomToLearn(const VersionTotals& totals) const;
  // Returns the deepest level if it is the only one and would fit one level
  // further up, because an eviction has shrunk it.
  size_t LevelWithTooMuchRoom(const Version& version) const;
  // Records how many keys of the upper levels were new in the deepest level, as
  // found by a merge into it.
  void LearnNewShare(uint64_t upper_records, uint64_t deepest_records,
                     uint64_t merged_records);
  MergeContext MakeMergeContext();

  const RaltOptions options_;
  const Scoring scoring_;
  AccessClock access_clock_;
  AccessBuffer buffer_;
  RecentKeys recent_keys_;
  RunStore store_;
  const uint64_t max_key_bytes_;

  std::atomic<uint64_t> accesses_too_large_{0};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> paused_{false};
  std::atomic<bool> learning_{false};
  std::atomic<uint64_t> retry_at_micros_{0};

  // Of the background job.
  bool recovered_ = false;
  uint32_t failed_jobs_ = 0;         // consecutive, because of failed reads
  std::atomic<bool> loaded_{false};  // written by it only
  // The logical time when the buffers were last sealed. Merges and evictions
  // use it: a background job that lags behind must not age records by accesses
  // that it has not seen yet.
  LogicalTime data_time_;
  // The last flush request that was served.
  uint64_t flushed_ticket_ = 0;
  // Set if a caller of Flush() waits; the flushed runs are then merged, too.
  bool flush_is_asked_for_ = false;
  // Decaying maximum of the size of flushed runs; the unit of level sizes.
  uint64_t flushed_run_bytes_ = 0;
  // Share of new keys in the last flush; see also flushed_slow_share_, the
  // share of its accesses that went to the slow tier.
  double flushed_new_share_ = 0;
  // Consecutive flushes without a key for recent_keys_.
  uint32_t flushes_without_keys_ = 0;
  // The maximum size of all files during the running merge; 0 if none runs.
  uint64_t merge_peak_bytes_ = 0;
  bool warned_of_no_room_ = false;
  double flushed_slow_share_ = 1;
  Random64 random_;

  // Written by the background job, read by anyone. Share of records above the
  // deepest level whose keys are not in it.
  std::atomic<double> new_share_{1};
  std::atomic<uint64_t> flushes_{0};
  std::atomic<uint64_t> bytes_flushed_{0};
  std::atomic<uint64_t> merges_{0};
  std::atomic<uint64_t> evictions_{0};
  std::atomic<uint64_t> background_micros_{0};
  std::atomic<uint64_t> background_errors_{0};
  std::atomic<uint64_t> lost_accesses_{0};
  std::atomic<uint64_t> records_without_room_{0};

  mutable port::Mutex mutex_;
  port::CondVar job_ended_;
  // State below is protected by mutex_.
  bool scheduled_ = false;
  // Runs may need to be loaded or merged, as left behind at the last close.
  bool settle_due_ = true;
  uint64_t flushes_requested_ = 0;
  uint64_t flushes_answered_ = 0;
  Status background_error_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
