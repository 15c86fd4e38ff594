//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/job_scheduler.h"

#include <algorithm>
#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/ralt_thread.h"
#include "test_util/sync_point.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kMicrosPerSec = 1000000;
}  // namespace

JobScheduler::JobScheduler(const RaltOptions& options, AccessBuffer* buffer,
                           std::function<Status()> job)
    : options_(options),
      buffer_(buffer),
      job_(std::move(job)),
      job_ended_(&mutex_) {}

void JobScheduler::Start(const Status& opened) {
  MutexLock lock(&mutex_);
  if (!opened.ok()) {
    Pause(opened);
  }
  MaybeSchedule();
}

void JobScheduler::ScheduleIfDue() {
  MutexLock lock(&mutex_);
  MaybeSchedule();
}

void JobScheduler::RunOnce() {
  MutexLock lock(&mutex_);
  runs_requested_++;
  MaybeSchedule();
}

void JobScheduler::Stop() {
  Cancel();
  {
    // A job that ends now must see the flag, or it would schedule another one.
    MutexLock lock(&mutex_);
  }
  RaltThread()->UnSchedule(this);
  MutexLock lock(&mutex_);
  while (scheduled_) {
    job_ended_.Wait();
  }
}

Status JobScheduler::BackgroundError() const {
  MutexLock lock(&mutex_);
  return background_error_;
}

uint64_t JobScheduler::RequestedFlush() const {
  MutexLock lock(&mutex_);
  return flushes_requested_;
}

void JobScheduler::AddTo(RaltStats* stats) const {
  stats->background_micros = background_micros_.load(std::memory_order_relaxed);
  stats->background_errors = background_errors_.load(std::memory_order_relaxed);
  stats->paused = paused();
}

bool JobScheduler::JobIsDue() const {
  mutex_.AssertHeld();
  return runs_answered_ < runs_requested_ || buffer_->ready_to_seal() ||
         flushes_answered_ < flushes_requested_;
}

void JobScheduler::MaybeSchedule() {
  mutex_.AssertHeld();
  if (scheduled_ || cancelled() || !background_error_.ok() || !JobIsDue() ||
      RaltThreadHasEnded()) {
    return;
  }
  scheduled_ = true;
  RaltThread()->Schedule(&JobScheduler::RunScheduled, this, this,
                         &JobScheduler::Unscheduled);
}

Status JobScheduler::Flush() {
  MutexLock lock(&mutex_);
  const uint64_t ticket = ++flushes_requested_;
  MaybeSchedule();
  while (flushes_answered_ < ticket && scheduled_) {
    job_ended_.Wait();
  }
  if (flushes_answered_ >= ticket) {
    return Status::OK();
  }
  return background_error_.ok() ? Status::ShutdownInProgress()
                                : background_error_;
}

Status JobScheduler::WaitForIdle() {
  MutexLock lock(&mutex_);
  MaybeSchedule();
  while (scheduled_) {
    job_ended_.Wait();
  }
  return background_error_;
}

void JobScheduler::RunScheduled(void* scheduler) {
  static_cast<JobScheduler*>(scheduler)->RunJob();
}

void JobScheduler::Unscheduled(void* scheduler) {
  auto* const self = static_cast<JobScheduler*>(scheduler);
  MutexLock lock(&self->mutex_);
  self->scheduled_ = false;
  self->job_ended_.SignalAll();
}

void JobScheduler::RunJob() {
  TEST_SYNC_POINT("JobScheduler::RunJob");
  const uint64_t start_micros = NowMicros();
  uint64_t run = 0;
  {
    MutexLock lock(&mutex_);
    run = runs_requested_;
  }
  const Status s = job_();
  background_micros_.fetch_add(NowMicros() - start_micros,
                               std::memory_order_relaxed);
  MutexLock lock(&mutex_);
  if (s.ok()) {
    flushes_answered_ = std::max(flushes_answered_, served_flush_);
    runs_answered_ = std::max(runs_answered_, run);
  } else if (!s.IsShutdownInProgress()) {
    Pause(s);
  }
  scheduled_ = false;
  MaybeSchedule();
  job_ended_.SignalAll();
}

// The wall clock may jump backwards.
uint64_t JobScheduler::NowMicros() const {
  return options_.clock->NowNanos() / 1000;
}

void JobScheduler::Pause(const Status& s) {
  mutex_.AssertHeld();
  ROCKS_LOG_WARN(options_.info_log,
                 "[%s] RALT pauses, the hot set does not change: %s",
                 options_.cf_name.c_str(), s.ToString().c_str());
  background_errors_.fetch_add(1, std::memory_order_relaxed);
  background_error_ = s;
  buffer_->SetPaused(true);
  retry_at_micros_.store(
      NowMicros() + options_.retry_after_error_secs * kMicrosPerSec,
      std::memory_order_relaxed);
  paused_.store(true, std::memory_order_relaxed);
}

void JobScheduler::Resume() {
  mutex_.AssertHeld();
  background_error_ = Status::OK();
  buffer_->SetPaused(false);
  paused_.store(false, std::memory_order_relaxed);
}

void JobScheduler::MaybeResume() {
  uint64_t retry_at = retry_at_micros_.load(std::memory_order_relaxed);
  const uint64_t now = NowMicros();
  // One caller wins the exchange; the others keep dropping accesses.
  if (now < retry_at ||
      !retry_at_micros_.compare_exchange_strong(
          retry_at, now + options_.retry_after_error_secs * kMicrosPerSec)) {
    return;
  }
  MutexLock lock(&mutex_);
  if (!background_error_.ok()) {
    Resume();
    ROCKS_LOG_INFO(options_.info_log, "[%s] RALT tries again",
                   options_.cf_name.c_str());
    MaybeSchedule();
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
