//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RALT's statistics, in one list.

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// X(type, kind, name, unit, meaning). RaltStats, its text, the fields
// "ralt_<name>" of the property "rocksdb.hotrap.stats" and the check of
// docs/metrics.md are made from this list.
#define RALT_STATS(X)                                                          \
  X(uint64_t, counter, accesses, count,                                        \
    "accesses recorded in a buffer, not weighted")                             \
  X(uint64_t, counter, accesses_dropped, count,                                \
    "accesses dropped: buffers full, tracking paused, or every buffer locked") \
  X(uint64_t, counter, accesses_too_large, count,                              \
    "accesses to keys too long for the physical limit; logical time ignores "  \
    "them")                                                                    \
  X(uint64_t, counter, records_without_room, count,                            \
    "keys that flushes left out, coldest first, for the physical limit")       \
  X(uint64_t, counter, accessed_bytes, bytes,                                  \
    "HotRAP bytes accessed since RALT was created, weighted")                  \
  X(uint64_t, counter, flushes, count, "flushes of the buffers into a run")    \
  X(uint64_t, counter, merges, count, "merges of a level into the next one")   \
  X(uint64_t, counter, evictions, count, "evictions of what is over a limit")  \
  X(uint64_t, counter, bytes_flushed, bytes, "bytes written by flushes")       \
  X(uint64_t, counter, bytes_written, bytes,                                   \
    "bytes written in all; divided by `ralt_bytes_flushed`, the write "        \
    "amplification")                                                           \
  X(uint64_t, counter, bytes_read, bytes, "bytes read from runs")              \
  X(uint64_t, counter, background_micros, micros,                              \
    "time that the background job took")                                       \
  X(uint64_t, counter, background_errors, count,                               \
    "errors that paused tracking")                                             \
  X(uint64_t, counter, resets, count,                                          \
    "starts from empty: files were damaged, foreign or unknown")               \
  X(uint64_t, gauge, runs, count, "run files")                                 \
  X(uint64_t, gauge, levels, count, "levels that are not empty")               \
  X(uint64_t, gauge, records, count, "records; a key counts once a level")     \
  X(uint64_t, gauge, hot_records, count,                                       \
    "hot records; a key counts once a level")                                  \
  X(uint64_t, gauge, hot_set_bytes, bytes,                                     \
    "HotRAP bytes of hot keys, estimated; a key counts once")                  \
  X(uint64_t, gauge, tracked_bytes, bytes, "HotRAP bytes of all records")      \
  X(uint64_t, gauge, physical_bytes, bytes, "bytes of run files")              \
  X(uint64_t, gauge, hot_set_limit_bytes, bytes,                               \
    "limit on `ralt_hot_set_bytes`")                                           \
  X(uint64_t, gauge, physical_limit_bytes, bytes,                              \
    "limit on `ralt_physical_bytes`")                                          \
  X(uint64_t, gauge, record_limit_bytes, bytes,                                \
    "the part of it that merged records may take")                             \
  X(uint64_t, gauge, stable_bytes, bytes,                                      \
    "HotRAP bytes of stable records, as found by the last eviction")           \
  X(double, gauge, hot_score_threshold, score,                                 \
    "what a stable record needs to be hot; 0 if any score will do")            \
  X(uint64_t, gauge, buffer_memory_bytes, bytes,                               \
    "memory of the access buffers")                                            \
  X(uint64_t, gauge, filter_memory_bytes, bytes,                               \
    "memory of the runs' Bloom filters")                                       \
  X(uint64_t, gauge, index_memory_bytes, bytes, "memory of the runs' indexes") \
  X(uint64_t, gauge, tick, slices, "logical time")                             \
  X(bool, gauge, learning, flag, "whether a hot set is being learned")         \
  X(bool, gauge, first_reads, flag,                                            \
    "whether records are hot from their first read on")                        \
  X(bool, gauge, paused, flag, "whether tracking is paused after an error")

// A snapshot of a Ralt's statistics. Counters start at 0 when it is opened;
// sums are over the current version.
struct RaltStats {
#define RALT_STATS_FIELD(type, kind, name, unit, meaning) type name = type();
  RALT_STATS(RALT_STATS_FIELD)
#undef RALT_STATS_FIELD

  // Calls visit(name, value) for each of them, in the list's order.
  template <typename Visitor>
  void ForEach(const Visitor& visit) const {
#define RALT_STATS_VISIT(type, kind, name, unit, meaning) visit(#name, name);
    RALT_STATS(RALT_STATS_VISIT)
#undef RALT_STATS_VISIT
  }

  // One "name: value" a line.
  std::string ToString() const;
};

}  // namespace ROCKSDB_NAMESPACE
