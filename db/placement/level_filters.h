//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Gives the Bloom filters of small levels more bits. A Get checks a filter in
// each level above the one that has its key, and each false positive reads a
// block in vain. Small levels hold few keys, so their filters can be ten times
// as good for almost no memory (Dayan et al., Monkey, 2017: false positive
// rates in proportion to the levels' sizes).

#pragma once

#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

struct TableBuilderOptions;

// Returns `options` for a table that is about to be built. If its level is
// above the last fast one, RocksDB's Bloom filter policy gets
// hotrap.small_level_filter_bits more bits per key. Any thread.
BlockBasedTableOptions WithLevelFilters(const BlockBasedTableOptions& options,
                                        const TableBuilderOptions& table);

}  // namespace ROCKSDB_NAMESPACE
