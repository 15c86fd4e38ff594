//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_jobs.h"

#include <cassert>
#include <memory>
#include <utility>

#include "db/job_context.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/state/tick_thread.h"
#include "plugin/hotrap/ralt/ralt_thread.h"

namespace ROCKSDB_NAMESPACE {

struct TierJobs::Job {
  TierJobs* jobs;
  std::function<void()> work;
};

TierJobs::~TierJobs() { assert(!busy()); }

void TierJobs::Schedule(Pool pool, std::function<void()> work) {
  if (!Begin()) {
    return;
  }
  auto* const job = new Job{this, std::move(work)};
  if (pool == Pool::kRalt) {
    RaltThread()->Schedule(&TierJobs::Run, job, /*tag=*/this,
                           &TierJobs::Unschedule);
  } else if (pool == Pool::kTicks) {
    TickThread()->Schedule(&TierJobs::Run, job, /*tag=*/this,
                           &TierJobs::Unschedule);
  } else {
    cfd_->ioptions().env->Schedule(&TierJobs::Run, job, Env::Priority::LOW,
                                   /*tag=*/this, &TierJobs::Unschedule);
  }
}

bool TierJobs::Begin() {
  jobs_.fetch_add(1);
  if (stopped()) {
    jobs_.fetch_sub(1);
    return false;
  }
  // The job keeps the column family, and thus this object, alive.
  cfd_->Ref();
  return true;
}

void TierJobs::Run(void* arg) {
  std::unique_ptr<Job> job(static_cast<Job*>(arg));
  TierJobs* const jobs = job->jobs;
  if (!jobs->stopped()) {
    job->work();
  }
  job.reset();
  jobs->End();
}

void TierJobs::End() {
  DBImpl* const db = db_;
  JobContext job_context(DbAccess(db).NextJobId());
  {
    InstrumentedMutexLock lock(db->mutex());
    const bool dropped = cfd_->IsDropped();
    jobs_.fetch_sub(1);
    if (cfd_->UnrefAndTryDelete() && dropped) {
      // Whoever dropped the column family could not delete its tables. From
      // here on, closing the DB waits for that.
      db->FindObsoleteFiles(&job_context, /*force=*/false);
    }
    DbAccess(db).work().SignalBackgroundWork();
  }
  if (job_context.HaveSomethingToDelete()) {
    db->PurgeObsoleteFiles(job_context);
  }
  job_context.Clean();
}

void TierJobs::Unschedule(void* arg) {
  const std::unique_ptr<Job> job(static_cast<Job*>(arg));
  job->jobs->jobs_.fetch_sub(1);
  job->jobs->cfd_->UnrefAndTryDelete();
}

void TierJobs::Stop() {
  db_->mutex()->AssertHeld();
  stopped_.store(true, std::memory_order_release);
  cfd_->ioptions().env->UnSchedule(this, Env::Priority::LOW);
  RaltThread()->UnSchedule(this);
  TickThread()->UnSchedule(this);
}

}  // namespace ROCKSDB_NAMESPACE
