//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides which pinned ranges are in force: a pure function of their sizes.
//
// The ranges come in the user's order. Those that fit into the limit are in
// force; the first one that does not fit is cut at a key where a table begins;
// what follows is left out.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/hotrap/db/state/key_range_set.h"
#include "plugin/hotrap/db/state/pinned_figures.h"

namespace ROCKSDB_NAMESPACE {

// Bytes of tables that a range has in the levels of each tier. A promoted
// record counts in both, so the range holds about as much as the larger one.
struct TierBytes {
  uint64_t fast = 0;
  uint64_t slow = 0;

  uint64_t all() const { return fast > slow ? fast : slow; }
};

struct PinnedPlan {
  KeyRangeSet in_force;
  PinnedFigures::Bytes bytes;
};

// `measure` returns the bytes of a range; `boundaries` keys in a range, in
// order, at which it may be cut. `before` is what is in force now: it stays as
// long as it fits and leaves at most a tenth of the limit unused, since each
// cut at another key means that records move.
PinnedPlan MakePinnedPlan(
    const Comparator* ucmp, const std::vector<RangeOfKeys>& wanted,
    uint64_t limit_bytes, const KeyRangeSet& before,
    const std::function<TierBytes(const RangeOfKeys&)>& measure,
    const std::function<std::vector<std::string>(const RangeOfKeys&)>&
        boundaries);

}  // namespace ROCKSDB_NAMESPACE
