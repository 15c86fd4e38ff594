//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A DB that was used with other level targets has levels that are larger than
// their new ones. As compaction debt that would delay or stop writes
// (soft_pending_compaction_bytes_limit), although nothing is wrong. So such a
// level keeps a target just below its size, which sinks with it:
//
//   in force = max(wanted, min(in force in the version before,
//                              bytes of the level - step))
//
//   wanted 300, level 400, step 10:  390, one compaction, 380, ..., 300
//
// There is always one step's worth of debt, so that compactions go on, after
// everything that is more urgent. What a level grows by counts as in stock
// RocksDB: writes that are too fast are still held back.

#pragma once

#include <cstdint>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// The targets in force. `before` are those of the version before this one,
// nullptr at DB::Open; `level_bytes` are the sizes of the levels. From L1 on
// the result ascends, as RocksDB wants it. Entries are one a level.
std::vector<uint64_t> TargetsInForce(const std::vector<uint64_t>& wanted,
                                     const std::vector<uint64_t>* before,
                                     const std::vector<uint64_t>& level_bytes,
                                     uint64_t step_bytes);

}  // namespace ROCKSDB_NAMESPACE
