//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The public interface of HotRAP: a group of column family options, the
// tickers, and the property names.
//
//   Options options;
//   options.hotrap.enabled = true;
//   options.hotrap.slow_root = "/hdd";
//   options.hotrap.fast_budget_bytes = 40ull << 30;
//   DB::Open(options, "/nvme/db", &db);
//
// The same as a string, for use from any language, wherever RocksDB takes
// column family options as a string (GetColumnFamilyOptionsFromString(), an
// OPTIONS file, SetOptions()):
//
//   hotrap={enabled=true;slow_root=/hdd;fast_budget_bytes=40G;}
//
// Numbers in the string may end in K, M, G or T (powers of 1024; also k, Ki,
// KiB and so on). An error names the field, its value, and what would be right.
//
// Without any code: the environment variable ROCKSDB_HOTRAP. Its value is the
// same string, with or without "hotrap={" and "}", or "@" followed by a file
// name. Such a file:
//
//   # The first matching section applies. DB: pattern of the DB's folder,
//   # then of the column family's name (fnmatch(3)); without it, all of them.
//   [DB "/var/lib/app/*" "default"]
//     enabled=true
//     slow_root=/hdd
//     fast_budget_bytes=40G
//   [DB "/var/lib/app/scratch*"]
//     enabled=false
//
// It applies when a DB is opened for writing, or creates a column family, and
// only where the program has not set `hotrap` itself. It is ignored in set-uid
// programs and where HotRAP cannot work; the LOG and the property
// "rocksdb.hotrap.stats" say what was taken from where, or why not. A mistake
// in it fails DB::Open and CreateColumnFamily with InvalidArgument. OPTIONS
// files do not get what comes from the environment.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

// Our release: the library's version is RocksDB's followed by this, e.g.
// "11.8.1-hotrap.1". It is also in the library's SONAME.
#define HOTRAP_RELEASE "1"

namespace ROCKSDB_NAMESPACE {

// A range of user keys in the order of the comparator, half-open: [begin, end).
// An empty `begin` stands for the first key, an empty `end` for a place after
// the last. With `prefix`, the range has the keys that start with it; `begin`
// and `end` are empty then, and the comparator is BytewiseComparator().
//
// In text, keys are given as they are, or as 0x and hexadecimal digits. Use hex
// for keys that start with 0x or contain a colon, a semicolon, a brace, an
// equals sign, a backslash, a number sign, or bytes that are not printable:
//
//   hotrap={pinned_ranges={{prefix=user/}:{begin=a;end=0xff00}};}
struct HotRapKeyRange {
  std::string begin;
  std::string end;
  std::string prefix;

  bool operator==(const HotRapKeyRange& rhs) const {
    return begin == rhs.begin && end == rhs.end && prefix == rhs.prefix;
  }
};

// Keeps hot records on the fast tier, record by record.
//
// The fast tier is the first path of cf_paths (of db_paths if cf_paths is
// empty); the slow tier is all the others. The levels on the fast tier fill the
// fast budget (fast_budget_bytes). The last fast level gets what L0, the levels
// above it, RALT, and the room for one compaction leave of the budget; the
// levels on the slow tier are multiples of it. max_bytes_for_level_base and
// max_bytes_for_level_multiplier keep their meaning for the levels above the
// last fast one. A column family that was used with other level targets moves
// to the new ones gradually, without write stalls.
//
// HotRAP needs leveled compaction and at least two paths: slow_root or
// fast_root add one to a column family that has one. It is inactive, and the
// LOG and the property "rocksdb.hotrap.stats" say why, with a single path,
// universal or FIFO compaction, user-defined timestamps,
// preclude_last_level_data_seconds, fewer than three levels, tables that are
// neither block-based nor plain ones, a fast budget that holds all levels, and
// in read-only and secondary instances. DB::Open,
// CreateColumnFamily and SetOptions return InvalidArgument if the fast budget
// is too small for L0 and L1, if read_triggered_compaction_threshold is set,
// which sends down what is read, or if a value is out of range.
//
// SetOptions() can change every field but slow_root and fast_root, which are
// fixed when the DB is opened, and `source`, which the library writes. A change
// takes effect at once unless the field's comment says otherwise.
struct HotRapOptions {
  // Tracks, retains and promotes hot records. While it is false, the column
  // family behaves as in stock RocksDB, except that slow_root and fast_root
  // still add a path, and none of these fields is written to the OPTIONS file.
  // Default: false
  bool enabled = false;

  // Capacity of the promotion cache in bytes of memory. Reads from the slow
  // tier fill it; once it is full, its records are checked and the hot ones
  // promoted (paper section 3.1). Peak use is twice this plus one record per
  // batch, since a second batch fills while the first is being promoted. A
  // record larger than both this and 1 MiB is not promoted.
  // Default: 0, which means target_file_size_base.
  uint64_t promotion_cache_bytes = 0;

  // Records only one in this many of the accesses that needed no I/O, and gives
  // it that weight. The hottest keys are read from the block cache, where
  // recording an access must cost almost nothing. 1 records every access.
  // Default: 16. Must be at least 1.
  uint32_t cached_hit_sampling = 16;

  // Promotes records, and tracks every read, only while reads of the slow tier
  // take longer than they would take on the fast one: by at least half, and by
  // 20 microseconds. Where they do not, because the tables are in the page
  // cache or both paths are on one device, a promotion saves nothing; then one
  // read in at most 64 is tracked, nothing but pinned records is promoted, and
  // what is hot already stays. A sample of the reads is measured all the time,
  // so that it takes about a second until hot records are promoted again. Reads
  // that waited are compared with reads that waited. If all paths are on one
  // file system, nothing is measured. The property "rocksdb.hotrap.stats" has
  // slow_reads_are_slower, slow_read_nanos and fast_read_nanos, and the LOG
  // each change. Set it to false where one file system has a fast and a slow
  // disk, or for tests, whose files are in memory: then slow reads are always a
  // reason to promote. Default: true
  bool promote_only_if_slower = true;

  // The fast budget: bytes of the fast tier that the tables and the RALT of
  // this column family may use. Must be at least twice
  // max_bytes_for_level_base. The cap on the hot set starts at 50 % of the
  // budget, the cap on RALT's own files at 15 % (paper section 4.1). If records
  // are small, RALT's files may outgrow that; the last fast level then shrinks,
  // at most to the size of the level above it. After a change the levels move
  // to their new targets gradually, without write stalls, tables are moved to
  // their tier (relocation_bytes_per_sec), and RALT drops what its new caps do
  // not allow. A budget that does not hold the levels, RALT, full memtables and
  // a compaction of L0 at once counts as that much: with RocksDB's default
  // sizes, 1 GiB as 1.6, 2 GiB as 2.5 and 4 GiB as 4.2 GiB, and from 5 GiB on
  // it is at most 2 % more. The property "rocksdb.hotrap.stats" has it as
  // fast_path_limit_bytes, and the LOG warns. Default: 0, which means
  // target_size of the first path, shared with the other column families on
  // that path which leave this at 0 (min_fast_budget_bytes). With slow_root or
  // fast_root it must be set, unless that path was given with a target_size.
  uint64_t fast_budget_bytes = 0;

  // The least that this column family gets of the first path's target_size,
  // where it has no fast_budget_bytes and shares that with others; they get the
  // rest by accesses of late. If the path has less than all ask for, each gets
  // the same part of its least. InvalidArgument if it is more than
  // fast_budget_bytes, where that is set.
  // Default: 0, which means twice the bytes of L0 and L1
  // (max_bytes_for_level_base, and as much or less).
  uint64_t min_fast_budget_bytes = 0;

  // A folder on the slow disk, which must exist and be absolute. A column
  // family that has at most one path (cf_paths, else db_paths, else the DB's
  // folder) gets a second one: slow_root + the DB's own absolute path, which is
  // made if it is missing. "/hdd" and a DB in /nvme/db make /hdd/nvme/db. A
  // folder below slow_root that the DB has used before is used again.
  //
  // The paths are kept in the file HOTRAP_PATHS in the DB's folder. Opened
  // without this option, the DB finds its tables by that file, with HotRAP or
  // without. After slow_root was changed, tables in the old folder are found
  // there, and compactions move them. If the program gives several paths
  // itself, the last one must be below slow_root, else InvalidArgument. It has
  // no effect unless compaction is leveled, but applies while `enabled` is
  // false, too.
  // SetOptions() refuses a change: it takes effect when the DB is opened.
  // Default: empty, which adds no path.
  std::string slow_root;

  // The same for the fast disk, for a DB whose own folder, with WAL and
  // MANIFEST, is to stay on the slow one: fast_root + the DB's absolute path
  // becomes the first path, in front of the one that the column family has,
  // which is the slow tier unless slow_root is set, too.
  // Default: empty, which adds no path.
  std::string fast_root;

  // A folder on the slow disk for what checkpoints and restored backups have
  // there: the tables of all paths but the first. A checkpoint in /nvme/copy
  // puts them, as hard links where the disk is the same, into this root + the
  // checkpoint's own absolute path, and names that folder in its HOTRAP_PATHS.
  // It must exist and be absolute; the checkpoint fails otherwise.
  // Default: empty, which means slow_root, or the root that has made the DB's
  // slow path. Without any of these, all tables are in the checkpoint's own
  // folder: linked where they can be, else copied.
  std::string checkpoint_slow_root;

  // Checkpoints and backups take along what RALT knows, so that a copy of the
  // DB has its hot set from the start. RALT's files are linked into a
  // checkpoint; each backup has a copy of its own. Applies to the next
  // checkpoint or backup.
  // Default: true
  bool checkpoint_hot_set = true;

  // Cap on the memory of RALT's access buffers, in bytes. Accesses beyond it
  // are dropped and counted. Must be at least 64 KiB.
  // Default: 64 MiB
  uint64_t access_buffer_bytes = 64ull << 20;

  // Adapts the caps on the hot set and on RALT's files to the workload (paper
  // section 3.7, Algorithm 1). Switched off, the caps return to what they start
  // with.
  // Default: true
  bool auto_tune = true;

  // Adds a level between the last fast level and what would otherwise be the
  // first slow one. Crossing compactions retain hot records, so that only a
  // fraction p of their fast input moves down, at the cost of rewriting
  // everything that it overlaps: T / p writes per record that moves, where
  // stock RocksDB has T (max_bytes_for_level_multiplier; paper section 3.6).
  // With an extra level that is sqrt(p T) times as large as the last fast one,
  // it is about 2 sqrt(T / p). p is measured at run time. Where it is 1 and
  // the slow tier is not slower, there is no extra level: reads of cold records
  // would check one more filter. Changes move data gradually. Default: true
  bool extra_level = true;

  // Maximum size of a data block, in bytes before compression, in tables
  // written to the fast tier. A larger record gets a block of its own, and a
  // smaller block_size takes precedence. A read of a hot record needs only that
  // record; the rest of its block is read, checksummed and cached for nothing.
  // Smaller blocks make the index larger, by some 30 bytes per block with short
  // keys. Existing files keep their blocks. Applies to block-based tables only.
  // Default: 4 KiB. 0 means block_size.
  uint64_t fast_block_bytes = 4 << 10;

  // Extra bits per key for RocksDB's Bloom filter policy in tables of small
  // levels: those above the last fast level. A Get checks these filters for
  // keys that lie further down, and each false positive reads a block of the
  // fast disk in vain. Five more bits make false positives about ten times as
  // rare. They cost little memory, since these levels hold few keys: with a
  // multiplier of 10, about a tenth of what the last fast level holds. Other
  // filter policies and existing files do not change.
  // Default: 5. 0 adds none.
  uint32_t small_level_filter_bits = 5;

  // Rate, in bytes per second, at which tables on the wrong tier are moved.
  // Tables end up on the wrong tier when the set of fast levels changes: after
  // a change of the budget, after HotRAP was switched on for an existing DB, or
  // after a path was added or removed. Tables are copied unchanged, one at a
  // time, the most read first, and onto the fast tier only while the budget has
  // room. The DB's rate limiter applies as well, at the priority of
  // compactions.
  // Default: 32 MiB/s. 0 leaves tables where they are until a compaction
  // rewrites them; less than 10 counts as 10. Changes live.
  uint64_t relocation_bytes_per_sec = 32ull << 20;

  // Ranges whose records are kept on the fast tier whether they are read or
  // not, before what is learnt, as far as pinned_percent allows. What lies on
  // the slow tier already is brought up in the background: it is read at
  // relocation_bytes_per_sec at most, at the rate limiter's priority of
  // compactions, and promoted through L0. Values in blob files, merge operands
  // and what a compaction filter would change or remove stay where they are.
  // Ranges that are given first come first: the one that no longer fits is kept
  // up to some key, and all that follows is treated like any other record. The
  // property "rocksdb.hotrap.stats" has pinned_bytes, pinned_bytes_fast and
  // pinned_bytes_beyond. Of no effect while HotRAP is inactive. InvalidArgument
  // if a range is empty, or overlaps one of excluded_ranges.
  // Default: none
  std::vector<HotRapKeyRange> pinned_ranges;

  // Ranges whose records are never hot, such as archives that are read once:
  // accesses to them are not tracked, and they are never promoted or retained.
  // What is on the fast tier sinks with the next compactions.
  // Default: none
  std::vector<HotRapKeyRange> excluded_ranges;

  // The most that pinned_ranges may take of the fast budget, in percent, but
  // not more than four fifths of the last fast level. At most 80.
  // Default: 50
  uint32_t pinned_percent = 50;

  // For benchmarks only: each of these disables one part of HotRAP (paper
  // section 4.5).
  // Default: false
  //
  // Crossing compactions retain no records.
  bool no_retain = false;
  // Every record counts as hot.
  bool no_hotness_check = false;
  // Compactions promote no records; flushes still do.
  bool no_by_compaction = false;
  // RALT records no access: nothing becomes hot, and only the level targets
  // are HotRAP's.
  bool no_tracking = false;

  // Written by the library, and not part of the string: where the options come
  // from, if not from fields that the program has set: "program" for a string,
  // "ROCKSDB_HOTRAP ..." for the environment, with the section of the file.
  std::string source;

#if __cplusplus >= 202002L
  bool operator==(const HotRapOptions& rhs) const = default;
#endif
};

// The tickers of HotRAP (rocksdb/statistics.h) and their names. Bytes of
// records are user bytes: key plus value.
#define HOTRAP_TICKERS(TICKER)                                               \
  /* Installed compactions from the fast to the slow tier (crossings). */    \
  TICKER(HOTRAP_CROSSING_COMPACTIONS, "rocksdb.hotrap.crossing.compactions") \
  /* Kept on, or moved up to, the fast tier by crossings. */                 \
  TICKER(HOTRAP_RETAINED_RECORDS, "rocksdb.hotrap.retained.records")         \
  TICKER(HOTRAP_RETAINED_BYTES, "rocksdb.hotrap.retained.bytes")             \
  /* Promoted from the promotion cache by compactions. */                    \
  TICKER(HOTRAP_COMPACTION_PROMOTED_RECORDS,                                 \
         "rocksdb.hotrap.compaction.promoted.records")                       \
  TICKER(HOTRAP_COMPACTION_PROMOTED_BYTES,                                   \
         "rocksdb.hotrap.compaction.promoted.bytes")                         \
  /* Promoted by flush. */                                                   \
  TICKER(HOTRAP_FLUSH_PROMOTED_RECORDS,                                      \
         "rocksdb.hotrap.flush.promoted.records")                            \
  TICKER(HOTRAP_FLUSH_PROMOTED_BYTES, "rocksdb.hotrap.flush.promoted.bytes") \
  /* Hot, but too few for a file: returned to the promotion cache. */        \
  TICKER(HOTRAP_RETURNED_RECORDS, "rocksdb.hotrap.returned.records")         \
  /* Hot bytes in the fast inputs of crossing compactions: the estimate at   \
     picking time, and what was found. */                                    \
  TICKER(HOTRAP_HOT_BYTES_ESTIMATED, "rocksdb.hotrap.hot.bytes.estimated")   \
  TICKER(HOTRAP_HOT_BYTES_FOUND, "rocksdb.hotrap.hot.bytes.found")           \
  /* File bytes of tables moved to the tier of their level. */               \
  TICKER(HOTRAP_RELOCATED_BYTES, "rocksdb.hotrap.relocated.bytes")

// Name of a string property, the same for all column families: the version of
// the library that the program runs with, RocksDB's followed by ours, e.g.
// "11.8.1-hotrap.1". A stock RocksDB does not know the property.
inline constexpr char kHotRapVersionProperty[] = "rocksdb.hotrap.version";

// Name of the statistics property, available as a string and as a map:
// accesses, hits by tier, the promotion cache, refusals and drops by reason,
// promoted records and bytes, RALT's sizes and limits, and whether HotRAP is
// active or why it is not. Each whole number in the map is also an integer
// property, "rocksdb.hotrap.stats." followed by its name, and
// GetAggregatedIntProperty() returns the sum over the column families.
inline constexpr char kHotRapStatsProperty[] = "rocksdb.hotrap.stats";

// Name of an integer property: an upper bound on the promoted copies in the
// column family's tables. A promoted copy is a record on the fast tier whose
// original is still on the slow tier. The value is 0 after HotRAP was switched
// off and CompactRange() has run over all keys; from then on a stock RocksDB
// may use the DB. Computing it reads the properties of all tables.
// GetAggregatedIntProperty() returns the sum over the column families.
inline constexpr char kHotRapCopiesProperty[] =
    "rocksdb.hotrap.promoted-copies";

}  // namespace ROCKSDB_NAMESPACE
