//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/level_tier.h"

#include "db/version_set.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"

namespace ROCKSDB_NAMESPACE {

std::optional<uint32_t> PathOfLevel(const ImmutableCFOptions& ioptions,
                                    const MutableCFOptions& options,
                                    int level) {
  const std::optional<HotRapLevelShape> shape =
      ActiveLevelShape(ioptions, options);
  if (!shape.has_value()) {
    return std::nullopt;
  }
  return PathOfLevel(level, shape->first_slow_level, ioptions.cf_paths.size());
}

uint64_t BytesOnWrongTier(const VersionStorageInfo& storage_info,
                          int first_slow_level) {
  uint64_t bytes = 0;
  for (int level = 0; level < storage_info.num_levels(); level++) {
    for (const FileMetaData* file : storage_info.LevelFiles(level)) {
      if (LiesOnWrongTier(level, file->fd.GetPathId(), first_slow_level)) {
        bytes += file->fd.GetFileSize();
      }
    }
  }
  return bytes;
}

}  // namespace ROCKSDB_NAMESPACE
