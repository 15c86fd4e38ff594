//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The target size of each level of a column family with HotRAP, and which
// levels are fast: pure functions of the options and of measurements.
//
// The user gives the fast budget. What levels cannot use is subtracted first:
//
//   RALT          its first physical limit, 15 % of the budget
//   L0            files until its compaction starts, at most
//                 max_bytes_for_level_base, at which it starts anyway
//   a compaction  what one writes beside its inputs: L0 and L1 together, or
//                 one file and those it overlaps in the last fast level
//
// The upper levels keep the user's targets. The last fast level gets what is
// left, and the slow levels are multiples of it. A level is fast if what is
// left for it is at least the target of the level above it and, beyond L2, at
// least half of its usual target: the last fast level should hold most of the
// fast data, since it is the level that retains hot records. Then the last fast
// level also gets what RALT does not use; with records of 1 KiB that is some 12
// % of the budget.
//
// Example: a budget of 10 GiB, L1 of 256 MiB, files and memtables of 64 MiB,
// multiplier 10.
//   RALT 1.5, L0 0.25, L1 0.25, one compaction 1.65, L2 6.35 GiB; L3, the
//   first slow level, 63.5 GiB. As a fast level it would have 25 GiB, and less
//   than half of that is left. If RALT's files take 160 MiB, 1.2 GiB of RALT's
//   go to L2 and its compactions.
//
// The write-ahead log, the MANIFEST and text logs are not part of the budget.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "options/cf_options.h"

namespace ROCKSDB_NAMESPACE {

// Measurements that the shape depends on. They change targets, never FS.
struct LevelFeedback {
  // The fraction of the last fast level's bytes that crossing compactions move
  // down.
  double cold_fraction = 1;
  // Bytes of RALT's files. While they are unknown, levels leave room for RALT's
  // first physical limit.
  static constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
  uint64_t ralt_bytes = kUnknown;
  // The column family's share of a budget that it has not for itself. Levels
  // and RALT get no more; which levels are fast follows from the whole budget.
  uint64_t share_bytes = kUnknown;
  // Reads of the slow tier take longer than those of the fast one.
  bool slow_is_slower = true;
};

struct HotRapLevelShape {
  // Level FS. The number of levels if every level is fast. Below 2 if L0 and L1
  // do not fit; then there are no targets.
  int first_slow_level = 0;

  // The fast budget, and the parts of it that levels cannot use, in bytes.
  uint64_t budget_bytes = 0;
  uint64_t ralt_bytes = 0;
  uint64_t level0_bytes = 0;
  uint64_t compaction_bytes = 0;

  // Target of each level in bytes, ascending from L1 on. Entry 0 is
  // level0_bytes. Empty if no level is slow or fewer than two are fast.
  std::vector<uint64_t> target_bytes;

  uint64_t last_fast_target_bytes() const {
    return target_bytes.empty() ? 0 : target_bytes[first_slow_level - 1];
  }
  // Of all fast levels.
  uint64_t fast_target_bytes() const {
    uint64_t bytes = 0;
    for (int level = 0; !target_bytes.empty() && level < first_slow_level;
         level++) {
      bytes += target_bytes[level];
    }
    return bytes;
  }
};

// Returns the fast budget: the option if set, else target_size of the first
// path.
inline uint64_t FastBudgetBytes(uint64_t first_path_bytes,
                                const HotRapOptions& options) {
  return options.fast_budget_bytes > 0 ? options.fast_budget_bytes
                                       : first_path_bytes;
}

// Returns the shape for a fast path of target_size `first_path_bytes`. With
// options.hotrap.extra_level and a cold fraction p, it has one more level
// between the last fast level and what would otherwise be the first slow one,
// sqrt(p * multiplier) times as large as the last fast level (derived from
// paper section 3.6). It has not if p is 1 and the slow tier is not slower.
HotRapLevelShape ComputeLevelShape(uint64_t first_path_bytes, int num_levels,
                                   int min_write_buffer_number_to_merge,
                                   const MutableCFOptions& options,
                                   const LevelFeedback& feedback = {});

// The same for a column family's options.
HotRapLevelShape ComputeLevelShape(const ImmutableCFOptions& ioptions,
                                   const MutableCFOptions& options,
                                   const LevelFeedback& feedback = {});

// Returns why HotRAP cannot work with these options, or an empty string. Levels
// have the targets of their shape if and only if it is empty. `shape` is that
// of the same options, with any feedback.
const char* HotRapInactiveReason(const ImmutableCFOptions& ioptions,
                                 const MutableCFOptions& options,
                                 const HotRapLevelShape& shape);

// Returns the shape if HotRAP is on and can work. Computes it once, or not at
// all where HotRAP is off.
std::optional<HotRapLevelShape> ActiveLevelShape(
    const ImmutableCFOptions& ioptions, const MutableCFOptions& options,
    const LevelFeedback& feedback = {});

// Returns level FS; num_levels if no level is slow or HotRAP is off or
// inactive.
int FirstSlowLevel(const ImmutableCFOptions& ioptions,
                   const MutableCFOptions& options);

}  // namespace ROCKSDB_NAMESPACE
