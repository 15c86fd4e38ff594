//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/pick_gate.h"

#include <algorithm>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_picker.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Returns whether one within the tier was picked: it may not have come so far
// that the ledger knows it.
bool OneIsPicked(const TierState& state) {
  const auto& picked =
      *state.cfd()->compaction_picker()->compactions_in_progress();
  return std::any_of(picked.begin(), picked.end(),
                     [&](const Compaction* compaction) {
                       // PromoteL0, ChangeLevel and relocations only take a
                       // table's place.
                       return compaction->compaction_reason() !=
                                  CompactionReason::kRefitLevel &&
                              IsFastLevel(compaction->output_level(),
                                          state.first_slow_level());
                     });
}

}  // namespace

bool PickGate::WouldWait(const BudgetMember& member) const {
  return !ledger_->Fits(member.next_bytes) &&
         (ledger_->HasWithin() || OneIsPicked(*member.state) ||
          (DbAccess(db_).deletions_disabled() && !member.l0_presses &&
           !ledger_->Fits(0)));
}

bool PickGate::HoldsBack(const BudgetMember& member, uint64_t now_micros) {
  const uint32_t id = member.state->cfd()->GetID();
  const auto it = held_.find(id);
  if (!WouldWait(member) || (it != held_.end() && it->second.passes)) {
    held_.erase(id);
    return false;
  }
  if (it == held_.end()) {
    held_[id].since_micros = now_micros;
  }
  return true;
}

std::vector<ColumnFamilyData*> PickGate::Release(
    const std::vector<BudgetMember>& members, uint64_t now_micros) {
  std::map<uint32_t, Held> still;
  std::vector<ColumnFamilyData*> free;
  for (const BudgetMember& member : members) {
    ColumnFamilyData* const cfd = member.state->cfd();
    const auto it = held_.find(cfd->GetID());
    if (it == held_.end()) {
      continue;
    }
    Held& held = it->second;
    if (!held.passes) {
      const bool waits = WouldWait(member);
      held.passes = waits && now_micros >= held.since_micros + kMostMicros;
      if (!waits || held.passes) {
        free.push_back(cfd);
      }
      if (!waits) {
        continue;
      }
    }
    still[cfd->GetID()] = held;
  }
  held_ = std::move(still);
  return free;
}

bool PickGate::closed() const {
  return std::any_of(held_.begin(), held_.end(),
                     [](const auto& entry) { return !entry.second.passes; });
}

}  // namespace ROCKSDB_NAMESPACE
