//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_state.h"

#include <algorithm>
#include <cstring>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/state/tier_disks.h"

namespace ROCKSDB_NAMESPACE {

TierState::TierState(DBImpl* db, ColumnFamilyData* cfd)
    : db_(db),
      cfd_(cfd),
      jobs_(db, cfd),
      fences_(db->mutex()),
      stats_(cfd->ioptions().stats),
      latencies_(cfd->ioptions().stats, cfd->ioptions().clock),
      events_(db, &jobs_, cfd->ioptions().listeners),
      cache_(cfd->user_comparator(), &cfd->hotrap.filter_register()),
      ralt_(db, cfd, &jobs_),
      rules_(cfd->user_comparator()),
      speeds_(cfd->ioptions().clock, cfd->ioptions().logger, cfd->GetName()),
      tracker_(&ralt_, &rules_, &stats_, &speeds_),
      filter_refusals_(cfd->ioptions().clock) {}

bool TierState::Configure(const MutableCFOptions& options) {
  db_->mutex()->AssertHeld();
  const ImmutableOptions& ioptions = cfd_->ioptions();
  // Switched off, the group may hold what Validate() has not seen.
  if (rules_.Configure(options.hotrap.enabled ? options.hotrap
                                              : HotRapOptions())) {
    rules_.figures().ForgetFullFiles();
    rules_.figures().RequestLift();
  }
  ralt_.Configure(options.hotrap, sizes_.share_bytes());
  if (!disks_.has_value()) {
    disks_ = DisksOf(*ioptions.fs, ioptions.cf_paths);
  }
  speeds_.Configure(options.hotrap, *disks_);
  tracker_.Configure(options.hotrap);
  cache_.SetCapacity(options.hotrap.promotion_cache_bytes > 0
                         ? options.hotrap.promotion_cache_bytes
                         : options.target_file_size_base);

  const HotRapLevelShape shape = ComputeLevelShape(ioptions, options);
  const char* const reason = HotRapInactiveReason(ioptions, options, shape);
  sizes_.Configure(shape, options);
  const bool now_active = *reason == '\0';
  const char* const old_reason =
      inactive_reason_.exchange(reason, std::memory_order_relaxed);
  // While inactive, edits are not tracked; and with another FS, other edits
  // matter.
  const int fs_in_force = now_active ? shape.first_slow_level : 0;
  if (strcmp(reason, old_reason) == 0 && fs_in_force == first_slow_level()) {
    return false;
  }

  rules_.figures().ForgetFullFiles();
  rules_.figures().RequestLift();
  sizes_.SetTargets(shape);
  cache_.Reset(fs_in_force, cfd_->current()->GetVersionNumber());
  tracker_.policy().Forget();
  first_slow_level_.store(fs_in_force, std::memory_order_release);
  if (now_active) {
    ROCKS_LOG_INFO(ioptions.logger,
                   "[%s] HotRAP is active: levels from %d on live on the slow "
                   "tier",
                   cfd_->GetName().c_str(), fs_in_force);
  } else {
    ROCKS_LOG_INFO(ioptions.logger, "[%s] HotRAP is inactive: %s",
                   cfd_->GetName().c_str(), reason);
  }
  return true;
}

void TierState::AddTo(Figures* figures) const {
  figures->Add("active", [&] { return active(); });
  figures->Add("inactive_reason", [&] { return inactive_reason(); });
  figures->Add("first_slow_level", [&] { return first_slow_level(); });
  figures->Add("fast_budget_bytes", [&] { return sizes_.budget_bytes(); });
  figures->Add("last_fast_target_bytes",
               [&] { return sizes_.last_target_bytes(); });
  figures->Add("fast_share_bytes", [&] {
    return std::min(sizes_.share_bytes(), sizes_.budget_bytes());
  });
  figures->Add("cold_fraction", [&] { return cold_fraction_.value(); });
  figures->Add("promotion_cache_bytes", [&] { return cache_.memory_bytes(); });
  figures->Add("promotion_cache_records", [&] { return cache_.num_records(); });
  figures->Add("promotion_cache_capacity",
               [&] { return cache_.capacity_bytes(); });
  stats_.AddTo(figures);
  speeds_.AddTo(figures);
  rules_.figures().AddTo(figures);
  ralt_.AddTo(figures);
}

}  // namespace ROCKSDB_NAMESPACE
