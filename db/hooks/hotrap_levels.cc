//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_levels.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "db/column_family.h"
#include "db/version_set.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/placement/hotrap_picking.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/db/placement/target_easing.h"
#include "plugin/hotrap/db/state/level_measurements.h"
#include "plugin/hotrap/db/tier/fast_budget.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

namespace ROCKSDB_NAMESPACE {

void HotRapLevels::Prepare(ColumnFamilyData* cfd,
                           const MutableCFOptions& options,
                           VersionStorageInfo* storage_info) {
  if (!options.hotrap.enabled) {
    return;
  }
  HotRapTier* const tier = cfd->hotrap.active();
  const std::optional<HotRapLevelShape> shape = ActiveLevelShape(
      cfd->ioptions(), options,
      tier != nullptr ? MeasureLevels(&tier->state()) : LevelFeedback());
  if (!shape.has_value()) {
    return;
  }
  if (tier != nullptr) {
    tier->state().sizes().SetTargets(*shape);
    tier->relocator().set_bytes_left(
        BytesOnWrongTier(*storage_info, shape->first_slow_level));
  }
  SetTargets(*shape, cfd, options.target_file_size_base, storage_info);
  if (tier != nullptr && !options.hotrap.no_retain &&
      cfd->ioptions().compaction_pri != kRoundRobin) {
    Order(shape->first_slow_level - 1, tier, storage_info);
  }
}

void HotRapLevels::SetTargets(const HotRapLevelShape& shape,
                              ColumnFamilyData* cfd, uint64_t step_bytes,
                              VersionStorageInfo* storage_info) {
  std::vector<uint64_t> level_bytes;
  for (int level = 0; level < storage_info->num_levels(); level++) {
    uint64_t bytes = 0;
    for (const FileMetaData* file : storage_info->LevelFiles(level)) {
      bytes += file->fd.GetFileSize();
    }
    level_bytes.push_back(bytes);
  }
  // A version without files is the one that recovery starts from.
  const std::vector<uint64_t>* before = nullptr;
  Version* const current = cfd->current();
  if (current != nullptr &&
      current->storage_info()->num_non_empty_levels() > 0) {
    before = &current->storage_info()->level_max_bytes_;
  }
  storage_info->level_max_bytes_ =
      TargetsInForce(shape.target_bytes, before, level_bytes, step_bytes);
}

void HotRapLevels::CrossFirst(const ImmutableCFOptions& ioptions,
                              const MutableCFOptions& options,
                              VersionStorageInfo* storage_info) {
  // Tests of RocksDB's own expect its order.
  if (!options.hotrap.enabled || !HotRapForce::BudgetHolds()) {
    return;
  }
  const std::optional<HotRapLevelShape> shape =
      ActiveLevelShape(ioptions, options);
  if (!shape.has_value()) {
    return;
  }
  const int last_fast_level = shape->first_slow_level - 1;
  uint64_t bytes = 0;
  uint64_t target_bytes = shape->level0_bytes;
  for (int level = 0; level <= last_fast_level; level++) {
    bytes += storage_info->NumLevelBytes(level);
    target_bytes += level > 0 ? storage_info->level_max_bytes_[level] : 0;
  }
  // Where its target was eased, it is one file too large at any time, and that
  // comes after anything more urgent (target_easing.h): L0 would grow until it
  // stops writes.
  if (storage_info->NumLevelBytes(last_fast_level) <=
      storage_info->level_max_bytes_[last_fast_level] +
          2 * options.target_file_size_base) {
    return;
  }
  std::vector<double>& scores = storage_info->compaction_score_;
  // Not sorted yet. Below 1, its files are being compacted, or it has none too
  // many.
  if (bytes > target_bytes && scores[last_fast_level] > 1) {
    scores[last_fast_level] =
        std::max(scores[last_fast_level],
                 *std::max_element(scores.begin(), scores.end()) + 1);
  }
}

void HotRapLevels::HoldBack(ColumnFamilyData* cfd,
                            VersionStorageInfo* storage_info) {
  HotRapTier* const tier = cfd->hotrap.active();
  if (tier == nullptr || !tier->budget()->HoldsBack(cfd)) {
    return;
  }
  const int last_fast_level = tier->state().first_slow_level() - 1;
  std::vector<double>& scores = storage_info->compaction_score_;
  std::vector<int>& levels = storage_info->compaction_level_;
  std::vector<std::pair<double, int>> order;
  for (size_t i = 0; i < scores.size(); i++) {
    order.emplace_back(levels[i] < last_fast_level ? 0 : scores[i], levels[i]);
  }
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < scores.size(); i++) {
    std::tie(scores[i], levels[i]) = order[i];
  }
}

void HotRapLevels::Order(int last_fast_level, HotRapTier* tier,
                         VersionStorageInfo* storage_info) {
  const std::vector<FileMetaData*>& files =
      storage_info->LevelFiles(last_fast_level);
  const RaltHolder::Pin ralt(tier->state().ralt_holder());
  if (files.size() < 2 || ralt.get() == nullptr) {
    return;
  }
  SystemClock* const clock = tier->state().cfd()->ioptions().clock;
  const uint64_t start_nanos = clock->NowNanos();
  TierState& state = tier->state();
  const auto hot_size = [&](const FileMetaData& file) {
    // A crossing would hardly take anything from it.
    const bool full = state.rules().figures().IsFullFile(file.fd.GetNumber()) ||
                      state.rules().PinsAll(file.smallest.user_key(),
                                            file.largest.user_key());
    return full ? file.fd.GetFileSize() : EstimateHotSize(file, ralt.get());
  };
  storage_info->files_by_compaction_pri_[last_fast_level] =
      OrderForCrossing(*storage_info->internal_comparator_, files,
                       storage_info->LevelFiles(last_fast_level + 1), hot_size);
  tier->state().stats().Count(HotRapCounter::kOrderings);
  tier->state().stats().Count(HotRapCounter::kOrderingNanos,
                              clock->NowNanos() - start_nanos);
}

std::optional<int> HotRapLevels::PathId(const ImmutableCFOptions& ioptions,
                                        const MutableCFOptions& options,
                                        int level) {
  return PathOfLevel(ioptions, options, level);
}

uint32_t HotRapLevels::OutputPathId(const ImmutableCFOptions& ioptions,
                                    const MutableCFOptions& options, int level,
                                    uint32_t path_id, bool manual,
                                    CompactionReason reason) {
  const std::optional<int> tier_path = PathId(ioptions, options, level);
  if (!tier_path.has_value()) {
    return path_id;
  }
  // A compaction without a reason continues another one, whose path was chosen
  // this way.
  const bool asked = manual || reason == CompactionReason::kUnknown;
  return asked && path_id > 0 && *tier_path > 0
             ? path_id
             : static_cast<uint32_t>(*tier_path);
}

}  // namespace ROCKSDB_NAMESPACE
