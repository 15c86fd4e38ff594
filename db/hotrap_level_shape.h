//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How large each level of a column family with HotRAP may grow, and which of
// them are fast: pure functions of the options and of what was measured.
//
// The user gives the fast budget. What can't be levels is taken off it first:
//
//   RALT          its first physical limit, 15 % of the budget
//   L0            files until its compaction starts, at most
//                 max_bytes_for_level_base, at which it starts anyway
//   a compaction  what one writes beside its inputs: L0 and L1 together, or
//                 one file and those it overlaps in the last fast level
//
// The upper levels keep the targets that the user gave them, the last fast
// level gets what is left, and the slow ones follow by the multiplier from it.
// A level is fast if at least the target of the level above it is left for it,
// and, beyond L2, at least half of its usual target: the last fast level holds
// most of what is fast, since it is the one that retains hot records. After
// that the last fast level gets what RALT does not use: records of 1 KiB leave
// it some 12 % of the budget.
//
// Example: 10 GiB, 256 MiB of L1, files and memtables of 64 MiB, multiplier 10.
//   RALT 1.5, L0 0.25, L1 0.25, one compaction 1.65, L2 6.35 GiB; L3, the
//   first slow level, 63.5 GiB. As a fast level it would have 25 GiB, and less
//   than half of that is left. If RALT's files take 160 MiB, 1.2 GiB of RALT's
//   go to L2 and its compactions.
//
// Not part of the budget: the write-ahead log, the MANIFEST, text logs.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "options/cf_options.h"

namespace ROCKSDB_NAMESPACE {

// What was measured. It changes targets, never FS.
struct LevelFeedback {
  // That part of the last fast level's bytes which leaves it in a crossing
  // compaction.
  double cold_fraction = 1;
  // Of RALT's files. While that is not known, levels leave it what it may take
  // at first.
  static constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
  uint64_t ralt_bytes = kUnknown;
};

struct HotRapLevelShape {
  // Level FS. The number of levels when every level is fast; below 2 when not
  // even L0 and L1 fit, and then there are no targets.
  int first_slow_level = 0;

  // The fast budget, and what of it is not for levels, in bytes.
  uint64_t budget_bytes = 0;
  uint64_t ralt_bytes = 0;
  uint64_t level0_bytes = 0;
  uint64_t compaction_bytes = 0;

  // Target of each level in bytes, from L1 on ascending. Entry 0 is
  // level0_bytes. Empty when no level is slow or less than two are fast.
  std::vector<uint64_t> target_bytes;

  uint64_t last_fast_target_bytes() const {
    return target_bytes.empty() ? 0 : target_bytes[first_slow_level - 1];
  }
};

// The fast budget: what the options name, else target_size of the fast path.
inline uint64_t FastBudgetBytes(uint64_t first_path_bytes,
                                const HotRapOptions& options) {
  return options.fast_budget_bytes > 0 ? options.fast_budget_bytes
                                       : first_path_bytes;
}

// The shape for a fast path of target_size `first_path_bytes`. With
// options.hotrap.extra_level and a cold fraction p there is one level more
// between the last fast level and what would be the first slow one without:
// sqrt(p * multiplier) times as large as the former (after paper section 3.6).
HotRapLevelShape ComputeLevelShape(uint64_t first_path_bytes, int num_levels,
                                   int min_write_buffer_number_to_merge,
                                   const MutableCFOptions& options,
                                   const LevelFeedback& feedback = {});

// The same for a column family's options.
HotRapLevelShape ComputeLevelShape(const ImmutableCFOptions& ioptions,
                                   const MutableCFOptions& options,
                                   const LevelFeedback& feedback = {});

// Why HotRAP can't work with these options, or an empty string. Levels have
// the targets of their shape exactly when it is empty.
const char* HotRapInactiveReason(const ImmutableCFOptions& ioptions,
                                 const MutableCFOptions& options);

// Level FS. num_levels when nothing is slow, HotRAP is off or can't work.
int FirstSlowLevel(const ImmutableCFOptions& ioptions,
                   const MutableCFOptions& options);

}  // namespace ROCKSDB_NAMESPACE
