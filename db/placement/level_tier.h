//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Says which tier a level is on, which path that is, and whether a table lies
// where its level belongs. Nothing else compares a level with FS to find a
// path.
//
// Thread safety: any thread, as far as the arguments allow.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class VersionStorageInfo;
struct ImmutableCFOptions;
struct MutableCFOptions;

inline bool IsFastLevel(int level, int first_slow_level) {
  return level < first_slow_level;
}

// Returns the path of files written to `level`: the first one for fast levels,
// the last one for slow ones.
inline uint32_t PathOfLevel(int level, int first_slow_level, size_t num_paths) {
  return IsFastLevel(level, first_slow_level)
             ? 0
             : static_cast<uint32_t>(num_paths) - 1;
}

// The same for a column family's options; nothing where HotRAP is off or
// inactive, and stock RocksDB decides.
std::optional<uint32_t> PathOfLevel(const ImmutableCFOptions& ioptions,
                                    const MutableCFOptions& options, int level);

// A table of a fast level belongs on the first path. A table of a slow level
// belongs on any other path, because whoever compacts may choose among those.
inline bool LiesOnWrongTier(int level, uint32_t path_id, int first_slow_level) {
  return IsFastLevel(level, first_slow_level) != (path_id == 0);
}

// Returns the bytes of tables that lie on the wrong tier.
uint64_t BytesOnWrongTier(const VersionStorageInfo& storage_info,
                          int first_slow_level);

}  // namespace ROCKSDB_NAMESPACE
