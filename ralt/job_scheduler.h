//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Runs RALT's background job in RALT's thread, at most one at a time; pauses
// after an error, and retries.
//
// Thread safety: every method may be called from any thread, except for
// served_flush() and ServeFlush(), which are the job's own.
//
// Lock order: mutex_ first, then the mutex of the thread pool. The job runs
// without it. Taken by one access in many thousands, which schedules the job.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "plugin/hotrap/ralt/access/access_buffer.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/ralt_stats.h"
#include "port/port.h"

namespace ROCKSDB_NAMESPACE::ralt {

class JobScheduler {
 public:
  // `job` is called in RALT's thread when the buffer is ready to be sealed,
  // when a caller of Flush() waits, and once after Start(). All must outlive
  // the scheduler.
  JobScheduler(const RaltOptions& options, AccessBuffer* buffer,
               std::function<Status()> job);

  JobScheduler(const JobScheduler&) = delete;
  JobScheduler& operator=(const JobScheduler&) = delete;

  // Called once, with the result of what was done to open RALT.
  void Start(const Status& opened);

  // Schedules the job if it is due.
  void ScheduleIfDue();
  // Schedules it in any case, once more if it runs.
  void RunOnce();

  // From now on no job starts, and the running one should end.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Cancels, and waits until the job has ended.
  void Stop();

  bool paused() const { return paused_.load(std::memory_order_relaxed); }
  // Ends a pause if it has lasted long enough. Called for each dropped access.
  void MaybeResume();
  // Returns the error because of which RALT is paused, or OK.
  Status BackgroundError() const;

  // See Ralt.
  Status Flush();
  Status WaitForIdle();

  // The newest request of a caller of Flush(), for the job; and the one that
  // the job has served so far.
  uint64_t RequestedFlush() const;
  uint64_t served_flush() const { return served_flush_; }
  void ServeFlush(uint64_t request) { served_flush_ = request; }

  void AddTo(RaltStats* stats) const;

 private:
  static void RunScheduled(void* scheduler);
  static void Unscheduled(void* scheduler);
  void RunJob();
  uint64_t NowMicros() const;

  // REQUIRES: mutex_ held.
  bool JobIsDue() const;
  void MaybeSchedule();
  void Pause(const Status& s);
  void Resume();

  const RaltOptions& options_;
  AccessBuffer* const buffer_;
  const std::function<Status()> job_;

  std::atomic<bool> cancelled_{false};
  std::atomic<bool> paused_{false};
  std::atomic<uint64_t> retry_at_micros_{0};
  std::atomic<uint64_t> background_micros_{0};
  std::atomic<uint64_t> background_errors_{0};
  // Of the job.
  uint64_t served_flush_ = 0;

  mutable port::Mutex mutex_;
  port::CondVar job_ended_;
  // State below is protected by mutex_.
  bool scheduled_ = false;
  // Runs may need to be loaded or merged, as left behind at the last close.
  uint64_t runs_requested_ = 1;
  uint64_t runs_answered_ = 0;
  uint64_t flushes_requested_ = 0;
  uint64_t flushes_answered_ = 0;
  Status background_error_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
