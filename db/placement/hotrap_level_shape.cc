//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/hotrap_level_shape.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/test_util/hotrap_force.h"
#include "rocksdb/comparator.h"
#include "table/block_based/block_based_table_factory.h"
#include "table/plain/plain_table_factory.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// At least one level below L0 must be fast, or a promoted record would move to
// the slow tier at once.
constexpr int kMinFirstSlowLevel = 2;

// A level is fast only if at least 1 / kMinTargetDivisor of its usual target is
// left for it.
constexpr uint64_t kMinTargetDivisor = 2;

// Room for a compaction is at most this fraction of what it and the last fast
// level share. It matters if files are as large as levels.
constexpr uint64_t kMaxCompactionDivisor = 4;

// RALT's share is rounded up in steps of this fraction of the budget, so that
// targets do not change with each of RALT's flushes; one or two steps are
// slack. A merge of RALT needs less than one step, unless the budget is below
// 26 MB (RaltOptions::file_bytes).
constexpr uint64_t kRaltSlackDivisor = 100;

uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// Multiplies with saturation, unlike MultiplyCheckOverflow(), because a level
// must not be smaller than the one above it.
uint64_t Times(uint64_t bytes, double factor) {
  constexpr double kLimit = 18446744073709551616.0;  // 2^64
  const double product = static_cast<double>(bytes) * factor;
  return product < kLimit ? static_cast<uint64_t>(std::max(0.0, product))
                          : std::numeric_limits<uint64_t>::max();
}

// Returns the target of level + 1 as a multiple of the target of `level`.
double Ratio(const MutableCFOptions& options, int level) {
  return options.max_bytes_for_level_multiplier *
         options.MaxBytesMultiplerAdditional(level);
}

// Returns what L0 holds when its compaction starts.
uint64_t Level0Bytes(const MutableCFOptions& options,
                     int min_write_buffer_number_to_merge) {
  const uint64_t flushed_bytes = Times(
      options.write_buffer_size, std::max(1, min_write_buffer_number_to_merge));
  const uint64_t promoted_bytes = options.hotrap.promotion_cache_bytes > 0
                                      ? options.hotrap.promotion_cache_bytes
                                      : options.target_file_size_base;
  return std::min<uint64_t>(
      Times(std::max(flushed_bytes, promoted_bytes),
            std::max(1, options.level0_file_num_compaction_trigger)),
      options.max_bytes_for_level_base);
}

// Returns the part of `room` that a compaction needs if the rest is the last
// fast level, below a level of `above_bytes`. Each file of that level overlaps
// last / above files of the last fast level, so that
//   last + (last / above + 1) * file = room.
uint64_t CompactionBytes(uint64_t room, uint64_t above_bytes,
                         uint64_t file_bytes, uint64_t least_bytes) {
  const auto file = static_cast<double>(file_bytes);
  const double last =
      (static_cast<double>(room) - file) /
      (1 + file / static_cast<double>(std::max<uint64_t>(1, above_bytes)));
  const uint64_t wanted =
      last <= 0 ? room : Minus(room, static_cast<uint64_t>(last));
  return std::min(std::max(wanted, least_bytes), room / kMaxCompactionDivisor);
}

// Returns what to leave for RALT's files. They may outgrow their first limit if
// records are small and many of them are hot.
uint64_t RaltBytes(uint64_t used_bytes, uint64_t budget_bytes) {
  const uint64_t at_first = DefaultRaltPhysicalLimit(budget_bytes);
  const uint64_t step = budget_bytes / kRaltSlackDivisor + 1;
  if (used_bytes == LevelFeedback::kUnknown) {
    return at_first;
  }
  return used_bytes >= at_first
             ? std::min(budget_bytes, (used_bytes / step + 1) * step)
             : std::min(at_first, (used_bytes / step + 2) * step);
}

// Makes the fast levels fit into a share of the budget: each below L0 by the
// same factor, but none smaller than a file.
void FitIntoShare(uint64_t share_bytes, uint64_t file_bytes,
                  HotRapLevelShape* shape) {
  const uint64_t fixed =
      shape->ralt_bytes + shape->level0_bytes + shape->compaction_bytes;
  const uint64_t levels = shape->fast_target_bytes() - shape->level0_bytes;
  if (fixed + levels <= share_bytes) {
    return;
  }
  const double factor = static_cast<double>(Minus(share_bytes, fixed)) /
                        static_cast<double>(std::max<uint64_t>(1, levels));
  for (int level = 1; level < shape->first_slow_level; level++) {
    uint64_t& target = shape->target_bytes[level];
    target = std::max(Times(target, factor), std::min(target, file_bytes));
  }
}

// Sets the targets of the levels from FS on.
void ShapeSlowLevels(const MutableCFOptions& options,
                     const LevelFeedback& feedback, HotRapLevelShape* shape) {
  std::vector<uint64_t>& targets = shape->target_bytes;
  const int last_level = static_cast<int>(targets.size()) - 1;
  const int fs = shape->first_slow_level;
  for (int level = fs; level <= last_level; level++) {
    // RocksDB requires ascending targets.
    targets[level] =
        std::max(targets[level - 1],
                 Times(targets[level - 1], Ratio(options, level - 1)));
  }
  // Where there is nothing to gain, the levels are those without HotRAP: one
  // less to ask for each Get.
  const bool pays = feedback.slow_is_slower || feedback.cold_fraction < 1;
  if (options.hotrap.extra_level && pays && fs < last_level) {
    // Insert a level before the first slow one, r times as large as the last
    // fast one. A record that moves down then costs (1 + r) / p in the crossing
    // and 1 + T / r in the next step; the sum is least for r = sqrt(p T). See
    // docs/design/2026-11-22-extra-level.md.
    const double r = std::sqrt(feedback.cold_fraction * Ratio(options, fs - 1));
    targets.insert(
        targets.begin() + fs,
        std::clamp(Times(targets[fs - 1], r), targets[fs - 1], targets[fs]));
    targets.pop_back();
  }
}

// Only these tables are known to ask property collectors, by which a table
// names the promoted copies it holds. Cuckoo tables do not.
bool CanNameCopies(const TableFactory& factory) {
  return factory.CheckedCast<BlockBasedTableFactory>() != nullptr ||
         factory.CheckedCast<PlainTableFactory>() != nullptr;
}

// The reasons for HotRapInactiveReason() that need no shape.
const char* WhateverTheBudget(const ImmutableCFOptions& ioptions,
                              const MutableCFOptions& options) {
  if (!options.hotrap.enabled) {
    return "hotrap.enabled is false";
  }
  if (ioptions.cf_paths.size() < 2) {
    return "the column family has only one path, so there is no slow tier";
  }
  if (ioptions.compaction_style != kCompactionStyleLevel) {
    return "the compaction style is not level";
  }
  if (ioptions.user_comparator->timestamp_size() > 0) {
    return "the column family has user-defined timestamps";
  }
  if (options.preclude_last_level_data_seconds > 0) {
    return "preclude_last_level_data_seconds places data by its age";
  }
  if (!CanNameCopies(*options.table_factory)) {
    return "table_factory is neither a block-based nor a plain one, so tables "
           "could not name the promoted copies they hold";
  }
  if (ioptions.num_levels <= kMinFirstSlowLevel) {
    return "num_levels is below 3: L0 and L1 are fast, and no level is left "
           "for the slow tier";
  }
  return "";
}

}  // namespace

HotRapLevelShape ComputeLevelShape(uint64_t first_path_bytes, int num_levels,
                                   int min_write_buffer_number_to_merge,
                                   const MutableCFOptions& options,
                                   const LevelFeedback& feedback) {
  assert(feedback.cold_fraction > 0 && feedback.cold_fraction <= 1);
  HotRapLevelShape shape;
  shape.budget_bytes = FastBudgetBytes(first_path_bytes, options.hotrap);
  const uint64_t base_bytes = options.max_bytes_for_level_base;
  if (HotRapForce* const force = HotRapForce::Get()) {
    force->SetBudget(base_bytes, &shape.budget_bytes);
  }
  if (num_levels < kMinFirstSlowLevel || base_bytes == 0 ||
      shape.budget_bytes / kMinFirstSlowLevel < base_bytes) {
    shape.first_slow_level = shape.budget_bytes >= base_bytes ? 1 : 0;
    return shape;
  }
  shape.ralt_bytes = DefaultRaltPhysicalLimit(shape.budget_bytes);
  shape.level0_bytes = Level0Bytes(options, min_write_buffer_number_to_merge);

  // The targets of the levels chosen so far.
  std::vector<uint64_t> targets = {shape.level0_bytes};
  uint64_t room =
      Minus(shape.budget_bytes, shape.ralt_bytes + shape.level0_bytes);
  // The room for the last fast level and a compaction into it, and the target
  // of the level above.
  uint64_t last_room = 0;
  uint64_t above_last = 0;
  // The room that compactions of the upper levels need.
  const uint64_t least_compaction = shape.level0_bytes + base_bytes;
  for (int level = 1; level < num_levels; level++) {
    const uint64_t above = targets.back();
    const uint64_t usual =
        level == 1 ? base_bytes
                   : std::max(above, Times(above, Ratio(options, level - 1)));
    const uint64_t compaction = CompactionBytes(
        room, above, options.target_file_size_base, least_compaction);
    const uint64_t left = Minus(room, compaction);
    // Each compaction of L0 rewrites all of L1, so that even a small L2 is
    // worth having.
    const uint64_t least = level > kMinFirstSlowLevel
                               ? std::max(above, usual / kMinTargetDivisor)
                               : above;
    if (level >= kMinFirstSlowLevel && left < least) {
      break;
    }
    shape.first_slow_level = level + 1;
    last_room = room;
    above_last = above;
    room = Minus(room, usual);
    targets.push_back(usual);
  }
  if (shape.first_slow_level == num_levels) {
    return shape;
  }
  const auto split = [&](uint64_t bytes) {
    shape.compaction_bytes = CompactionBytes(
        bytes, above_last, options.target_file_size_base, least_compaction);
    return Minus(bytes, shape.compaction_bytes);
  };
  const uint64_t last_at_first = split(last_room);
  const uint64_t ralt_bytes = RaltBytes(
      feedback.ralt_bytes, std::min(shape.budget_bytes, feedback.share_bytes));
  const uint64_t withheld = Minus(shape.budget_bytes, feedback.share_bytes);
  const uint64_t last =
      split(Minus(last_room + shape.ralt_bytes, ralt_bytes + withheld));
  shape.ralt_bytes = ralt_bytes;
  // RocksDB requires ascending targets, however much RALT takes.
  targets[shape.first_slow_level - 1] =
      std::max(last, std::min(last_at_first, above_last));
  targets.resize(num_levels);
  shape.target_bytes = std::move(targets);
  if (withheld > 0) {
    FitIntoShare(feedback.share_bytes, options.target_file_size_base, &shape);
  }
  ShapeSlowLevels(options, feedback, &shape);
  return shape;
}

HotRapLevelShape ComputeLevelShape(const ImmutableCFOptions& ioptions,
                                   const MutableCFOptions& options,
                                   const LevelFeedback& feedback) {
  return ComputeLevelShape(
      ioptions.cf_paths.empty() ? 0 : ioptions.cf_paths[0].target_size,
      ioptions.num_levels, ioptions.min_write_buffer_number_to_merge, options,
      feedback);
}

const char* HotRapInactiveReason(const ImmutableCFOptions& ioptions,
                                 const MutableCFOptions& options,
                                 const HotRapLevelShape& shape) {
  const char* const reason = WhateverTheBudget(ioptions, options);
  if (*reason != '\0') {
    return reason;
  }
  if (shape.first_slow_level >= ioptions.num_levels) {
    return "num_levels is too small for the fast budget, which has room for "
           "the targets of all levels: none is slow";
  }
  if (shape.first_slow_level < kMinFirstSlowLevel) {
    return "fewer than two levels fit into the fast tier";
  }
  return "";
}

std::optional<HotRapLevelShape> ActiveLevelShape(
    const ImmutableCFOptions& ioptions, const MutableCFOptions& options,
    const LevelFeedback& feedback) {
  if (*WhateverTheBudget(ioptions, options) != '\0') {
    return std::nullopt;
  }
  HotRapLevelShape shape = ComputeLevelShape(ioptions, options, feedback);
  if (*HotRapInactiveReason(ioptions, options, shape) != '\0') {
    return std::nullopt;
  }
  return shape;
}

int FirstSlowLevel(const ImmutableCFOptions& ioptions,
                   const MutableCFOptions& options) {
  const std::optional<HotRapLevelShape> shape =
      ActiveLevelShape(ioptions, options);
  return shape.has_value() ? shape->first_slow_level : ioptions.num_levels;
}

}  // namespace ROCKSDB_NAMESPACE
