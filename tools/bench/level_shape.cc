//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/level_shape.h"

#include <algorithm>
#include <cassert>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kMinBaseBytes = 32 * kMiB;
constexpr uint64_t kMinWriteBufferBytes = kMiB;
constexpr uint64_t kMaxFileBytes = 64 * kMiB;
constexpr uint64_t kLevelRatio = 10;
constexpr int kBoundaryFactor = 2;
constexpr int kMinFastLevel = 2;
constexpr int kMaxFastLevel = 4;
constexpr uint64_t kFilesInBase = 4;

// RocksDB's default of 64 GiB, relative to the 10 GB of the paper's fast tier.
constexpr double kSoftDebtOfFastBytes = 6.4;

// Targets of L0 to Ln, in units of the base.
uint64_t FastUnits(int last_fast_level) {
  uint64_t units = 1;
  uint64_t level_units = 1;
  for (int level = 1; level <= last_fast_level; ++level) {
    units += level_units;
    level_units *= kLevelRatio;
  }
  return units;
}

}  // namespace

void FitLevelsToFastTier(uint64_t fast_bytes, bool hotrap,
                         ColumnFamilyOptions* options) {
  assert(fast_bytes > 0);
  int last_fast_level = kMinFastLevel;
  while (last_fast_level < kMaxFastLevel &&
         fast_bytes / FastUnits(last_fast_level + 1) >= kMinBaseBytes) {
    ++last_fast_level;
  }
  const uint64_t filling_bytes =
      std::max<uint64_t>(4, fast_bytes / FastUnits(last_fast_level));
  const uint64_t base_bytes = hotrap ? filling_bytes / 4 * 3 : filling_bytes;
  options->level_compaction_dynamic_level_bytes = false;
  options->max_bytes_for_level_base = base_bytes;
  options->max_bytes_for_level_multiplier = kLevelRatio;
  options->max_bytes_for_level_multiplier_additional.assign(
      static_cast<size_t>(options->num_levels), 1);
  // Entry i scales the step from level i to level i + 1.
  options->max_bytes_for_level_multiplier_additional[static_cast<size_t>(
      last_fast_level)] = kBoundaryFactor;
  options->write_buffer_size = static_cast<size_t>(std::clamp<uint64_t>(
      filling_bytes / kFilesInBase, kMinWriteBufferBytes, kMaxFileBytes));
  options->target_file_size_base =
      hotrap ? std::min(base_bytes / kFilesInBase, kMaxFileBytes) / 2
             : options->write_buffer_size;
  options->target_file_size_multiplier = hotrap ? 2 : 1;
  options->soft_pending_compaction_bytes_limit =
      static_cast<uint64_t>(fast_bytes * kSoftDebtOfFastBytes);
  options->hard_pending_compaction_bytes_limit =
      4 * options->soft_pending_compaction_bytes_limit;
}

int FirstSlowLevel(const ColumnFamilyOptions& options,
                   uint64_t fast_path_target_bytes) {
  double left_bytes = static_cast<double>(fast_path_target_bytes);
  double level_bytes = static_cast<double>(options.max_bytes_for_level_base);
  for (int level = 0; level < options.num_levels; ++level) {
    if (level_bytes > left_bytes) {
      return level;
    }
    left_bytes -= level_bytes;
    if (level > 0) {
      const auto& factors = options.max_bytes_for_level_multiplier_additional;
      const size_t index = static_cast<size_t>(level);
      level_bytes *= options.max_bytes_for_level_multiplier *
                     (index < factors.size() ? factors[index] : 1);
    }
  }
  return options.num_levels;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
