//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/placement/ingestion_path.h"

#include "db/column_family.h"
#include "db/external_sst_file_ingestion_job.h"
#include "db/version_set.h"
#include "plugin/hotrap/db/placement/level_tier.h"

namespace ROCKSDB_NAMESPACE {

uint32_t IngestionPath::Choose(ColumnFamilyData& cfd, SuperVersion* sv,
                               const FileOptions& file_options,
                               const IngestExternalFileOptions& options,
                               bool replaces_range,
                               const IngestedFileInfo& file) {
  const auto path_of = [&](int level) {
    return PathOfLevel(cfd.ioptions(), sv->mutable_cf_options, level)
        .value_or(0);
  };
  // HotRAP does not decide, or a link must not become a copy. Use the first
  // path, the only one that the caller can know.
  if (path_of(cfd.NumberLevels() - 1) == 0 ||
      ((options.move_files || options.link_files) &&
       !options.failed_move_fall_back_to_copy)) {
    return 0;
  }
  return path_of(
      ForetellLevel(cfd, sv, file_options, options, replaces_range, file));
}

// Chooses the level like ExternalSstFileIngestionJob, except that it ignores
// running compactions.
int IngestionPath::ForetellLevel(ColumnFamilyData& cfd, SuperVersion* sv,
                                 const FileOptions& file_options,
                                 const IngestExternalFileOptions& options,
                                 bool replaces_range,
                                 const IngestedFileInfo& file) {
  const int last_level = cfd.NumberLevels() - 1;
  if (options.ingest_behind || options.fail_if_not_bottommost_level ||
      replaces_range) {
    return last_level;
  }
  // Overlapping memtables will be flushed first.
  autovector<UserKeyRange> ranges;
  ranges.emplace_back(file.start_ukey, file.limit_ukey);
  bool overlaps = false;
  if (!cfd.RangesOverlapWithMemtables(ranges, sv,
                                      /*allow_data_in_errors=*/false, &overlaps)
           .ok() ||
      overlaps) {
    return 0;
  }
  ReadOptions read_options;
  read_options.fill_cache = options.fill_cache;
  read_options.total_order_seek = true;
  const Slice start(file.start_ukey);
  const Slice limit(file.limit_ukey);
  VersionStorageInfo* const storage = sv->current->storage_info();
  int target_level = 0;
  for (int level = 0; level <= last_level; level++) {
    if (storage->NumLevelFiles(level) == 0) {
      target_level = level;
      continue;
    }
    if (!sv->current
             ->OverlapWithLevelIterator(read_options, file_options, start,
                                        limit, level, &overlaps)
             .ok() ||
        overlaps) {
      break;
    }
    if (level > 0 && !storage->OverlapInLevel(level, &start, &limit)) {
      target_level = level;
    }
  }
  return target_level;
}

}  // namespace ROCKSDB_NAMESPACE
