//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What HotRAP measures, described for programs that pass it on to a monitoring
// system. docs/metrics.md has the same for people.

#pragma once

#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// A field of the property "rocksdb.hotrap.stats" (kHotRapStatsProperty).
struct HotRapMetric {
  // A counter starts at 0 when the DB is opened (or HotRAP first switched on)
  // and only grows. A gauge shows the present state. A text is for people.
  enum class Kind { kCounter, kGauge, kText };

  const char* name;
  Kind kind;
  // "bytes", "bytes_per_sec", "count", "flag" (0 or 1), "level", "micros",
  // "nanos", "ratio", "score", "slices" or "text".
  const char* unit;
  const char* meaning;
  // Name of the ticker that counts the same for the whole DB; empty without
  // one.
  const char* ticker;
};

// All fields, in the order of docs/metrics.md. Any thread.
const std::vector<HotRapMetric>& HotRapMetrics();

// Name of a property, the same for all column families, for programs in
// other languages: the fields that the function above describes. As a map: from
// the field's name to "counter bytes What it means", i.e. kind, unit and
// meaning; as a string: a line "name: counter bytes What it means" for each.
inline constexpr char kHotRapMetricsProperty[] = "rocksdb.hotrap.metrics";

// Name of a property of a column family, as a map or a string: how long Get
// took in microseconds, by where it was answered: "memory" (every block that it
// read of a table was in memory), "promotion_cache", "fast" and "slow" (with
// I/O on that path), each followed by ".count", ".average", ".p50", ".p95",
// ".p99", ".p999" or ".max". The time begins when the memtables have been
// searched; Gets that they answer, and MultiGet, are left out. Measured where
// DBOptions::statistics has a level with timers (above
// StatsLevel::kExceptTimers); else the counts stay 0, and measuring costs
// nothing.
inline constexpr char kHotRapGetLatencyProperty[] =
    "rocksdb.hotrap.get-latency";

// Name of a string property of a column family, as JSON: what is hot. Sums over
// RALT's records, which are the keys read lately: records and bytes (key and
// value), how many of them are hot, and the share of the accesses, in all, by
// prefix of the key, and for the hottest keys; and the column family's share
// of the accesses of the DB. Options may follow the name:
//
//   rocksdb.hotrap.heat.{prefix_bytes=4;delimiter=:;top=20;keys=text;}
//
// Keys are grouped by their first prefix_bytes bytes, or, if there is a
// delimiter, up to it. `top` prefixes and keys are shown. keys=hex shows them
// in hex, keys=hidden as hashes. Nothing that HotRAP writes to the LOG has
// keys.
//
// Accesses are estimated from RALT's scores, in which older ones fade, and
// which do not tell very hot keys apart. The property reads all of RALT's
// files, in the calling thread. Unknown where RALT is not open.
inline constexpr char kHotRapHeatProperty[] = "rocksdb.hotrap.heat";

// Name of a string property of a column family, as JSON: the hit rate that
// other fast budgets would give, in "points" of "budget_bytes", "hit_rate" and
// "error". The rate is of point reads that tables answer. It should lie within
// `error` of what would be measured once the tier had filled. It is estimated
// from a sample of the accesses since the DB was opened, in which older ones
// count less; "known" is 0 until there are enough, which takes accesses to
// records of twice the fast budget's bytes. Reads no file. Unknown where RALT
// is not open.
inline constexpr char kHotRapHitRateCurveProperty[] =
    "rocksdb.hotrap.hit-rate-curve";

}  // namespace ROCKSDB_NAMESPACE
