//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Measurements of a run or of one of its phases, and figures derived from them.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "plugin/hotrap/tools/bench/bench_db.h"
#include "plugin/hotrap/tools/bench/client.h"
#include "plugin/hotrap/tools/bench/oracle.h"
#include "plugin/hotrap/tools/bench/phase.h"
#include "plugin/hotrap/tools/bench/run_phase.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Measurements of a run or of one of its phases.
struct Measurement {
  RunResult run;
  // At the end.
  PathBytes path_bytes;
  std::map<int, uint64_t> level_bytes;
  // The statistics property before and after.
  std::map<std::string, std::string> hotrap_before;
  std::map<std::string, std::string> hotrap;
  Oracle oracle;
};

struct PhaseMeasurement {
  Phase phase;
  // Bytes of keys and values in the hotspot; 0 if there is none.
  uint64_t hotspot_bytes = 0;
  Measurement measurement;
};

// Whether RALT's hot set reached the size of the hotspot.
struct Convergence {
  // Hot set divided by hotspot, at the end of the phase.
  double ratio = 0;
  // Whether the hot set is within 20 % of the hotspot from `secs` to the end of
  // the phase.
  bool converged = false;
  double secs = 0;
};
// REQUIRES: phase.hotspot_bytes > 0
Convergence JudgeConvergence(const PhaseMeasurement& phase);

// Returns how far the fast hit rate of the final tenth is below the oracle's,
// in percentage points; negative if it is above. REQUIRES: the oracle has a
// basis
double PointsBelowOracle(const Measurement& measurement);

// Compares the driver's own counts with HotRAP's property. A hit rate is the
// share of Gets that did not read from the slow tier. A slow hit is a Get
// answered from a slow level, whether from disk or from the block cache.
struct EngineAgreement {
  bool known = false;
  double driver_fast_hit_rate = 0;
  double engine_fast_hit_rate = 0;
  uint64_t driver_slow_hits = 0;
  uint64_t engine_slow_hits = 0;
  // The larger of the two differences, as a share of all Gets.
  double difference = 0;
};

EngineAgreement CompareWithEngine(const Measurement& measurement,
                                  int first_slow_level);

// Returns how much a figure of the property grew during the measurement.
uint64_t PropertyDelta(const Measurement& measurement, const char* name);

// Returns the number of Gets answered by a level of the slow tier.
uint64_t SlowLevelHits(const ClientCounts& counts, int first_slow_level);

// The peak of this process. Not ru_maxrss: exec() inherits the peak of the
// parent process.
uint64_t PeakRssBytes();

// Returns 0 if no time has passed.
double OperationsPerSec(uint64_t operations, double secs);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
