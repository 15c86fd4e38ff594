//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How many bytes a fast path may hold: the budget, with two exceptions.
//
// A budget that does not even hold what its column families need to work is
// taken as that much: the targets of their levels, RALT, full memtables, the
// compaction of L0, and two ramps of the brake (WriteBrake). A ramp is shorter
// than usual where the budget leaves no more, but not so short that a few
// memtables would overrun it.
//
// A path that holds more than its budget, since that was lowered or HotRAP was
// switched on, is not over its limit. Levels move to their targets gradually,
// and no write is held up for it. The limit sinks with what the path holds, and
// leaves room to work beside that, which goes at the end:
//
//   limit = max(wanted, min(limit before, held + min(room, 8 (held - wanted))))
//
// Thread safety: none.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "plugin/hotrap/db/budget/write_brake.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class BudgetLimit {
 public:
  // What must fit, in bytes.
  struct Needs {
    uint64_t targets = 0;     // of all fast levels
    uint64_t ralt = 0;        // as levels leave room for it
    uint64_t memtables = 0;   // at most
    uint64_t compaction = 0;  // of L0 into L1, the largest
    uint64_t others = 0;      // what nobody limits

    uint64_t Full() const { return targets + ralt + memtables + compaction; }
    // Twice the ramp is free when all levels are full.
    uint64_t LeastRamp() const {
      const uint64_t usual = Full() / (WriteBrake::kRampDivisor - 2) + 1;
      return std::min(usual, std::max(Full() / kShortRampDivisor, memtables));
    }
    uint64_t Least() const { return Full() + 2 * LeastRamp() + others; }
  };

  // Returns the limit in force. `held` is what the path holds now.
  uint64_t Update(uint64_t budget, const Needs& needs, uint64_t held) {
    const uint64_t wanted = std::max(budget, needs.Least());
    const uint64_t own = wanted - needs.others;
    ramp_ = std::min(own / WriteBrake::kRampDivisor, (own - needs.Full()) / 2);
    uint64_t eased = wanted;
    if (held > wanted) {
      // Flushes and compactions of L0 make what is held go up and down.
      const uint64_t room =
          2 * needs.memtables + 4 * needs.compaction + 2 * ramp_;
      eased = held + std::min(room, kRoomFactor * (held - wanted));
    }
    limit_ = std::max(wanted, std::min(limit_, eased));
    return limit_;
  }
  // Of the brake, at the last limit: of what is wanted, without what nobody
  // limits. What a path holds beyond its budget makes it no longer, or there
  // would be no room beside that for a whole one.
  uint64_t ramp() const { return ramp_; }

 private:
  static constexpr uint64_t kRoomFactor = 8;
  static constexpr uint64_t kShortRampDivisor = 256;

  uint64_t ramp_ = 0;
  uint64_t limit_ = std::numeric_limits<uint64_t>::max();
};

}  // namespace ROCKSDB_NAMESPACE
