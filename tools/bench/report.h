//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The result of a benchmark as JSON, whose fields docs/hotrap_bench.md
// explains, and as text.

#pragma once

#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/bench_config.h"
#include "plugin/hotrap/tools/bench/bench_db.h"
#include "plugin/hotrap/tools/bench/load_phase.h"
#include "plugin/hotrap/tools/bench/measurement.h"
#include "plugin/hotrap/tools/bench/trace_profile.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Everything that is known when the benchmark ends.
struct Report {
  BenchConfig config;
  std::vector<std::string> command;
  int first_slow_level = 0;

  bool loaded = false;
  LoadResult load;
  PathBytes path_bytes_before_run;
  TraceProfile trace_profile;

  bool ran = false;
  // The whole run, and its phases.
  Measurement total;
  std::vector<PhaseMeasurement> phases;
  // Number of CompactRange calls in the background.
  uint64_t compact_ranges = 0;

  // Number of keys checked by the scans after the run.
  uint64_t verified_keys = 0;
  // Without the oracle's computation.
  uint64_t peak_rss_bytes = 0;
  uint64_t errors = 0;
  std::vector<std::string> error_samples;
};

std::string ToJson(const Report& report);

// Returns a short text for human readers.
std::string ToText(const Report& report);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
