//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Gives tables on the fast tier small blocks. A hot record says nothing about
// its neighbours: the rest of its block is read, checksummed and cached for
// nothing. On the slow tier a large block costs one seek, as a small one does,
// and keeps the index small.

#pragma once

#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

struct TableBuilderOptions;

// Returns `options` for a table that is about to be built, with block_size
// capped at hotrap.fast_block_bytes if its level is fast. Any thread.
BlockBasedTableOptions WithFastBlocks(const BlockBasedTableOptions& options,
                                      const TableBuilderOptions& table);

}  // namespace ROCKSDB_NAMESPACE
