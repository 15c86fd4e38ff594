//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells RocksDB which level lies on which tier, how large it may grow, and
// which file leaves the last fast level next. The rules are in level_tier.h,
// hotrap_level_shape.h, target_easing.h and hotrap_picking.h.
//
// Everything here does nothing in a column family where HotRAP is off or
// inactive. Thread safety: every method may be called from any thread.

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
  // Sets the level targets of `storage_info`, which is complete but not current
  // yet, and orders its last fast level. The DB mutex need not be held, but
  // nobody else may create versions of the column family meanwhile.
  static void Prepare(ColumnFamilyData* cfd, const MutableCFOptions& options,
                      VersionStorageInfo* storage_info);

  // The levels' scores are computed. While the fast levels together are larger
  // than their targets, the last one comes first, if it is too large: only
  // crossings empty the tier.
  static void CrossFirst(const ImmutableCFOptions& ioptions,
                         const MutableCFOptions& options,
                         VersionStorageInfo* storage_info);

  // A compaction is about to be picked. One within the tier is not while it
  // would have to wait for another one (FastLedger): what waits keeps the
  // tables of the version that it was picked from. Crossings are picked always.
  // REQUIRES: `storage_info` is that of the current version, DB mutex held
  static void HoldBack(ColumnFamilyData* cfd, VersionStorageInfo* storage_info);

  // Returns the path of files written to `level`: the first path for fast
  // levels, the last path for slow ones. Empty if stock RocksDB decides.
  static std::optional<int> PathId(const ImmutableCFOptions& ioptions,
                                   const MutableCFOptions& options, int level);

  // The same for a compaction for which stock RocksDB or the caller chose
  // `path_id`. For a slow level, a path that the caller of CompactRange() or
  // CompactFiles() asked for is respected, unless it is the first path: callers
  // without a preference pass 0. The last two parameters are those of the
  // compaction.
  static uint32_t OutputPathId(const ImmutableCFOptions& ioptions,
                               const MutableCFOptions& options, int level,
                               uint32_t path_id, bool manual,
                               CompactionReason reason);

 private:
  static void SetTargets(const HotRapLevelShape& shape, ColumnFamilyData* cfd,
                         uint64_t step_bytes, VersionStorageInfo* storage_info);
  static void Order(int last_fast_level, HotRapTier* tier,
                    VersionStorageInfo* storage_info);
};

}  // namespace ROCKSDB_NAMESPACE
