//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_state.h"

#include <cstring>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"

namespace ROCKSDB_NAMESPACE {

TierState::TierState(DBImpl* db, ColumnFamilyData* cfd)
    : db_(db),
      cfd_(cfd),
      jobs_(db, cfd),
      fences_(db->mutex()),
      stats_(cfd->ioptions().stats),
      cache_(cfd->user_comparator(), &cfd->hotrap.filter_register()),
      ralt_(db, cfd, &jobs_),
      rules_(cfd->user_comparator()),
      tracker_(&ralt_, &rules_, &stats_),
      filter_refusals_(cfd->ioptions().clock) {}

bool TierState::Configure(const MutableCFOptions& options) {
  db_->mutex()->AssertHeld();
  const ImmutableOptions& ioptions = cfd_->ioptions();
  // Switched off, the group may hold what Validate() has not seen.
  if (rules_.Configure(options.hotrap.enabled ? options.hotrap
                                              : HotRapOptions())) {
    pinned_.ForgetFullFiles();
    pinned_.RequestLift();
  }
  ralt_.Configure(options.hotrap);
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

  pinned_.ForgetFullFiles();
  pinned_.RequestLift();
  sizes_.set_last_target_bytes(shape.last_fast_target_bytes());
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

void TierState::AddTo(std::map<std::string, std::string>* values) const {
  const char* const reason = inactive_reason();
  (*values)["active"] = *reason == '\0' ? "1" : "0";
  (*values)["inactive_reason"] = reason;
  (*values)["first_slow_level"] = std::to_string(first_slow_level());
  (*values)["fast_budget_bytes"] = std::to_string(sizes_.budget_bytes());
  (*values)["last_fast_target_bytes"] =
      std::to_string(sizes_.last_target_bytes());
  (*values)["cold_fraction"] = std::to_string(cold_fraction_.value());
  (*values)["promotion_cache_bytes"] = std::to_string(cache_.memory_bytes());
  (*values)["promotion_cache_records"] = std::to_string(cache_.num_records());
  (*values)["promotion_cache_capacity"] =
      std::to_string(cache_.capacity_bytes());
  stats_.AddTo(values);
  pinned_.AddTo(values);
  ralt_.AddTo(values);
}

}  // namespace ROCKSDB_NAMESPACE
