//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/hotrap_tier.h"

#include <cassert>
#include <utility>
#include <vector>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/pinning/pinned_lifter.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/db/tier/db_brake.h"
#include "plugin/hotrap/db/tier/fast_budget.h"
#include "plugin/hotrap/db/tier/hotrap_warnings.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Returns the budget of the column family's first path.
std::shared_ptr<FastBudget> BudgetOf(DBImpl* db, ColumnFamilyData* cfd) {
  const std::string& path = cfd->ioptions().cf_paths[0].path;
  std::shared_ptr<DbBrake> brake;
  for (auto* other : *DbAccess(db).versions()->GetColumnFamilySet()) {
    HotRapTier* const tier = other->hotrap.tier();
    if (tier != nullptr && tier->budget()->IsOf(path)) {
      return tier->budget();
    }
    if (tier != nullptr) {
      brake = tier->budget()->brake();
    }
  }
  if (brake == nullptr) {
    brake = std::make_shared<DbBrake>(db);
  }
  return std::make_shared<FastBudget>(db, path, std::move(brake));
}

}  // namespace

HotRapTier::HotRapTier(DBImpl* db, ColumnFamilyData* cfd)
    : state_(db, cfd),
      promotions_(&state_),
      lifter_(std::make_unique<PinnedLifter>(&state_, &promotions_)),
      relocator_(&state_),
      budget_(BudgetOf(db, cfd)),
      ticks_(db, cfd) {
  budget_->Join(&state_, &ticks_, relocator_);
  state_.sizes().set_ledger(budget_->ledger());
}

HotRapTier::~HotRapTier() { budget_->Leave(&state_); }

bool HotRapTier::Configure(const MutableCFOptions& options) {
  state_.db()->mutex()->AssertHeld();
  const bool was_slower = state_.tracker().speeds().slower();
  const bool changed = state_.Configure(options);
  const bool active = state_.active();
  if (!changed && was_slower && !state_.tracker().speeds().slower()) {
    promotions_.Drop();  // by an option, and not by what reads take
  }
  if (changed) {
    // No version was examined with this FS yet.
    relocator_.set_bytes_left(
        active ? BytesOnWrongTier(*state_.cfd()->current()->storage_info(),
                                  state_.first_slow_level())
               : 0);
  }
  relocator_.Configure(options, active);
  lifter_->Configure(options, active);
  if (changed && active && state_.ralt_holder().TakeOpening()) {
    state_.jobs().Schedule(TierJobs::Pool::kRalt, [this] { OpenRalt(); });
  }
  return active;
}

void HotRapTier::OpenRalt() {
  WarnOfOptions();
  HotRapOptions options;
  {
    InstrumentedMutexLock lock(state_.db()->mutex());
    options = state_.cfd()->GetLatestMutableCFOptions().hotrap;
  }
  state_.ralt_holder().Open(options, state_.sizes().spare_bytes(),
                            state_.sizes().share_bytes());
  // Nothing is promoted before, and no version tells of it.
  lifter_->MaybeSchedule();
}

void HotRapTier::WarnOfOptions() {
  DBImpl* const db = state_.db();
  ColumnFamilyData* const cfd = state_.cfd();
  MutableCFOptions options;
  std::vector<FastPathShare> others;
  FastPathBudget budget;
  bool has_blob_files = false;
  {
    InstrumentedMutexLock lock(db->mutex());
    if (!state_.active()) {
      return;
    }
    for (auto* other : *db->GetVersionSet()->GetColumnFamilySet()) {
      TierState* const other_state = other->hotrap.active_state();
      if (other != cfd && other_state != nullptr && !other->IsDropped()) {
        const DbPath& fast = other->ioptions().cf_paths[0];
        others.push_back(
            {fast.path, fast.target_size,
             other->GetLatestMutableCFOptions().hotrap.fast_budget_bytes});
      }
    }
    options = cfd->GetLatestMutableCFOptions();
    budget = {budget_->budget_bytes(), budget_->least_bytes()};
    has_blob_files = !cfd->current()->storage_info()->GetBlobFiles().empty();
  }
  // Compare paths and log without the mutex: both read or write files.
  for (const std::string& warning : HotRapWarnings(
           cfd->ioptions(), options, others, budget, has_blob_files)) {
    ROCKS_LOG_WARN(cfd->ioptions().logger, "[%s] HotRAP: %s",
                   cfd->GetName().c_str(), warning.c_str());
  }
}

void HotRapTier::SwitchIfForced() {
  HotRapForce* const force = HotRapForce::Get();
  if (force != nullptr && force->SwitchIsDue()) {
    // Use a thread where no compaction queues behind it: SetOptions() may have
    // to wait for somebody who waits for a compaction.
    state_.jobs().Schedule(TierJobs::Pool::kRalt, [this, force] {
      DBImpl* const db = state_.db();
      if (const auto handle =
              db->GetColumnFamilyHandleUnlocked(state_.cfd()->GetID())) {
        force->Switch(db, handle.get());
      }
    });
  }
}

void HotRapTier::Stop() {
  state_.db()->mutex()->AssertHeld();
  state_.jobs().Stop();
  ticks_.Stop();
  budget_->Close();
  if (Ralt* const ralt = state_.ralt()) {
    ralt->CancelWork();
  }
}

void HotRapTier::CloseRalt() {
  assert(state_.jobs().stopped() && !busy());
  relocator_.Abandon();
  state_.ralt_holder().Close();
}

void HotRapTier::AddTo(Figures* figures) const {
  state_.AddTo(figures);
  budget_->AddTo(figures);
  figures->Add("relocation_bytes_left",
               [&] { return relocator_.reported_bytes_left(); });
  figures->Add("promotion_blocked_reason",
               [&] { return promotions_.BlockedReason(); });
}

}  // namespace ROCKSDB_NAMESPACE
