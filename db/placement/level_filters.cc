//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/level_filters.h"

#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "rocksdb/filter_policy.h"
#include "table/block_based/filter_policy_internal.h"
#include "table/table_builder.h"

namespace ROCKSDB_NAMESPACE {

namespace {
bool IsOfSmallLevel(const TableBuilderOptions& table) {
  const int level = table.level_at_creation;
  const int first_slow_level = FirstSlowLevel(table.ioptions, table.moptions);
  // Below 0: the level is unknown, or the table does not belong to a DB.
  if (level < 0 || first_slow_level == table.ioptions.num_levels) {
    return false;
  }
  return level < first_slow_level - 1;
}
}  // namespace

BlockBasedTableOptions WithLevelFilters(const BlockBasedTableOptions& options,
                                        const TableBuilderOptions& table) {
  BlockBasedTableOptions result = options;
  const uint32_t more_bits = table.moptions.hotrap.small_level_filter_bits;
  // Any other policy, including a wrapper of RocksDB's, decides for itself what
  // to do in which level.
  if (more_bits == 0 || options.filter_policy == nullptr ||
      !options.filter_policy->IsInstanceOf(BloomFilterPolicy::kClassName()) ||
      !IsOfSmallLevel(table)) {
    return result;
  }
  const int millibits =
      static_cast<const BloomFilterPolicy*>(options.filter_policy.get())
          ->GetMillibitsPerKey();
  if (millibits > 0) {
    result.filter_policy.reset(
        NewBloomFilterPolicy(millibits / 1000.0 + more_bits));
  }
  return result;
}

}  // namespace ROCKSDB_NAMESPACE
