//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/hotrap_crossing.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_picker.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/compaction_copies.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/placement/level_tier.h"

namespace ROCKSDB_NAMESPACE {

// ---- Planning -------------------------------------------------------------

int HotRapCrossing::ProximalLevel(const VersionStorageInfo& storage,
                                  const MutableCFOptions& options,
                                  const ImmutableOptions& ioptions,
                                  int start_level, int output_level) {
  const std::optional<HotRapLevelShape> shape =
      ActiveLevelShape(ioptions, options);
  if (!shape.has_value()) {
    return Compaction::kInvalidLevel;
  }
  const int first_slow_level = shape->first_slow_level;
  // RocksDB tracks the blob files of a compaction for one output only.
  if (!IsFastLevel(start_level, first_slow_level) ||
      IsFastLevel(output_level, first_slow_level) ||
      options.enable_blob_files || !storage.GetBlobFiles().empty()) {
    return Compaction::kInvalidLevel;
  }
  return first_slow_level - 1;
}

bool HotRapCrossing::Crosses(const Compaction& compaction) {
  return compaction.SupportsPerKeyPlacement() &&
         compaction.mutable_cf_options().hotrap.enabled &&
         compaction.mutable_cf_options().preclude_last_level_data_seconds == 0;
}

void HotRapCrossing::RangeDownTo(
    int last_level, const std::vector<CompactionInputFiles>& inputs,
    const InternalKeyComparator& icmp, InternalKey* smallest,
    InternalKey* largest) {
  for (const CompactionInputFiles& input : inputs) {
    if (input.level > last_level) {
      break;
    }
    for (const FileMetaData* file : input.files) {
      if (!smallest->Valid() || icmp.Compare(file->smallest, *smallest) < 0) {
        *smallest = file->smallest;
      }
      if (!largest->Valid() || icmp.Compare(file->largest, *largest) > 0) {
        *largest = file->largest;
      }
    }
  }
}

bool HotRapCrossing::PlacesInto(const Compaction& compaction, int level) {
  return !Crosses(compaction) || level == compaction.GetProximalLevel();
}

// ---- The first output -----------------------------------------------------

uint32_t HotRapCrossing::PathId(const Compaction& compaction, bool proximal) {
  return proximal && Crosses(compaction) ? 0 : compaction.output_path_id();
}

void HotRapCrossing::SetAge(const Compaction& compaction, bool proximal,
                            FileMetaData* file) {
  if (!proximal || !Crosses(compaction)) {
    return;
  }
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (size_t i = 0; i < compaction.num_input_levels(); i++) {
    if (compaction.level(i) > compaction.GetProximalLevel()) {
      break;
    }
    for (FileMetaData* input : *compaction.inputs(i)) {
      const uint64_t age = input->TryGetOldestAncesterTime();
      if (age != kUnknownOldestAncesterTime) {
        oldest = std::min(oldest, age);
      }
    }
  }
  if (oldest != std::numeric_limits<uint64_t>::max()) {
    file->oldest_ancester_time = oldest;
  }
}

int HotRapCrossing::Level(const Compaction& compaction, bool proximal) {
  return proximal && Crosses(compaction) ? compaction.GetProximalLevel()
                                         : compaction.output_level();
}

CompressionType HotRapCrossing::Compression(const Compaction& compaction,
                                            bool proximal) {
  if (!proximal || !Crosses(compaction)) {
    return compaction.output_compression();
  }
  const VersionStorageInfo* storage =
      compaction.input_version()->storage_info();
  return GetCompressionType(storage, compaction.mutable_cf_options(),
                            compaction.GetProximalLevel(),
                            storage->base_level());
}

const CompressionOptions& HotRapCrossing::CompressionOpts(
    const Compaction& compaction, bool proximal) {
  return proximal && Crosses(compaction)
             ? compaction.mutable_cf_options().compression_opts
             : compaction.output_compression_opts();
}

const InternalTblPropCollFactories* HotRapCrossing::Collectors(
    const Compaction& compaction) {
  return compaction.hotrap_copies != nullptr
             ? compaction.hotrap_copies->collectors()
             : compaction.column_family_data()
                   ->internal_tbl_prop_coll_factories();
}

}  // namespace ROCKSDB_NAMESPACE
