//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Schedules RALT's background job, pauses after an error, and retries.

#include <algorithm>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/ralt_impl.h"
#include "plugin/hotrap/ralt/ralt_thread.h"
#include "test_util/sync_point.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kMicrosPerSec = 1000000;
}  // namespace

bool RaltImpl::WorkIsDue() const {
  return settle_due_ || buffer_.ready_to_seal() ||
         flushes_answered_ < flushes_requested_;
}

void RaltImpl::MaybeSchedule() {
  mutex_.AssertHeld();
  if (scheduled_ || cancelled() || !background_error_.ok() || !WorkIsDue() ||
      RaltThreadHasEnded()) {
    return;
  }
  scheduled_ = true;
  RaltThread()->Schedule(&RaltImpl::RunScheduled, this, this,
                         &RaltImpl::Unscheduled);
}

Status RaltImpl::Flush() {
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

Status RaltImpl::WaitForIdle() {
  MutexLock lock(&mutex_);
  MaybeSchedule();
  while (scheduled_) {
    job_ended_.Wait();
  }
  return background_error_;
}

void RaltImpl::RunScheduled(void* ralt) {
  static_cast<RaltImpl*>(ralt)->RunJob();
}

void RaltImpl::Unscheduled(void* ralt) {
  auto* const self = static_cast<RaltImpl*>(ralt);
  MutexLock lock(&self->mutex_);
  self->scheduled_ = false;
  self->job_ended_.SignalAll();
}

void RaltImpl::RunJob() {
  TEST_SYNC_POINT("RaltImpl::RunJob");
  const uint64_t start_micros = NowMicros();
  const Status s = DoWork();
  background_micros_.fetch_add(NowMicros() - start_micros,
                               std::memory_order_relaxed);
  MutexLock lock(&mutex_);
  if (s.ok()) {
    flush_is_asked_for_ = false;
    flushes_answered_ = std::max(flushes_answered_, flushed_ticket_);
    settle_due_ = false;
  } else if (!s.IsShutdownInProgress()) {
    Pause(s);
  }
  scheduled_ = false;
  MaybeSchedule();
  job_ended_.SignalAll();
}

// The wall clock may jump backwards.
uint64_t RaltImpl::NowMicros() const {
  return options_.clock->NowNanos() / 1000;
}

void RaltImpl::Pause(const Status& s) {
  mutex_.AssertHeld();
  ROCKS_LOG_WARN(options_.info_log,
                 "[%s] RALT pauses, the hot set does not change: %s",
                 options_.cf_name.c_str(), s.ToString().c_str());
  background_errors_.fetch_add(1, std::memory_order_relaxed);
  background_error_ = s;
  buffer_.SetPaused(true);
  retry_at_micros_.store(
      NowMicros() + options_.retry_after_error_secs * kMicrosPerSec,
      std::memory_order_relaxed);
  paused_.store(true, std::memory_order_relaxed);
}

void RaltImpl::Resume() {
  mutex_.AssertHeld();
  background_error_ = Status::OK();
  buffer_.SetPaused(false);
  paused_.store(false, std::memory_order_relaxed);
}

void RaltImpl::MaybeResume() {
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
