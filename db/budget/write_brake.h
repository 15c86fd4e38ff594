//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How fast writes may go, given what a fast path holds: a pure function.
//
//   limit   |<------------------------- room ------------------------->|
//           |<- next compaction of L0 ->|<-------- spare ------------->|
//           0                           0        ramp  1.5    2 ramps  |
//   writes  | stop |   ever slower      | slower |         full speed  |
//   promotions           none                          |   as ever     |
//   retention            at most 50 %            | 50 .. 80 % | 80 %   |
//
// `room` is what the limit leaves beside what the path holds or is about to:
// tables, RALT, memtables, what running crossings write, and obsolete tables
// that compactions keep until they end. Of that, the next
// compaction of L0 needs its output's size; the rest is `spare`. As spare
// falls, promotions stop first, then crossings may keep less, and then writes
// are slowed. What a burst writes is in L0 and L1 then, and no compaction takes
// it out on what is hot.
//
// At the end of the ramp, where nothing is spare, writes get a quarter of the
// speed at which crossings empty the tier, so somewhere on the ramp they are as
// fast as these; there the path holds its bytes. Between the two ends the rate
// is interpolated geometrically, so it changes by the same factor for the same
// bytes, whatever the speeds are.
//
// Without room, writes stop, but only while a compaction runs that takes from
// the tier. When none is left, writes trickle on, and StopPatience ends a stop
// that brings nothing: nobody can wait for ever. Other obsolete tables that are
// not yet deleted take one ramp at most: what holds them, an iterator or a
// backup, may itself wait for a write. No obsolete table, and nothing that a
// crossing writes, whose inputs will go, is a reason to promote or to retain
// less.

#pragma once

#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class WriteBrake {
 public:
  // A ramp is this fraction of the limit, unless the path holds more than its
  // budget (BudgetLimit).
  static constexpr uint64_t kRampDivisor = 32;
  // However full the path is, writes get this rate once nothing empties it.
  static constexpr uint64_t kLeastBytesPerSec = 256 << 10;
  // The most that a crossing keeps of its fast input.
  static constexpr double kMostRetained = 0.8;
  static constexpr double kLeastRetained = 0.5;

  enum class State { kFree, kDelayed, kStopped };

  struct Input {
    uint64_t limit_bytes = 0;
    // Of the ramp; 0 for the usual fraction of the limit.
    uint64_t ramp_bytes = 0;
    // Tables of current versions, RALT, memtables.
    uint64_t held_bytes = 0;
    // What running crossings may write to the path, at most.
    uint64_t crossing_bytes = 0;
    // Tables of no current version that compactions keep.
    uint64_t kept_bytes = 0;
    // Those that still exist for another reason.
    uint64_t leaving_bytes = 0;
    // What the next compaction of L0 writes, at most.
    uint64_t next_compaction_bytes = 0;
    // At which crossings empty the tier; 0 if unknown.
    uint64_t drain_bytes_per_sec = 0;
    // The user's limit on the rate while writes are delayed.
    uint64_t max_bytes_per_sec = 0;
    // Whether a compaction runs that takes from the tier.
    bool drains = false;
  };

  struct Decision {
    State state = State::kFree;
    uint64_t bytes_per_sec = 0;  // if delayed
    bool promotes = true;
    double most_retained = kMostRetained;
    // Less than two ramps are spare: compactions should make haste.
    bool close = false;
  };

  static Decision Decide(const Input& input);
};

}  // namespace ROCKSDB_NAMESPACE
