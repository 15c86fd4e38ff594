//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_job.h"

#include <string>

#include "plugin/hotrap/ralt/run/format.h"
#include "util/coding.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// After this many consecutive failed reads, the job is not retried.
constexpr uint32_t kReadAttempts = 3;
// The file of hit rates is written after so many flushes, and at the end.
constexpr uint32_t kFlushesASave = 16;
// ... if it takes at most this part of the physical limit.
constexpr uint64_t kHitRatesDivisor = 256;
}  // namespace

RaltJob::RaltJob(const RaltOptions& options, const Scoring& scoring,
                 AccessClock* clock, AccessBuffer* buffer,
                 RecentKeys* recent_keys, RunStore* store,
                 JobScheduler* scheduler, HitRateSample* sample)
    : options_(options),
      buffer_(buffer),
      store_(store),
      scheduler_(scheduler),
      sample_(sample),
      flusher_(options, scoring, clock, buffer, recent_keys, store, &space_,
               sample),
      keeper_(
          options, scoring, flusher_.figures(), store, &space_,
          [scheduler] { return scheduler->cancelled(); },
          [this] { return FlushIfDue(); }) {}

void RaltJob::AddTo(RaltStats* stats) const {
  flusher_.AddTo(stats);
  keeper_.AddTo(stats);
}

Status RaltJob::Open() {
  Status s = store_->Recover();
  recovered_ = s.ok();
  if (recovered_ && store_->PendingLoadBytes() <= options_.inline_load_bytes) {
    s = LoadRuns();
  }
  return s;
}

Status RaltJob::Close() {
  if (!loaded()) {
    return Status::OK();
  }
  const Status s = flusher_.Flush();
  if (s.ok()) {
    SaveHitRates();
  }
  return s;
}

void RaltJob::SaveHitRates() {
  flushes_unsaved_ = 0;
  const HitRateCurve curve = sample_->Curve();
  std::string file;
  PutFixed64(&file, store_->env().stamp);
  curve.EncodeTo(&file);
  // Within what the physical limit leaves for manifests, where that is little.
  if (curve.points.empty() ||
      file.size() > store_->PhysicalLimit() / kHitRatesDivisor ||
      !store_->env().HasRoom(file.size())) {
    return;
  }
  WriteStringToFile(store_->env().fs.get(), file,
                    HitRatesFileName(options_.path), /*should_sync=*/false,
                    store_->env().io_options())
      .PermitUncheckedError();
}

Status RaltJob::Run() {
  const uint64_t failed_reads = store_->env().failed_reads;
  Status s = DoDueWork();
  if (s.ok()) {
    failed_jobs_ = 0;
  } else if (s.IsCorruption()) {
    store_->Reset(s);
    s = Status::OK();
  } else if (s.IsPathNotFound()) {
    s = store_->StartAnew(s);
  } else if (store_->env().failed_reads > failed_reads && s.IsIOError() &&
             !s.IsNoSpace() && ++failed_jobs_ >= kReadAttempts) {
    store_->Reset(s);
    failed_jobs_ = 0;
    s = Status::OK();
  }
  if (s.ok()) {
    keeper_.MergeAllRuns(false);
  }
  return s;
}

Status RaltJob::DoDueWork() {
  Status s;
  if (!recovered_) {
    s = store_->Recover();
    if (!s.ok()) {
      return s;
    }
    recovered_ = true;
  }
  if (!loaded_) {
    s = LoadRuns();
    if (!s.ok()) {
      return s;
    }
  }
  if (store_->manifest_in_doubt()) {
    // Until the manifest is certain, no file may be deleted, so settle it
    // first.
    s = store_->Install(store_->versions().Get(), store_->limits());
    if (!s.ok()) {
      return s;
    }
  }
  if (SpaceBudget::IsShort(store_->Use(*store_->versions().Get()),
                           store_->PhysicalLimit())) {
    // After errors, runs may be waiting that a merge would shrink.
    s = keeper_.Settle();
  }
  if (s.ok()) {
    s = FlushIfDue();
  }
  if (s.ok()) {
    s = keeper_.Settle();
  }
  store_->DeleteObsoleteFiles();
  return s;
}

Status RaltJob::LoadRuns() {
  const Status s = store_->LoadRuns([this] { return scheduler_->cancelled(); });
  if (s.ok()) {
    flusher_.Start();
    loaded_ = true;
  }
  return s;
}

Status RaltJob::FlushIfDue() {
  const uint64_t request = scheduler_->RequestedFlush();
  const bool asked_for = scheduler_->served_flush() != request;
  if (!asked_for && (!buffer_->ready_to_seal() || flusher_.IsCrowded())) {
    return Status::OK();
  }
  if (flusher_.MustWait()) {
    // The next job will serve the request.
    return Status::OK();
  }
  const Status s = flusher_.Flush();
  if (s.ok() && ++flushes_unsaved_ >= kFlushesASave) {
    SaveHitRates();
  }
  if (s.ok() && asked_for) {
    // The caller waits until the flushed runs are merged, too.
    keeper_.MergeAllRuns(true);
    scheduler_->ServeFlush(request);
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
