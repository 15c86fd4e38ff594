//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/measurement.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

Convergence JudgeConvergence(const PhaseMeasurement& phase) {
  constexpr double kTolerance = 0.2;
  const auto ratio_of = [&](uint64_t hot_set) {
    return static_cast<double>(hot_set) /
           static_cast<double>(phase.hotspot_bytes);
  };
  const auto close = [](double ratio) {
    return std::abs(ratio - 1) <= kTolerance;
  };
  const auto& timeline = phase.measurement.run.timeline;
  Convergence convergence;
  convergence.ratio =
      ratio_of(ReadHotrapBytes(phase.measurement.hotrap).hot_set);
  convergence.converged = close(convergence.ratio);
  convergence.secs = phase.measurement.run.secs;
  for (auto point = timeline.rbegin();
       point != timeline.rend() && close(ratio_of(point->hotrap.hot_set));
       ++point) {
    convergence.secs = point->secs;
  }
  return convergence;
}

double PointsBelowOracle(const Measurement& m) {
  constexpr double kPoints = 100;
  return kPoints *
         (m.oracle.final.records - m.run.final_counts.fast_hit_rate());
}

EngineAgreement CompareWithEngine(const Measurement& m, int first_slow_level) {
  EngineAgreement agreement;
  const ClientCounts& counts = m.run.counts;
  const auto active = m.hotrap.find("active");
  agreement.known =
      counts.gets > 0 && active != m.hotrap.end() && active->second == "1";
  if (!agreement.known) {
    return agreement;
  }
  const double gets = static_cast<double>(counts.gets);
  agreement.driver_fast_hit_rate = counts.fast_hit_rate();
  agreement.engine_fast_hit_rate =
      1 - static_cast<double>(PropertyDelta(m, "get_hits_slow_with_io")) / gets;
  agreement.driver_slow_hits = SlowLevelHits(counts, first_slow_level);
  agreement.engine_slow_hits = PropertyDelta(m, "get_hits_slow");
  agreement.difference = std::max(
      std::abs(agreement.driver_fast_hit_rate - agreement.engine_fast_hit_rate),
      std::abs(static_cast<double>(agreement.driver_slow_hits) -
               static_cast<double>(agreement.engine_slow_hits)) /
          gets);
  return agreement;
}

uint64_t PropertyDelta(const Measurement& m, const char* name) {
  const auto number = [name](const std::map<std::string, std::string>& stats) {
    const auto found = stats.find(name);
    return found == stats.end() ? 0
                                : strtoull(found->second.c_str(), nullptr, 10);
  };
  const uint64_t before = number(m.hotrap_before);
  const uint64_t after = number(m.hotrap);
  return after > before ? after - before : 0;
}

uint64_t SlowLevelHits(const ClientCounts& counts, int first_slow_level) {
  uint64_t hits = 0;
  for (size_t level = 0; level < kMaxLevels; ++level) {
    if (static_cast<int>(level) >= first_slow_level) {
      hits += counts.level_hits[level];
    }
  }
  return hits;
}

uint64_t PeakRssBytes() {
  constexpr uint64_t kBytesAKiB = 1024;
  std::ifstream status("/proc/self/status");
  uint64_t kib = 0;
  for (std::string name; kib == 0 && status >> name;) {
    if (name == "VmHWM:") {
      status >> kib;
    }
  }
  return kib * kBytesAKiB;
}

double OperationsPerSec(uint64_t operations, double secs) {
  return secs > 0 ? static_cast<double>(operations) / secs : 0;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
