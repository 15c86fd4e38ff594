//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/hotrap_warnings.h"

#include <algorithm>
#include <limits>

#include "plugin/hotrap/db/paths/paths_file.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// A budget that counts as more, by a smaller fraction, is no reason to warn.
constexpr uint64_t kToleranceDivisor = 32;

}  // namespace

std::vector<std::string> HotRapWarnings(
    const ImmutableOptions& ioptions, const MutableCFOptions& options,
    const std::vector<FastPathShare>& others, const FastPathBudget& budget,
    bool has_blob_files) {
  std::vector<std::string> warnings;
  const DbPath& fast = ioptions.cf_paths[0];

  // Those without a budget of their own share what others leave.
  uint64_t sum = options.hotrap.fast_budget_bytes;
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

  if (budget.least_bytes > budget.bytes + budget.bytes / kToleranceDivisor) {
    warnings.push_back(
        "the fast budget of " + std::to_string(budget.bytes) + " bytes on " +
        fast.path + " counts as " + std::to_string(budget.least_bytes) +
        ": its levels, a compaction of L0, memtables and RALT need that much; "
        "raise it (hotrap.fast_budget_bytes, target_size), or lower "
        "write_buffer_size, max_write_buffer_number or "
        "max_bytes_for_level_base");
  }

  if (options.enable_blob_files || has_blob_files) {
    warnings.push_back("blob files are on the fast path " + fast.path +
                       ", outside the fast budget, and values in them are not "
                       "promoted");
  }
  return warnings;
}

}  // namespace ROCKSDB_NAMESPACE
