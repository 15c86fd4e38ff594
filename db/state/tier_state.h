//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What the parts of one column family's HotRAP share: reads, jobs, compactions
// and hooks all work on it, and it knows none of them. It has the parts, and
// what follows from the options in force.
//
// Lock order: DB mutex, then the promotion cache's locks. RALT's locks are
// leaves. No lock is held while a file is read or written.
//
// Thread safety: any thread, unless a comment says otherwise; each part says
// for itself.

#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "plugin/hotrap/db/placement/cold_fraction.h"
#include "plugin/hotrap/db/state/access_tracker.h"
#include "plugin/hotrap/db/state/fast_tier_sizes.h"
#include "plugin/hotrap/db/state/filter_refusals.h"
#include "plugin/hotrap/db/state/hotrap_events.h"
#include "plugin/hotrap/db/state/hotrap_stats.h"
#include "plugin/hotrap/db/state/key_rules.h"
#include "plugin/hotrap/db/state/ralt_holder.h"
#include "plugin/hotrap/db/state/read_latencies.h"
#include "plugin/hotrap/db/state/tier_fences.h"
#include "plugin/hotrap/db/state/tier_jobs.h"
#include "plugin/hotrap/db/state/tier_speeds.h"
#include "plugin/hotrap/promotion/promotion_cache.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class Figures;
struct MutableCFOptions;

class TierState {
 public:
  TierState(DBImpl* db, ColumnFamilyData* cfd);
  TierState(const TierState&) = delete;
  TierState& operator=(const TierState&) = delete;

  DBImpl* db() const { return db_; }
  ColumnFamilyData* cfd() const { return cfd_; }

  // ---- The parts ---------------------------------------------------------

  TierJobs& jobs() { return jobs_; }
  TierFences& fences() { return fences_; }
  HotRapStats& stats() { return stats_; }
  ReadLatencies& latencies() { return latencies_; }
  HotRapEvents& events() { return events_; }
  PromotionCache& cache() { return cache_; }
  // The measured cold fraction; crossing compactions report to it.
  ColdFraction& cold_fraction() { return cold_fraction_; }
  RaltHolder& ralt_holder() { return ralt_; }
  // nullptr while RALT is not open.
  Ralt* ralt() const { return ralt_.get(); }
  KeyRules& rules() { return rules_; }
  AccessTracker& tracker() { return tracker_; }
  FilterRefusals& filter_refusals() { return filter_refusals_; }
  FastTierSizes& sizes() { return sizes_; }

  // ---- In force ----------------------------------------------------------

  // FS; 0 while HotRAP is inactive.
  int first_slow_level() const {
    return first_slow_level_.load(std::memory_order_acquire);
  }
  // Empty while HotRAP is active. A string literal.
  const char* inactive_reason() const {
    return inactive_reason_.load(std::memory_order_relaxed);
  }
  bool active() const { return *inactive_reason() == '\0'; }

  // Applies the options. Returns whether FS or the reason to be inactive
  // changed; then the promotion cache has been emptied. REQUIRES: DB mutex
  // held.
  bool Configure(const MutableCFOptions& options);

  // Adds the statistics property's figures.
  void AddTo(Figures* figures) const;

 private:
  DBImpl* const db_;
  ColumnFamilyData* const cfd_;
  TierJobs jobs_;
  TierFences fences_;
  HotRapStats stats_;
  ReadLatencies latencies_;
  HotRapEvents events_;
  PromotionCache cache_;
  ColdFraction cold_fraction_;
  RaltHolder ralt_;
  KeyRules rules_;
  TierSpeeds speeds_;
  AccessTracker tracker_;
  FilterRefusals filter_refusals_;
  FastTierSizes sizes_;
  // Not known before the first Configure().
  std::optional<TierDisks> disks_;

  std::atomic<int> first_slow_level_{0};
  // A string literal, so that reading it needs no lock.
  std::atomic<const char*> inactive_reason_{"not set up yet"};
};

}  // namespace ROCKSDB_NAMESPACE
