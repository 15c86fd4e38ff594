//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What a column family's HotRAP counts.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "util/core_local.h"

namespace ROCKSDB_NAMESPACE {

// The names under which they appear in "rocksdb.hotrap.stats" stand in
// hotrap_stats.cc, in this order.
enum class HotRapCounter : uint32_t {
  // Point reads answered by a file on the first path, by one on another path,
  // and by the promotion cache.
  kHitsFast,
  kHitsSlow,
  kHitsPromotionCache,
  // Of kHitsSlow, those that read a block from the file system.
  kHitsSlowWithIo,
  // Accesses handed to RALT; the rest was left out by sampling.
  kAccesses,
  // Records put into the promotion cache.
  kAdmissions,
  // Of these, those that were read from memory, and of the others those of
  // keys that RALT knew.
  kAdmissionsFromMemory,
  kAdmissionsKnown,
  // Hits in slow levels or on slow paths that were not put there, by reason.
  kRefusedInexact,     // sequence number unknown: merged or from the row cache
  kRefusedType,        // neither a plain value nor an entity read as one
  kRefusedReadOption,  // read callback or ignore_range_deletions
  kRefusedSnapshot,    // an older version for an old snapshot
  kRefusedStale,       // the slow tier changed under the read
  kRefusedCold,        // from memory, and RALT does not call it hot
  kRefusedInMemory,    // from memory, where all slow hits come from of late
  kRefusedFull,
  kRefusedPresent,
  kRefusedOnFastPath,   // a file of a slow level that lies on the fast path
  kRefusedAtFastLevel,  // a file of a fast level that lies on a slow path
  kRefusedFiltered,     // a compaction filter is set
  // Records that left the cache because the slow tier changed.
  kInvalidated,
  // Compactions from the fast to the slow tier that were installed, what they
  // kept on or lifted to the fast tier, and the hot bytes that they met there:
  // as estimated when they were picked, and as found.
  kCrossings,
  kRetainedRecords,
  kRetainedBytes,
  kHotBytesEstimated,
  kHotBytesFound,
  // Promotion by compaction.
  kCompactionPromotedRecords,
  kCompactionPromotedBytes,
  // Times that a compaction ran once more, as what it promoted was overtaken.
  kCompactionReruns,
  // Promotion by flush.
  kSeals,
  kPromotions,
  kPromotedRecords,
  kPromotedBytes,
  kReturnedRecords,  // hot, but too few of them: back into the cache
  kDroppedCold,
  kDroppedNewer,        // a newer version is in a memtable or a fast level
  kDroppedInvalidated,  // the slow tier changed before the file was installed
  kDroppedConflict,     // memtables were sealed faster than they were checked
  kDroppedError,
  kDroppedShutdown,
  // L0 near its slowdown, writes delayed, ingestion under way, or no room left
  // in the fast budget.
  kBackoffs,
  // Times that the last fast level was put in order for compactions, and what
  // that took.
  kOrderings,
  kOrderingNanos,
  // Tables that were moved to the tier of their level.
  kRelocatedTables,
  kRelocatedBytes,
  kCount,
};

// Thread safe.
class HotRapStats {
 public:
  void Add(HotRapCounter counter, uint64_t n = 1) {
    cores_.Access()->values[static_cast<size_t>(counter)].fetch_add(
        n, std::memory_order_relaxed);
  }
  uint64_t Get(HotRapCounter counter) const;

  // Adds every counter under its name.
  void AddTo(std::map<std::string, std::string>* values) const;

 private:
  struct ALIGN_AS(CACHE_LINE_SIZE) Core {
    std::array<std::atomic<uint64_t>,
               static_cast<size_t>(HotRapCounter::kCount)>
        values{};
  };
  CoreLocalArray<Core> cores_;
};

}  // namespace ROCKSDB_NAMESPACE
