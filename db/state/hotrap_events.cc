//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/hotrap_events.h"

#include <utility>

#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/state/tier_jobs.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

HotRapEvents::HotRapEvents(
    DBImpl* db, TierJobs* jobs,
    const std::vector<std::shared_ptr<EventListener>>& listeners)
    : db_(db), jobs_(jobs) {
  for (const auto& listener : listeners) {
    if (auto* const ours = listener->CheckedCast<HotRapListener>()) {
      listeners_.emplace_back(listener, ours);
    }
  }
}

void HotRapEvents::Report(const HotRapPromotionInfo& info) {
  Add([this, info](HotRapListener* listener) {
    listener->OnHotRapPromotion(db_, info);
  });
}

void HotRapEvents::Report(const HotRapCrossingInfo& info) {
  Add([this, info](HotRapListener* listener) {
    listener->OnHotRapCrossing(db_, info);
  });
}

void HotRapEvents::Report(const HotRapWriteStallInfo& info) {
  Add([this, info](HotRapListener* listener) {
    listener->OnHotRapWriteStall(db_, info);
  });
}

void HotRapEvents::Add(Event event) {
  if (!wanted()) {
    return;
  }
  {
    MutexLock lock(&mutex_);
    waiting_.push_back(std::move(event));
    if (delivers_) {
      return;
    }
    delivers_ = true;
  }
  jobs_->Schedule(TierJobs::Pool::kCompactions, [this] { Deliver(); });
}

void HotRapEvents::Deliver() {
  for (;;) {
    Event event;
    {
      MutexLock lock(&mutex_);
      if (waiting_.empty() || jobs_->stopped()) {
        delivers_ = false;
        return;
      }
      event = std::move(waiting_.front());
      waiting_.pop_front();
    }
    for (const auto& listener : listeners_) {
      event(listener.get());
    }
  }
}

}  // namespace ROCKSDB_NAMESPACE
