//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which level lies on which tier, how large it may grow, and which file leaves
// the last fast level next, told to RocksDB. What it is told comes from
// hotrap_level_shape.h, level_move_over.h and hotrap_picking.h.
//
// All of it does nothing in a column family that has HotRAP off or where it
// can't work. Thread safety: every method from any thread.

#pragma once

#include <cstdint>
#include <optional>

#include "rocksdb/listener.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class HotRapTier;
class VersionStorageInfo;
struct HotRapLevelShape;
struct ImmutableCFOptions;
struct MutableCFOptions;

// A friend of VersionStorageInfo.
class HotRapLevels {
 public:
  // `storage_info` is complete but for being made current: sets its level
  // targets and orders its last fast level. The DB mutex need not be held, but
  // the caller is the only one that makes versions of the column family now.
  static void Prepare(ColumnFamilyData* cfd, const MutableCFOptions& options,
                      VersionStorageInfo* storage_info);

  // The path of files written to `level`: the first one above FS, the last one
  // from FS on. Nothing when stock RocksDB decides.
  static std::optional<int> PathId(const ImmutableCFOptions& ioptions,
                                   const MutableCFOptions& options, int level);

  // The same for any compaction, where stock RocksDB or the caller has settled
  // on `path_id`. A path that the caller of CompactRange() or CompactFiles()
  // asks for is his for a slow level, where it is not the first one: 0 is what
  // who has no wish says. The last parameters are those of the compaction.
  static uint32_t OutputPathId(const ImmutableCFOptions& ioptions,
                               const MutableCFOptions& options, int level,
                               uint32_t path_id, bool manual,
                               CompactionReason reason);

  // Bytes of tables that lie on another tier than their level, from
  // `first_slow_level` on slow.
  static uint64_t BytesOnWrongTier(const VersionStorageInfo& storage_info,
                                   int first_slow_level);

 private:
  static void SetTargets(const HotRapLevelShape& shape, ColumnFamilyData* cfd,
                         uint64_t step_bytes, VersionStorageInfo* storage_info);
  static void Order(int last_fast_level, HotRapTier* tier,
                    VersionStorageInfo* storage_info);
};

}  // namespace ROCKSDB_NAMESPACE
