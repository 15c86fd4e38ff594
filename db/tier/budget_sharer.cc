//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/budget_sharer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/budget/budget_shares.h"
#include "plugin/hotrap/db/state/level_measurements.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kShareMicros = 10 * 1000 * 1000;
// Accesses of before count this much when shares are computed again.
constexpr double kAccessFade = 0.9;
// Shares that change by a smaller fraction of all stay.
constexpr uint64_t kShareStepDivisor = 64;

// Not below 0.
uint64_t Less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

}  // namespace

BudgetMember BudgetMember::Of(ColumnFamilyData* cfd) {
  const MutableCFOptions& options = cfd->GetLatestMutableCFOptions();
  const VersionStorageInfo& storage = *cfd->current()->storage_info();
  BudgetMember member;
  member.state = cfd->hotrap.active_state();
  member.budget_bytes = options.hotrap.fast_budget_bytes;
  member.min_share_bytes = options.hotrap.min_fast_budget_bytes;
  member.most_memtable_bytes =
      options.write_buffer_size *
      std::max<uint64_t>(1, options.max_write_buffer_number);
  for (int level = 0; level < storage.num_non_empty_levels(); level++) {
    member.total_bytes += storage.NumLevelBytes(level);
  }
  member.next_bytes = storage.NumLevelBytes(0) + storage.NumLevelBytes(1);
  member.l0_presses =
      2 * storage.NumLevelFiles(0) >= options.level0_slowdown_writes_trigger;
  member.automatic = !options.disable_auto_compactions;
  return member;
}

bool BudgetSharer::Changed(const std::vector<BudgetMember>& sharers) const {
  return sharers.size() != claimants_.size() ||
         std::any_of(
             sharers.begin(), sharers.end(), [&](const BudgetMember& member) {
               const auto it = claimants_.find(member.state);
               return it == claimants_.end() ||
                      it->second.min_share_bytes != member.min_share_bytes;
             });
}

void BudgetSharer::Set(TierState* state, uint64_t share_bytes) {
  const ColumnFamilyData& cfd = *state->cfd();
  const MutableCFOptions& options = cfd.GetLatestMutableCFOptions();
  state->sizes().set_share_bytes(share_bytes);
  state->ralt_holder().Configure(options.hotrap, share_bytes);
  // Levels get them with the next version; what they need counts from now on.
  const std::optional<HotRapLevelShape> shape =
      ActiveLevelShape(cfd.ioptions(), options, MeasureLevels(state));
  if (shape.has_value()) {
    state->sizes().SetTargets(*shape);
  }
}

std::vector<TierState*> BudgetSharer::Share(
    const std::vector<BudgetMember>& members, const Path& path,
    uint64_t now_micros) {
  std::vector<BudgetMember> sharers;
  uint64_t taken = path.others_bytes;
  for (const BudgetMember& member : members) {
    taken += member.budget_bytes;
    if (member.budget_bytes > 0) {
      member.state->sizes().set_share_bytes(LevelFeedback::kUnknown);
    } else {
      sharers.push_back(member);
    }
  }
  const bool changed = Changed(sharers);
  if (sharers.empty() ||
      (!changed && now_micros < shared_micros_ + kShareMicros)) {
    return {};
  }
  shared_micros_ = now_micros;
  std::map<const TierState*, Claimant> claimants;
  std::vector<BudgetClaim> claims;
  for (const BudgetMember& member : sharers) {
    Claimant claimant = claimants_[member.state];
    const uint64_t sum =
        member.state->stats().Get(HotRapCounter::kAccessesEstimated);
    claimant.recent = claimant.recent * kAccessFade +
                      static_cast<double>(Less(sum, claimant.before));
    claimant.before = sum;
    claimant.min_share_bytes = member.min_share_bytes;
    claimants[member.state] = claimant;
    claims.push_back(ClaimOf(member.min_share_bytes,
                             member.state->sizes().upper_bytes(),
                             member.total_bytes, claimant.recent));
  }
  claimants_ = std::move(claimants);
  const uint64_t total = Less(path.target_size, taken);
  const std::vector<uint64_t> shares = ShareBudget(total, claims);
  const bool alone = sharers.size() == 1 && taken == 0;
  std::vector<TierState*> with_less;
  for (size_t i = 0; i < sharers.size(); i++) {
    TierState* const state = sharers[i].state;
    const uint64_t share =
        alone ? LevelFeedback::kUnknown
              : std::max(state->sizes().upper_bytes(), shares[i]);
    const uint64_t before = state->sizes().share_bytes();
    const uint64_t change = std::max(share, before) - std::min(share, before);
    if (change > (changed ? 0 : total / kShareStepDivisor)) {
      Set(state, share);
      if (share < before) {
        with_less.push_back(state);
      }
    }
  }
  return with_less;
}

}  // namespace ROCKSDB_NAMESPACE
