//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which compactions cross the boundary of the tiers, and what their first
// output is: functions of a compaction and the options. It is the last fast
// level's; the second one is the output level's, as without HotRAP.
//
// Thread safety: any thread that may read the compaction.

#pragma once

#include <cstdint>
#include <vector>

#include "db/dbformat.h"
#include "db/table_properties_collector.h"
#include "rocksdb/compression_type.h"

namespace ROCKSDB_NAMESPACE {

class Compaction;
class VersionStorageInfo;
struct CompactionInputFiles;
struct FileMetaData;
struct ImmutableOptions;
struct MutableCFOptions;

class HotRapCrossing {
 public:
  // ---- When a compaction is planned --------------------------------------

  // Returns the last fast level if the compaction crosses, else
  // Compaction::kInvalidLevel.
  static int ProximalLevel(const VersionStorageInfo& storage,
                           const MutableCFOptions& options,
                           const ImmutableOptions& ioptions, int start_level,
                           int output_level);
  // Returns whether the two outputs of the compaction are HotRAP's, not those
  // of preclude_last_level_data_seconds.
  static bool Crosses(const Compaction& compaction);
  // Computes the key range of the inputs in levels up to `last_level`.
  static void RangeDownTo(int last_level,
                          const std::vector<CompactionInputFiles>& inputs,
                          const InternalKeyComparator& icmp,
                          InternalKey* smallest, InternalKey* largest);
  // Returns whether other compactions into `level` must stay clear of the range
  // of this compaction's fast output.
  static bool PlacesInto(const Compaction& compaction, int level);

  // ---- When it writes ----------------------------------------------------

  // The path, level and compression of an output. `proximal`: of the fast
  // output.
  static uint32_t PathId(const Compaction& compaction, bool proximal);
  static int Level(const Compaction& compaction, bool proximal);
  // Gives the fast output the age of the fast inputs. Records in the last level
  // may be older than any TTL, and their age would send what is retained down
  // again at once.
  static void SetAge(const Compaction& compaction, bool proximal,
                     FileMetaData* file);
  static CompressionType Compression(const Compaction& compaction,
                                     bool proximal);
  static const CompressionOptions& CompressionOpts(const Compaction& compaction,
                                                   bool proximal);
  // The property collectors of both outputs.
  static const InternalTblPropCollFactories* Collectors(
      const Compaction& compaction);
};

}  // namespace ROCKSDB_NAMESPACE
