//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/target_easing.h"

#include <algorithm>
#include <cassert>

namespace ROCKSDB_NAMESPACE {

std::vector<uint64_t> TargetsInForce(const std::vector<uint64_t>& wanted,
                                     const std::vector<uint64_t>* before,
                                     const std::vector<uint64_t>& level_bytes,
                                     uint64_t step_bytes) {
  assert(level_bytes.size() == wanted.size());
  assert(before == nullptr || before->size() == wanted.size());
  std::vector<uint64_t> targets = wanted;
  for (size_t level = 1; level < targets.size(); level++) {
    uint64_t eased =
        level_bytes[level] > step_bytes ? level_bytes[level] - step_bytes : 0;
    if (before != nullptr) {
      eased = std::min(eased, (*before)[level]);
    }
    // The last level keeps its target, because nothing leaves it.
    if (level + 1 < targets.size()) {
      targets[level] = std::max(targets[level], eased);
    }
    if (level > 1) {
      targets[level] = std::max(targets[level], targets[level - 1]);
    }
  }
  return targets;
}

}  // namespace ROCKSDB_NAMESPACE
