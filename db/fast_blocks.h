//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tables of the fast tier have small blocks. A hot record is there for its own
// sake: what else is in its block is read from the disk, checked and kept in
// the block cache for nothing. On the slow tier a large block costs one seek
// as a small one does, and saves memory for the index.

#pragma once

#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

struct TableBuilderOptions;

// `options` for a table that is about to be built: with a block_size of at most
// hotrap.fast_block_bytes if its level is fast, else as they are.
// Thread safety: any thread.
BlockBasedTableOptions WithFastBlocks(const BlockBasedTableOptions& options,
                                      const TableBuilderOptions& table);

}  // namespace ROCKSDB_NAMESPACE
