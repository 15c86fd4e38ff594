//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Runs a workload with all clients and monitors it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/bench_db.h"
#include "plugin/hotrap/tools/bench/client.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Figures of the property "rocksdb.hotrap.stats"; 0 without HotRAP.
struct HotrapBytes {
  uint64_t hot_set = 0;
  uint64_t hot_set_limit = 0;
  uint64_t stable = 0;
  // Since the DB was opened.
  uint64_t promoted_by_flush = 0;
  uint64_t promoted_by_compaction = 0;
  uint64_t retained = 0;
};
HotrapBytes ReadHotrapBytes(const std::map<std::string, std::string>& stats);

// One point in the history of a run. Rates are over the time since the previous
// point.
struct TimelinePoint {
  double secs = 0;
  double operations_per_sec = 0;
  double fast_hit_rate = 0;
  // CPU and I/O since the previous point.
  double cpu_secs = 0;
  TierIo fast_io;
  TierIo slow_io;
  PathBytes path_bytes;
  CompactionDebt debt;
  HotrapBytes hotrap;
  // The hotspot of the workload at that time; 0 if it has none.
  uint64_t hotspot_bytes = 0;
  // Index of the phase.
  size_t phase = 0;
};

struct CpuSecs {
  double user = 0;
  double system = 0;
};

// Write traffic of RocksDB's background jobs.
struct BackgroundBytes {
  uint64_t flush_written = 0;
  uint64_t compaction_read = 0;
  uint64_t compaction_written = 0;
};

struct RunResult {
  // Start time by the machine's wall clock, to match other programs' records.
  double start_unix_secs = 0;
  double secs = 0;
  ClientCounts counts;
  Client::Histograms latencies;

  // The final tenth of the run, by time or by operations, depending on the
  // limit.
  double final_secs = 0;
  ClientCounts final_counts;
  Client::Histograms final_latencies;

  std::vector<TimelinePoint> timeline;
  PathBytes peak_path_bytes;
  CpuSecs cpu;
  BackgroundBytes background;
  TierIo fast_io;
  TierIo slow_io;
  CompactionByLevel compactions;

  // Appends the following phase: adds up sums and histories, and takes the
  // final tenth of `next`.
  void Append(size_t phase, const RunResult& next);
};

// Runs until the time or the operations are used up, or an error stops it.
// Prints a line each second. `hotspot_bytes` is for the timeline.
void RunWorkload(BenchDb* bench_db, uint64_t hotspot_bytes, Workload* workload,
                 RunResult* result);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
