//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which tables lie on the wrong tier, and which of them is moved next: pure
// functions of a version's tables and of the room on the fast tier.
//
// A table of a fast level belongs to the first path. One of a slow level
// belongs to any other path: where there are several, whoever compacts may
// name one.
//
// What goes down goes first, since it makes room. The least read tables and
// the deepest levels begin. What goes up goes by reads, too, the most read
// ones first, then the upper levels; only while it fits.

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
  // Of FileMetaData::stats: a sample.
  uint64_t reads = 0;
};

inline bool LiesOnWrongTier(int level, uint32_t path_id, int first_slow_level) {
  return (level < first_slow_level) != (path_id == 0);
}

// Of `tables`, those on the wrong tier that may be moved now, the next one
// first. `fast_room_bytes` is what the fast tier has room for.
std::vector<RelocationTable> PickRelocations(
    const std::vector<RelocationTable>& tables, int first_slow_level,
    uint64_t fast_room_bytes);

}  // namespace ROCKSDB_NAMESPACE
