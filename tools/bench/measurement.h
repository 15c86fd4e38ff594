//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// What was measured of a run or a phase of it, and what follows from that.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "plugin/hotrap/tools/bench/bench_db.h"
#include "plugin/hotrap/tools/bench/client.h"
#include "plugin/hotrap/tools/bench/phase.h"
#include "plugin/hotrap/tools/bench/run_phase.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// What a run, or one of its phases, has shown.
struct Measurement {
  RunResult run;
  // At its end.
  PathBytes path_bytes;
  std::map<int, uint64_t> level_bytes;
  // The property before and after it.
  std::map<std::string, std::string> hotrap_before;
  std::map<std::string, std::string> hotrap;
};

struct PhaseMeasurement {
  Phase phase;
  // Keys and values of its hotspot; 0: it has none.
  uint64_t hotspot_bytes = 0;
  Measurement measurement;
};

// Whether RALT's hot set came to be of the hotspot's size.
struct Convergence {
  // Hot set to hotspot at the end of the phase.
  double ratio = 0;
  // Within 20 % of the hotspot from `secs` of the phase to its end.
  bool converged = false;
  double secs = 0;
};
// REQUIRES: phase.hotspot_bytes > 0
Convergence JudgeConvergence(const PhaseMeasurement& phase);

// What the driver has counted itself, and the same from HotRAP's property.
// Hit rates: the share of Gets that did not read from the slow tier. Slow hits:
// Gets answered from a slow level, from the disk or the block cache.
struct EngineAgreement {
  bool known = false;
  double driver_fast_hit_rate = 0;
  double engine_fast_hit_rate = 0;
  uint64_t driver_slow_hits = 0;
  uint64_t engine_slow_hits = 0;
  // The larger of both differences, as a share of all Gets.
  double difference = 0;
};

EngineAgreement CompareWithEngine(const Measurement& measurement,
                                  int first_slow_level);

// How much a figure of the property grew in the measurement.
uint64_t PropertyDelta(const Measurement& measurement, const char* name);

// Gets that a level of the slow tier has answered.
uint64_t SlowLevelHits(const ClientCounts& counts, int first_slow_level);

// 0 if no time has passed.
double OperationsPerSec(uint64_t operations, double secs);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
