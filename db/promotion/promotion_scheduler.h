//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Starts a promotion by flush when the promotion cache is full, one at a time.
//
// Thread safety: any thread, unless a comment says otherwise.

#pragma once

#include <atomic>

#include "plugin/hotrap/db/promotion/promotion_pace.h"

namespace ROCKSDB_NAMESPACE {

class TierState;

class PromotionScheduler {
 public:
  // `state` must outlive this object.
  explicit PromotionScheduler(TierState* state);
  PromotionScheduler(const PromotionScheduler&) = delete;
  PromotionScheduler& operator=(const PromotionScheduler&) = delete;

  // Schedules a promotion if the cache is full, or PromoteAll() waits. Cheap
  // otherwise.
  void MaybeSchedule();
  // Promotes what is in the cache, however little that is, as soon as a
  // promotion may run.
  void PromoteAll() {
    promote_all_.store(true);
    MaybeSchedule();
  }

  // Frees the cache, as the slow tier is not slower: what is in it would stay,
  // and each read would look for its key there. Not where there are rules: what
  // is pinned is promoted all the same.
  void Drop() {
    drop_.store(true);
    MaybeSchedule();
  }

  // Returns why nothing can be promoted now, for the statistics property; empty
  // if something can. REQUIRES: DB mutex held.
  const char* BlockedReason() const;

 private:
  void Run();

  TierState* const state_;
  PromotionPace pace_;
  std::atomic<bool> scheduled_{false};
  std::atomic<bool> promote_all_{false};
  std::atomic<bool> drop_{false};
};

}  // namespace ROCKSDB_NAMESPACE
