//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The Bloom filters of small levels have more bits. A Get asks a filter in each
// level above the one that has its key, and reads a block from the disk where
// the filter errs: from the fast disk for hot records, from the slow one, in
// the extra level, for cold ones. As small levels hold few keys, their filters
// can be ten times as good at next to no memory (Dayan et al.: Monkey, 2017:
// error rates in proportion to the levels' sizes).

#pragma once

#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

struct TableBuilderOptions;

// `options` for a table that is about to be built: with
// hotrap.small_level_filter_bits more in RocksDB's Bloom filter policy if its
// level is above the last fast one or is the extra one, else as they are.
// Thread safety: any thread.
BlockBasedTableOptions WithLevelFilters(const BlockBasedTableOptions& options,
                                        const TableBuilderOptions& table);

}  // namespace ROCKSDB_NAMESPACE
