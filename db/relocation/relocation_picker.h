//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides which of the tables on the wrong tier is moved next: a pure function
// of a version's tables and of the room on the fast tier.
//
// Tables that move down come first, because they make room: the least read ones
// first, then by level, deepest first. Then come the tables that move up, while
// they fit: the most read ones first, then by level, topmost first.

#pragma once

#include <cstdint>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct RelocationTable {
  uint64_t number = 0;
  int level = 0;
  uint32_t path_id = 0;
  uint64_t bytes = 0;
  // Sampled reads, from FileMetaData::stats.
  uint64_t reads = 0;
};

// Returns those of `tables` that lie on the wrong tier and may be moved now, in
// the order to move them. `fast_room_bytes` is the room on the fast tier.
std::vector<RelocationTable> PickRelocations(
    const std::vector<RelocationTable>& tables, int first_slow_level,
    uint64_t fast_room_bytes);

}  // namespace ROCKSDB_NAMESPACE
