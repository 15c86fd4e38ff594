//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/access_tracker.h"

#include <algorithm>
#include <optional>

namespace ROCKSDB_NAMESPACE {

void AccessTracker::NoteAdmissions(uint64_t data_bytes) {
  Ralt* const ralt = ralt_->get();
  std::optional<AdmissionPolicy::Tracked> tracked;
  if (ralt != nullptr) {
    const RaltStats ralt_stats = ralt->GetStats();
    tracked = {ralt_stats.tracked_bytes, ralt_stats.hot_set_bytes};
  }
  AdmissionPolicy::Admissions admissions;
  admissions.from_memory = stats_->Get(HotRapCounter::kAdmissionsFromMemory);
  admissions.all = stats_->Get(HotRapCounter::kAdmissions);
  admissions.known = stats_->Get(HotRapCounter::kAdmissionsKnown);
  const std::optional<bool> learning =
      policy_.NoteAdmissions(admissions, tracked, data_bytes);
  if (learning.has_value()) {
    ralt->SetLearning(*learning);
  }
}

void AccessTracker::Configure(const HotRapOptions& options) {
  cached_hit_sampling_.store(std::max(1u, options.cached_hit_sampling),
                             std::memory_order_relaxed);
  no_hotness_check_.store(options.no_hotness_check, std::memory_order_relaxed);
  no_tracking_.store(options.no_tracking, std::memory_order_relaxed);
}

}  // namespace ROCKSDB_NAMESPACE
