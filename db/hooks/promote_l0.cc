//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// DBImpl::PromoteL0() in place of RocksDB's, which fails if a table of L0 is
// being compacted, and takes a relocated one for such a table.

#include "db/db_impl/db_impl.h"
#include "plugin/hotrap/db/hooks/hotrap_fences.h"

namespace ROCKSDB_NAMESPACE {

Status DBImpl::PromoteL0(ColumnFamilyHandle* column_family, int target_level) {
  assert(column_family != nullptr);
  auto* const cfd = static_cast<ColumnFamilyHandleImpl*>(column_family)->cfd();
  const HotRapFences::NoRetention hotrap_guard(this, cfd,
                                               /*changes_level=*/true);
  return StockPromoteL0(column_family, target_level);
}

}  // namespace ROCKSDB_NAMESPACE
