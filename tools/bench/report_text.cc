//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include <iomanip>
#include <sstream>

#include "plugin/hotrap/tools/bench/report.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

double Megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string OracleText(const Measurement& m) {
  const Oracle& oracle = m.oracle;
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << "oracle (" << oracle.basis
       << "), final tenth: " << oracle.final.records << ", the best records in "
       << std::setprecision(1) << Megabytes(oracle.budget.placed_bytes)
       << " MB";
  if (m.run.final_counts.gets > 0) {
    text << "; measured " << PointsBelowOracle(m) << " points below";
  }
  text << "\n";
  if (oracle.has_blocks) {
    text << "clairvoyant block cache of that size:" << std::setprecision(3);
    for (size_t i = 0; i < kOracleBlockBytes.size(); ++i) {
      text << (i > 0 ? ", " : " ") << oracle.final.blocks[i] << " ("
           << (kOracleBlockBytes[i] >> 10) << " KiB)";
    }
    text << "\n";
  }
  if (!oracle.windows.empty()) {
    text << "best placement of each window in hindsight:"
         << std::setprecision(3);
    for (const OracleWindow& window : oracle.windows) {
      text << ' ' << window.hit_rate;
    }
    text << "\n";
  }
  return text.str();
}

std::string PhaseText(const PhaseMeasurement& p) {
  std::ostringstream text;
  text << std::fixed;
  const RunResult& run = p.measurement.run;
  const HotrapBytes hotrap = ReadHotrapBytes(p.measurement.hotrap);
  text << std::setprecision(0)
       << OperationsPerSec(run.counts.operations, run.secs)
       << "/s, final fast hit rate " << std::setprecision(3)
       << run.final_counts.fast_hit_rate() << std::setprecision(1)
       << ", hot set " << Megabytes(hotrap.hot_set) << " of "
       << Megabytes(hotrap.hot_set_limit) << " MB, stable "
       << Megabytes(hotrap.stable) << " MB";
  if (p.hotspot_bytes > 0) {
    const Convergence convergence = JudgeConvergence(p);
    text << ", hotspot " << Megabytes(p.hotspot_bytes)
         << " MB: " << (convergence.converged ? "converged" : "not converged");
    if (convergence.converged) {
      text << " after " << convergence.secs << " s";
    }
  }
  return text.str();
}

std::string PhasesText(const Report& report) {
  std::string text;
  for (const PhaseMeasurement& p : report.phases) {
    text += p.phase.name + ": " + (report.ran ? PhaseText(p) : "") + "\n";
    if (!p.measurement.oracle.basis.empty()) {
      text += OracleText(p.measurement);
    }
  }
  return text;
}

}  // namespace

std::string ToText(const Report& report) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3);
  if (report.ran) {
    const RunResult& run = report.total.run;
    const ClientCounts& counts = run.counts;
    text << "operations " << counts.operations << " in " << run.secs
         << " s: " << std::setprecision(0)
         << OperationsPerSec(counts.operations, run.secs) << "/s, final tenth "
         << OperationsPerSec(run.final_counts.operations, run.final_secs)
         << "/s\n"
         << std::setprecision(3) << "fast hit rate " << counts.fast_hit_rate()
         << ", final tenth " << run.final_counts.fast_hit_rate() << "\n";
    for (size_t kind = 0; kind < kOperationCount; ++kind) {
      const LatencyHistogram& h = run.latencies[kind];
      if (h.count() > 0) {
        text << std::setprecision(0)
             << OperationName(static_cast<Operation>(kind)) << " micros: p50 "
             << h.QuantileMicros(0.5) << ", p99 " << h.QuantileMicros(0.99)
             << ", p99.9 " << h.QuantileMicros(0.999) << ", max "
             << h.MaxMicros() << "\n";
      }
    }
    const EngineAgreement agreement =
        CompareWithEngine(report.total, report.first_slow_level);
    if (agreement.known) {
      text << std::setprecision(3) << "fast hit rate by the engine "
           << agreement.engine_fast_hit_rate << "; slow-level hits: driver "
           << agreement.driver_slow_hits << ", engine "
           << agreement.engine_slow_hits << "\n";
    }
  }
  if (report.phases.size() > 1) {
    text << PhasesText(report);
  } else if (!report.total.oracle.basis.empty()) {
    text << OracleText(report.total);
  }
  if (report.verified_keys > 0) {
    text << "keys verified after the run: " << report.verified_keys << "\n";
  }
  text << "errors " << report.errors << "\n";
  for (const std::string& sample : report.error_samples) {
    text << "  " << sample << "\n";
  }
  return text.str();
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
