//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// If a DB was used with other level targets, some of its levels are larger than
// their new targets. RocksDB would count the excess as compaction debt and
// delay or stop writes (soft_pending_compaction_bytes_limit), although nothing
// is wrong. So such a level gets a target just below its size, which shrinks
// with the level:
//
//   in force = max(wanted, min(in force in the version before,
//                              bytes of the level - step))
//
//   wanted 300, level 400, step 10:  390, one compaction, 380, ..., 300
//
// There is always one step of debt, so that compactions continue, after
// anything more urgent. Growth of a level counts as in stock RocksDB: writes
// that are too fast are still delayed.

#pragma once

#include <cstdint>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Returns the targets in force, one per level, ascending from L1 on as RocksDB
// requires. `before` are the targets of the previous version, nullptr at
// DB::Open; `level_bytes` are the sizes of the levels.
std::vector<uint64_t> TargetsInForce(const std::vector<uint64_t>& wanted,
                                     const std::vector<uint64_t>* before,
                                     const std::vector<uint64_t>& level_bytes,
                                     uint64_t step_bytes);

}  // namespace ROCKSDB_NAMESPACE
