//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/hotrap_warnings.h"

#include <algorithm>
#include <limits>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// Lagging levels may take up this many budgets before writes are delayed.
constexpr uint64_t kBudgetsOfDebt = 4;
}  // namespace

std::vector<std::string> HotRapWarnings(
    const ImmutableOptions& ioptions, const MutableCFOptions& options,
    const std::vector<FastPathShare>& others, bool has_blob_files) {
  std::vector<std::string> warnings;
  const DbPath& fast = ioptions.cf_paths[0];
  const uint64_t budget = FastBudgetBytes(fast.target_size, options.hotrap);

  uint64_t sum = budget;
  uint64_t target = fast.target_size;
  size_t sharers = 0;
  for (const FastPathShare& other : others) {
    if (PathsFile::IsSameFolder(ioptions.fs.get(), other.path, fast.path)) {
      sum = other.budget_bytes > std::numeric_limits<uint64_t>::max() - sum
                ? std::numeric_limits<uint64_t>::max()
                : sum + other.budget_bytes;
      target = std::max(target, other.target_size);
      sharers++;
    }
  }
  if (sum > target) {
    warnings.push_back(
        sharers > 0 ? "the fast budgets of " + std::to_string(sharers + 1) +
                          " column families on " + fast.path + " add up to " +
                          std::to_string(sum) + " bytes, its target_size is " +
                          std::to_string(target) +
                          ": give each its share by hotrap.fast_budget_bytes"
                    : "hotrap.fast_budget_bytes is " + std::to_string(sum) +
                          ", the target_size of " + fast.path + " " +
                          std::to_string(target));
  }

  const uint64_t debt = options.soft_pending_compaction_bytes_limit;
  if (debt == 0 || debt / kBudgetsOfDebt > budget) {
    warnings.push_back(
        "soft_pending_compaction_bytes_limit is " +
        (debt == 0 ? "off" : std::to_string(debt)) + ", the fast budget " +
        std::to_string(budget) +
        " bytes: if writes are faster than compactions, levels outgrow the "
        "budget by that much before writes are delayed");
  }

  if (options.enable_blob_files || has_blob_files) {
    warnings.push_back("blob files are on the fast path " + fast.path +
                       ", outside the fast budget, and values in them are not "
                       "promoted");
  }
  return warnings;
}

}  // namespace ROCKSDB_NAMESPACE
