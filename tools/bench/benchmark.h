//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// One whole benchmark: load, run, verify, report.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/bench_config.h"
#include "plugin/hotrap/tools/bench/phase.h"
#include "plugin/hotrap/tools/bench/report.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

class Benchmark {
 public:
  explicit Benchmark(const BenchConfig& config);

  // Runs the benchmark. Returns an error if it could not be carried out; errors
  // of its operations are counted in the report.
  Status Run();

  Report& report() { return report_; }

 private:
  // A phase and the distributions of its operations.
  struct PreparedPhase {
    Phase phase;
    WorkloadMix mix;
    std::unique_ptr<KeyDistribution> distribution;
  };

  Status PrepareWorkload();
  Status PreparePhases();
  Status PrepareData();
  void RunAndMeasure();
  void RunPhase(size_t index);
  Status VerifyAfterRun();
  void FindOracles(const OracleBudget& budget);
  // Of --oracle_only.
  Status FindOraclesOnly();
  // `run` says how much of a trace was replayed.
  Oracle OracleOf(const PreparedPhase& prepared, const RunResult& run,
                  const OracleBudget& budget) const;

  BenchConfig config_;
  Report report_;
  std::shared_ptr<Trace> trace_;
  std::unique_ptr<KeySpace> key_space_;
  std::vector<PreparedPhase> phases_;
  std::unique_ptr<Verifier> verifier_;
  std::unique_ptr<BenchDb> bench_db_;
  Workload workload_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
