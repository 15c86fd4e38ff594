//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The public face of HotRAP: an option group of the column family options.
//
//   Options options;
//   options.db_paths = {{"/nvme/db", 40ull << 30}, {"/hdd/db", 1ull << 40}};
//   options.hotrap.enabled = true;
//
// or, from any language, as a string: "hotrap={enabled=true;}" in
// GetColumnFamilyOptionsFromString(), an OPTIONS file or SetOptions().

#pragma once

#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Keeps hot records on the fast tier, one by one. The fast tier is index 0 of
// cf_paths (else of db_paths), the slow tier everything after it. The levels on
// the fast tier fill the fast budget: what L0, the upper levels, RALT and one
// compaction leave of it is the target of the last fast level, and the levels
// on the slow tier are multiples of that. max_bytes_for_level_base and
// max_bytes_for_level_multiplier keep their meaning for the levels above it. A
// column family that was used with other targets moves over bit by bit, which
// holds no write back.
//
// HotRAP works with leveled compaction and at least two paths. It says in the
// LOG and in the property "rocksdb.hotrap.stats" why it is inactive where it
// can't work: one path only, universal or FIFO compaction, user-defined
// timestamps, no level on the slow tier, read-only and secondary instances.
// Opening fails with InvalidArgument where the wish can't be meant: fewer than
// two levels above the slow tier, or a value outside its range.
//
// Every field can be changed live with SetOptions().
struct HotRapOptions {
  // Whether hot records are tracked and promoted. While false the column
  // family behaves as in stock RocksDB, and none of these fields is written
  // to the OPTIONS file.
  // Default: false
  bool enabled = false;

  // Bytes of records read from the slow tier that the promotion cache gathers
  // before they are checked and the hot ones promoted (paper section 3.1). The
  // cache holds at most twice as much: one such batch fills while another one
  // is being promoted.
  // Default: 0, target_file_size_base.
  uint64_t promotion_cache_bytes = 0;

  // Of accesses that needed no I/O only one in this many is recorded, with
  // that weight: the hottest keys are read from the block cache, where an
  // access must cost next to nothing. 1 records all.
  // Default: 16. At least 1.
  uint32_t cached_hit_sampling = 16;

  // The fast budget: bytes of the fast tier for the tables and the RALT of
  // this column family. The cap on the hot set starts at 50 % of it, the cap
  // on RALT's own files at 15 % (section 4.1). Where records are small they may
  // come to more: the last fast level gives way, down to the size of the level
  // above it. At least twice max_bytes_for_level_base. Level targets follow a
  // change at once, RALT when the column family is opened next.
  // Default: 0, target_size of the first path.
  uint64_t fast_budget_bytes = 0;

  // Cap on the memory of RALT's access buffers. Beyond it accesses are dropped
  // and counted. Takes effect when the column family is opened next.
  // Default: 64 MiB.
  uint64_t access_buffer_bytes = 64ull << 20;

  // Whether the caps on the hot set and on RALT's files follow the workload
  // (section 3.7, Algorithm 1). Takes effect when the column family is opened
  // next.
  // Default: true
  bool auto_tune = true;

  // Whether the slow tier gets one more level. Compactions into it retain hot
  // records, so that only a part p of each is moved, at the cost of a whole
  // one: T / p writes a record instead of T (section 3.6; T is
  // max_bytes_for_level_multiplier). With a level between, sqrt(p T) times as
  // large as the last fast one, it is about 2 sqrt(T / p). p is measured.
  // Levels move over when it is changed. Reads of cold records ask a filter
  // more.
  // Default: true
  bool extra_level = true;

  // The most bytes of a data block, before compression, in tables written to
  // the fast tier, unless one record takes more; where block_size is less, it
  // holds. A read of a hot record wants that record: what else is in the block
  // is read, checked and cached in vain. The index of the fast tier's tables
  // grows as blocks shrink, by some 30 bytes a block with short keys. Files
  // that are there already stay as they are. Block-based tables only.
  // Default: 4 KiB. 0: block_size.
  uint64_t fast_block_bytes = 4 << 10;

  // Bits a key that RocksDB's Bloom filter policy has on top of its own in
  // tables of small levels: above the last fast one, and the extra one. A Get
  // asks their filters for keys that lie further down, and where they err it
  // reads a block in vain: of the fast disk, or, in the extra level, of the
  // slow one. Five more bits make that ten times as rare. These levels have 15
  // to 30 % of the keys. A policy of another kind stays as it is, and so do
  // files that are there already.
  // Default: 5. 0: none.
  uint32_t small_level_filter_bits = 5;

  // How fast tables that lie on the wrong tier are moved, in bytes per second.
  // A table is on the wrong tier after the tiers' levels have changed: because
  // of another budget, because HotRAP was switched on for a DB that was there,
  // or because a path was added or taken away. Such tables are moved as they
  // are, one at a time, the most read ones first, and only while the fast
  // budget has room. The DB's rate limiter counts them as well, at the priority
  // of compactions.
  // Default: 32 MiB/s. 0: tables stay where they are until a compaction
  // rewrites them.
  uint64_t relocation_bytes_per_sec = 32ull << 20;

  // For benchmarks: HotRAP without one of its parts (section 4.5). No record
  // is retained; every record counts as hot; no record is promoted by
  // compaction; no access is tracked, so that nothing becomes hot and only
  // the level targets are HotRAP's.
  // Default: false
  bool no_retain = false;
  bool no_hotness_check = false;
  bool no_by_compaction = false;
  bool no_tracking = false;

#if __cplusplus >= 202002L
  bool operator==(const HotRapOptions& rhs) const = default;
#endif
};

// The tickers (rocksdb/statistics.h), and their names. Records are counted by
// their user bytes: key and value.
#define HOTRAP_TICKERS(TICKER)                                               \
  /* Compactions from the fast to the slow tier that were installed. */      \
  TICKER(HOTRAP_CROSSING_COMPACTIONS, "rocksdb.hotrap.crossing.compactions") \
  /* Kept on, or lifted to, the fast tier by those. */                       \
  TICKER(HOTRAP_RETAINED_RECORDS, "rocksdb.hotrap.retained.records")         \
  TICKER(HOTRAP_RETAINED_BYTES, "rocksdb.hotrap.retained.bytes")             \
  /* Taken out of the promotion cache by compactions. */                     \
  TICKER(HOTRAP_COMPACTION_PROMOTED_RECORDS,                                 \
         "rocksdb.hotrap.compaction.promoted.records")                       \
  TICKER(HOTRAP_COMPACTION_PROMOTED_BYTES,                                   \
         "rocksdb.hotrap.compaction.promoted.bytes")                         \
  /* Promoted by flush. */                                                   \
  TICKER(HOTRAP_FLUSH_PROMOTED_RECORDS,                                      \
         "rocksdb.hotrap.flush.promoted.records")                            \
  TICKER(HOTRAP_FLUSH_PROMOTED_BYTES, "rocksdb.hotrap.flush.promoted.bytes") \
  /* Hot, but too few for a file: put back into the promotion cache. */      \
  TICKER(HOTRAP_RETURNED_RECORDS, "rocksdb.hotrap.returned.records")         \
  /* Hot bytes in the fast inputs of crossing compactions: as estimated      \
     when they were picked, and as found. */                                 \
  TICKER(HOTRAP_HOT_BYTES_ESTIMATED, "rocksdb.hotrap.hot.bytes.estimated")   \
  TICKER(HOTRAP_HOT_BYTES_FOUND, "rocksdb.hotrap.hot.bytes.found")           \
  /* Tables moved to the tier of their level, in bytes of files. */          \
  TICKER(HOTRAP_RELOCATED_BYTES, "rocksdb.hotrap.relocated.bytes")

// Name of the property, as a string and as a map: accesses, hits per tier,
// promotion cache, refusals and drops by reason, promoted bytes and records,
// RALT's sizes and limits, and whether HotRAP is active and why not.
inline constexpr char kHotRapStatsProperty[] = "rocksdb.hotrap.stats";

// Name of the integer property: how many promoted copies the tables of the
// column family hold at the most, each beside its original in the slow tier.
// It is 0 after CompactRange() over all keys with HotRAP switched off, and from
// then on a stock RocksDB may use the DB. Reads the properties of all tables.
inline constexpr char kHotRapCopiesProperty[] =
    "rocksdb.hotrap.promoted-copies";

}  // namespace ROCKSDB_NAMESPACE
