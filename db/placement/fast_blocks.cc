//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/fast_blocks.h"

#include <cstdint>

#include "plugin/hotrap/db/placement/level_tier.h"
#include "table/table_builder.h"

namespace ROCKSDB_NAMESPACE {

BlockBasedTableOptions WithFastBlocks(const BlockBasedTableOptions& options,
                                      const TableBuilderOptions& table) {
  BlockBasedTableOptions result = options;
  const uint64_t limit = table.moptions.hotrap.fast_block_bytes;
  // Below 0: the level is unknown, or the table does not belong to a DB.
  if (limit > 0 && limit < options.block_size && table.level_at_creation >= 0 &&
      PathOfLevel(table.ioptions, table.moptions, table.level_at_creation) ==
          0u) {
    result.block_size = limit;
    // End a block before the record that would exceed the limit. By default
    // only nearly full blocks end there, so that four records of 1,030 bytes
    // would make one block. 100 would disable the limit.
    result.block_size_deviation = 99;
    // Padding small blocks to pages could take half of the fast tier.
    result.block_align = false;
  }
  return result;
}

}  // namespace ROCKSDB_NAMESPACE
