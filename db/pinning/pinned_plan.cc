//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/pinning/pinned_plan.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE {

namespace {

// A new cut leaves this fraction of the limit unused, so that the ranges may
// grow a little before they are cut again.
constexpr uint64_t kSlackDivisor = 20;
// A cut leaves at most this fraction unused, else a new one is made.
constexpr uint64_t kMaxUnusedDivisor = 10;

}  // namespace

PinnedPlan MakePinnedPlan(
    const Comparator* ucmp, const std::vector<RangeOfKeys>& wanted,
    uint64_t limit_bytes, const KeyRangeSet& before,
    const std::function<TierBytes(const RangeOfKeys&)>& measure,
    const std::function<std::vector<std::string>(const RangeOfKeys&)>&
        boundaries) {
  PinnedPlan plan{KeyRangeSet(ucmp), {}};
  plan.bytes.limit = limit_bytes;
  std::vector<TierBytes> sizes;
  for (const RangeOfKeys& range : wanted) {
    sizes.push_back(measure(range));
    plan.bytes.wanted += sizes.back().all();
  }
  const auto measure_in_force = [&](const KeyRangeSet& set) {
    plan.in_force = set;
    plan.bytes.in_force = 0;
    plan.bytes.fast = 0;
    for (const RangeOfKeys& range : set.ranges()) {
      const TierBytes bytes = measure(range);
      plan.bytes.in_force += bytes.all();
      plan.bytes.fast += bytes.fast;
    }
  };
  const auto everything = [&] { return KeyRangeSet(ucmp, wanted); };
  if (plan.bytes.wanted <= limit_bytes) {
    measure_in_force(everything());
    return plan;
  }
  measure_in_force(before);
  if (plan.bytes.in_force <= limit_bytes && plan.bytes.fast <= limit_bytes &&
      plan.bytes.in_force >= limit_bytes - limit_bytes / kMaxUnusedDivisor) {
    return plan;
  }

  uint64_t left = limit_bytes - limit_bytes / kSlackDivisor;
  std::vector<RangeOfKeys> chosen;
  for (size_t i = 0; i < wanted.size(); i++) {
    if (sizes[i].all() <= left) {
      left -= sizes[i].all();
      chosen.push_back(wanted[i]);
      continue;
    }
    const std::vector<std::string> cuts = boundaries(wanted[i]);
    RangeOfKeys part = wanted[i];
    // Sizes grow with the place of the cut.
    const auto beyond = std::partition_point(
        cuts.begin(), cuts.end(), [&](const std::string& cut) {
          part.end = cut;
          return measure(part).all() <= left;
        });
    if (beyond != cuts.begin()) {
      part.end = *(beyond - 1);
      chosen.push_back(part);
    }
    break;
  }
  measure_in_force(KeyRangeSet(ucmp, chosen));
  return plan;
}

}  // namespace ROCKSDB_NAMESPACE
