//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/promotion/promotion_scheduler.h"

#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/promotion/promotion_gate.h"
#include "plugin/hotrap/db/promotion/promotion_job.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

PromotionScheduler::PromotionScheduler(TierState* state)
    : state_(state), pace_(state->cfd()->ioptions().clock, &state->stats()) {}

void PromotionScheduler::MaybeSchedule() {
  // Without RALT nothing is hot, and each read that finds the cache full would
  // schedule a useless job.
  if (state_->ralt() != nullptr &&
      (state_->cache().Full() || promote_all_.load(std::memory_order_relaxed) ||
       drop_.load(std::memory_order_relaxed)) &&
      !scheduled_.load(std::memory_order_relaxed) && !pace_.backs_off() &&
      !scheduled_.exchange(true)) {
    // A flush must not wait behind a promotion.
    state_->jobs().Schedule(TierJobs::Pool::kCompactions, [this] { Run(); });
  }
}

void PromotionScheduler::Run() {
  if (drop_.exchange(false) && !state_->tracker().speeds().slower() &&
      !state_->rules().any()) {
    {
      InstrumentedMutexLock lock(state_->db()->mutex());
      state_->cache().Seal();
    }
    state_->cache().Unseal();
  }
  const bool all = promote_all_.exchange(false);
  if (all || state_->cache().Full()) {
    const bool could_start = PromotionJob(state_, &pace_).Run(all);
    if (all && !could_start) {
      promote_all_.store(true);
    }
  }
  scheduled_.store(false);
}

const char* PromotionScheduler::BlockedReason() const {
  const char* const reason = PromotionGate::BlockedReason(state_, pace_);
  return *reason == '\0' && !state_->tracker().speeds().slower()
             ? "reads of the slow tier are not slower"
             : reason;
}

}  // namespace ROCKSDB_NAMESPACE
