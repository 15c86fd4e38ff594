//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For BlockBasedTableFactory: blocks and filters by level.

#pragma once

#include "plugin/hotrap/db/placement/fast_blocks.h"
#include "plugin/hotrap/db/placement/level_filters.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

struct TableBuilderOptions;

// Returns `options` for a table that is about to be built. Any thread.
inline BlockBasedTableOptions HotRapTableOptions(
    const BlockBasedTableOptions& options, const TableBuilderOptions& table) {
  return WithLevelFilters(WithFastBlocks(options, table), table);
}

}  // namespace ROCKSDB_NAMESPACE
