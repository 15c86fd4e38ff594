//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides which tables lie on the wrong tier and which of them is moved next:
// pure functions of a version's tables and of the room on the fast tier.
//
// A table of a fast level belongs on the first path. A table of a slow level
// belongs on any other path, because whoever compacts may choose among those.
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

inline bool LiesOnWrongTier(int level, uint32_t path_id, int first_slow_level) {
  return (level < first_slow_level) != (path_id == 0);
}

// Returns those of `tables` that lie on the wrong tier and may be moved now, in
// the order to move them. `fast_room_bytes` is the room on the fast tier.
std::vector<RelocationTable> PickRelocations(
    const std::vector<RelocationTable>& tables, int first_slow_level,
    uint64_t fast_room_bytes);

}  // namespace ROCKSDB_NAMESPACE
