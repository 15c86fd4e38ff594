//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HotRAP's counters of a column family.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "util/core_local.h"

namespace ROCKSDB_NAMESPACE {

// Their names in "rocksdb.hotrap.stats" are in hotrap_stats.cc, in the same
// order.
enum class HotRapCounter : uint32_t {
  // Point reads answered by a file on the first path, by a file on another
  // path, and by the promotion cache.
  kHitsFast,
  kHitsSlow,
  kHitsPromotionCache,
  // Those of kHitsSlow that read a block from the file system.
  kHitsSlowWithIo,
  // Accesses passed to RALT; sampling skipped the others.
  kAccesses,
  // Records put into the promotion cache.
  kAdmissions,
  // Of kAdmissions: those read from memory; and of the rest, those with keys
  // that RALT knew.
  kAdmissionsFromMemory,
  kAdmissionsKnown,
  // Hits in slow levels or on slow paths that were not admitted, by reason.
  kRefusedInexact,      // sequence number unknown: merged, or from row cache
  kRefusedType,         // neither a plain value nor an entity read as such
  kRefusedBlob,         // in a blob file
  kRefusedReadOption,   // read callback or ignore_range_deletions
  kRefusedSnapshot,     // an older version, read at an old snapshot
  kRefusedStale,        // the slow tier changed during the read
  kRefusedCold,         // read from memory, and not hot
  kRefusedInMemory,     // read from memory, as all recent slow hits were
  kRefusedFull,         // the promotion cache is full
  kRefusedPresent,      // the promotion cache has the key
  kRefusedOnFastPath,   // in a file of a slow level on the fast path
  kRefusedAtFastLevel,  // in a file of a fast level on a slow path
  kRefusedFiltered,     // a compaction filter is set
  // Records erased from the cache because the slow tier changed.
  kInvalidated,
  // Installed compactions from the fast to the slow tier; the records and bytes
  // that they kept on, or moved up to, the fast tier; and the hot bytes in
  // their fast inputs, as estimated at picking time and as found.
  kCrossings,
  kRetainedRecords,
  kRetainedBytes,
  kHotBytesEstimated,
  kHotBytesFound,
  // Promotion by compaction.
  kCompactionPromotedRecords,
  kCompactionPromotedBytes,
  // How often a compaction ran again because a record that it promoted became
  // stale.
  kCompactionReruns,
  // Promotion by flush.
  kSeals,
  kPromotions,
  kPromotedRecords,
  kPromotedBytes,
  kReturnedRecords,  // hot, but too few for a file: returned to the cache
  kDroppedCold,
  kDroppedNewer,        // a newer version is in a memtable or a fast level
  kDroppedInvalidated,  // the slow tier changed before the file was installed
  kDroppedConflict,     // memtables were sealed faster than checked
  kDroppedError,
  kDroppedShutdown,
  // Promotions put off: L0 near its slowdown trigger, writes delayed, an
  // ingestion running, or no room in the fast budget.
  kBackoffs,
  // How often the files of the last fast level were ordered for compaction, and
  // the time that took.
  kOrderings,
  kOrderingNanos,
  // Tables moved to the tier of their level.
  kRelocatedTables,
  kRelocatedBytes,
  kCount,
};

// Thread-safe.
class HotRapStats {
 public:
  void Add(HotRapCounter counter, uint64_t n = 1) {
    cores_.Access()->values[static_cast<size_t>(counter)].fetch_add(
        n, std::memory_order_relaxed);
  }
  uint64_t Get(HotRapCounter counter) const;

  // Adds all counters to `values`, by name.
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
