//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HotRAP of one column family, as the hooks see it: owns the state that its
// parts share and the jobs that promote and relocate, and passes on what
// concerns several of them: new options, the end, the property.
//
// Lifetime: HotRapLifecycle creates it when a writable DB installs the first
// SuperVersion whose options have HotRAP on. It lives as long as the column
// family, active or not.

#pragma once

#include <memory>
#include <string>

#include "plugin/hotrap/db/promotion/promotion_scheduler.h"
#include "plugin/hotrap/db/relocation/relocator.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class FastBudget;
class Figures;
class PinnedLifter;
struct MutableCFOptions;

class HotRapTier {
 public:
  HotRapTier(DBImpl* db, ColumnFamilyData* cfd);
  ~HotRapTier();
  HotRapTier(const HotRapTier&) = delete;
  HotRapTier& operator=(const HotRapTier&) = delete;

  // ---- Any thread --------------------------------------------------------

  TierState& state() { return state_; }
  // Promotions by flush.
  PromotionScheduler& promotions() { return promotions_; }
  // Brings pinned records to the fast tier.
  PinnedLifter& lifter() { return *lifter_; }
  // Moves tables to the tier of their level.
  Relocator& relocator() { return relocator_; }
  // The budget of the fast path, which column families may share.
  const std::shared_ptr<FastBudget>& budget() const { return budget_; }

  // ---- REQUIRES: DB mutex held -------------------------------------------

  // Applies the options and the level targets. Returns whether HotRAP is
  // active.
  bool Configure(const MutableCFOptions& options);

  // In forced mode, occasionally schedules a change of the options
  // (HotRapForce).
  void SwitchIfForced();

  // Adds the statistics property's figures.
  void AddTo(Figures* figures) const;

  // Stops the jobs: no job starts from here on, and a running one ends at its
  // next step. The caller waits until busy() is false.
  void Stop();
  bool busy() { return state_.jobs().busy() || ticks_.busy(); }

  // ---- REQUIRES: DB mutex not held ---------------------------------------

  // Flushes and closes RALT. REQUIRES: stopped, not busy.
  void CloseRalt();

 private:
  // The job that opens RALT.
  void OpenRalt();
  // Writes warnings about the options to the LOG.
  void WarnOfOptions();

  TierState state_;
  PromotionScheduler promotions_;
  const std::unique_ptr<PinnedLifter> lifter_;
  Relocator relocator_;
  const std::shared_ptr<FastBudget> budget_;
  // For the budget's jobs. Not the state's: it is no promotion that is due.
  TierJobs ticks_;
};

}  // namespace ROCKSDB_NAMESPACE
