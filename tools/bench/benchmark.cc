//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/benchmark.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "plugin/hotrap/tools/bench/background_compactor.h"
#include "plugin/hotrap/tools/bench/trace_oracle.h"
#include "plugin/hotrap/tools/bench/trace_profile.h"
#include "plugin/hotrap/tools/bench/trace_source.h"
#include "plugin/hotrap/tools/bench/verified_scan.h"
#include "rocksdb/convenience.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

void PrintPathBytes(const char* when, const PathBytes& bytes) {
  fprintf(stderr, "%s: fast path %.1f MB, slow path %.1f MB\n", when,
          static_cast<double>(bytes.fast) / 1e6,
          static_cast<double>(bytes.slow) / 1e6);
}

}  // namespace

Benchmark::Benchmark(const BenchConfig& config) : config_(config) {}

Status Benchmark::Run() {
  Status s = PrepareWorkload();
  if (s.ok() && config_.oracle_only) {
    report_.config = config_;
    return FindOraclesOnly();
  }
  if (s.ok()) {
    s = BenchDb::Open(config_, &bench_db_);
  }
  if (s.ok()) {
    s = PrepareData();
  }
  if (s.ok() && config_.run) {
    RunAndMeasure();
  }
  if (s.ok() && config_.verify) {
    s = VerifyAfterRun();
  }
  report_.errors = workload_.errors.count();
  report_.error_samples = workload_.errors.samples();
  uint64_t memtable_bytes = 0;
  if (bench_db_ != nullptr) {
    memtable_bytes = bench_db_->options().write_buffer_size;
    const Status closed = bench_db_->Close();
    if (s.ok()) {
      s = closed;
    }
  }
  report_.config = config_;
  // The oracle takes memory and CPU that are not the engine's.
  report_.peak_rss_bytes = PeakRssBytes();
  // `records` are the keys of a trace, too.
  if (report_.ran && config_.records <= config_.oracle_max_keys) {
    FindOracles(OracleBudget::Of(config_, memtable_bytes));
  }
  return s;
}

Status Benchmark::PrepareWorkload() {
  Status s;
  uint64_t capacity = config_.records + config_.max_inserts;
  if (config_.replays_trace()) {
    trace_ = std::make_shared<Trace>();
    s = MakeTrace(config_, trace_.get());
    if (!s.ok()) {
      return s;
    }
    key_space_ = std::make_unique<TraceKeySpace>(trace_);
    capacity = trace_->key_count();
    config_.records = trace_->key_count();
    // Replay the trace once, unless limits are given.
    if (config_.run_ops == 0 && config_.run_secs == 0) {
      config_.run_ops = trace_->requests().size();
    }
    workload_.trace = trace_.get();
    report_.trace_profile = ProfileTrace(*trace_);
    fprintf(stderr, "trace: %zu requests, %llu keys\n",
            trace_->requests().size(),
            static_cast<unsigned long long>(trace_->key_count()));
  } else {
    key_space_ = std::make_unique<SyntheticKeySpace>(config_.key_bytes);
  }
  s = PreparePhases();
  if (!s.ok()) {
    return s;
  }
  if (config_.verify) {
    verifier_ = std::make_unique<Verifier>(capacity);
  }
  workload_.config = &config_;
  workload_.key_space = key_space_.get();
  workload_.verifier = verifier_.get();
  workload_.next_insert_id.store(config_.records);
  return s;
}

Status Benchmark::PreparePhases() {
  Phase defaults;
  defaults.mix = config_.mix;
  defaults.distribution = config_.distribution;
  defaults.hotspot_fraction = config_.hotspot_fraction;
  defaults.hotspot_ops = config_.hotspot_ops;
  defaults.hotspot_start = config_.hotspot_start;
  defaults.zipf_theta = config_.zipf_theta;
  defaults.secs = config_.run_secs;
  defaults.ops = config_.run_ops;
  std::vector<Phase> phases = {defaults};
  Status s;
  if (!config_.phases.empty()) {
    s = ParsePhases(config_.phases, defaults, &phases);
  }
  for (size_t i = 0; s.ok() && i < phases.size(); ++i) {
    PreparedPhase& prepared = phases_.emplace_back();
    prepared.phase = phases[i];
    if (trace_ != nullptr) {
      continue;
    }
    Phase& phase = prepared.phase;
    s = WorkloadMix::FromName(phase.mix, &prepared.mix);
    if (!s.ok()) {
      break;
    }
    if (phase.distribution.empty()) {
      phase.distribution = prepared.mix.default_distribution();
    }
    if (phase.name.empty()) {
      phase.name = phase.DefaultName();
    }
    KeyDistributionOptions options;
    options.name = phase.distribution;
    options.records = config_.records;
    options.hotspot_fraction = phase.hotspot_fraction;
    options.hotspot_ops = phase.hotspot_ops;
    options.hotspot_start = phase.hotspot_start;
    options.zipf_theta = phase.zipf_theta;
    s = NewKeyDistribution(options, &prepared.distribution);
  }
  if (s.ok() && config_.phases.empty()) {
    config_.distribution = phases_.front().phase.distribution;
  }
  return s;
}

Status Benchmark::PrepareData() {
  Status s;
  if (!config_.existing_db) {
    s = LoadDb(
        config_, *key_space_, config_.records,
        [this](uint64_t id) -> uint64_t {
          return trace_ != nullptr ? trace_->preload_bytes(id)
                                   : config_.value_bytes;
        },
        verifier_.get(), bench_db_.get(), &report_.load);
    report_.loaded = true;
    if (s.ok()) {
      fprintf(stderr, "loaded %llu records in %.1f s, settled in %.1f s\n",
              static_cast<unsigned long long>(report_.load.records),
              report_.load.write_secs, report_.load.settle_secs);
    }
  } else if (config_.verify) {
    uint64_t keys = 0;
    uint64_t max_id = 0;
    s = AdoptWholeDb(bench_db_->db(), *key_space_, verifier_.get(), &keys,
                     &max_id);
    workload_.next_insert_id.store(std::max(config_.records, max_id + 1));
    fprintf(stderr, "found %llu keys\n", static_cast<unsigned long long>(keys));
    if (s.ok() && trace_ == nullptr && keys < config_.records) {
      s = Status::Corruption("the existing DB has fewer keys than --records",
                             std::to_string(keys));
    }
  }
  if (s.ok()) {
    s = bench_db_->WaitUntilIdle();
  }
  if (s.ok()) {
    s = bench_db_->CheckPlacement();
  }
  if (s.ok()) {
    report_.first_slow_level = bench_db_->first_slow_level();
    report_.path_bytes_before_run = bench_db_->MeasurePaths();
    PrintPathBytes("before the run", report_.path_bytes_before_run);
    fprintf(stderr, "first slow level %d\n", report_.first_slow_level);
  }
  return s;
}

void Benchmark::RunAndMeasure() {
  workload_.db = bench_db_->db();
  std::unique_ptr<BackgroundCompactor> compactor;
  if (config_.compact_range_secs > 0) {
    compactor = std::make_unique<BackgroundCompactor>(
        config_.compact_range_secs, &workload_);
  }
  for (size_t i = 0; i < phases_.size(); ++i) {
    RunPhase(i);
  }
  if (compactor != nullptr) {
    compactor->Stop();
    report_.compact_ranges = compactor->compactions();
  }
  const Status background = bench_db_->CheckBackgroundErrors();
  if (!background.ok()) {
    workload_.errors.Add(background);
  }
  Measurement& total = report_.total;
  total.hotrap_before = report_.phases.front().measurement.hotrap_before;
  total.hotrap = report_.phases.back().measurement.hotrap;
  total.path_bytes = report_.phases.back().measurement.path_bytes;
  total.level_bytes = report_.phases.back().measurement.level_bytes;
  report_.ran = true;
  PrintPathBytes("after the run", total.path_bytes);
}

void Benchmark::RunPhase(size_t index) {
  const PreparedPhase& prepared = phases_[index];
  if (phases_.size() > 1) {
    fprintf(stderr, "phase %zu of %zu: %s\n", index + 1, phases_.size(),
            prepared.phase.name.c_str());
  }
  if (prepared.distribution != nullptr) {
    workload_.mix = &prepared.mix;
    workload_.distribution = prepared.distribution.get();
  }
  workload_.max_operations =
      prepared.phase.ops > 0 ? prepared.phase.ops : UINT64_MAX;
  workload_.max_secs = prepared.phase.secs;
  workload_.first_client_index = static_cast<int>(index) * config_.threads;
  workload_.next_operation.store(0);
  if (config_.ops_per_sec > 0) {
    workload_.pace.emplace(config_.ops_per_sec, Pace::Clock::now());
  }
  workload_.stop.store(false);
  workload_.final_start.store({});

  if (!prepared.phase.options.empty()) {
    std::unordered_map<std::string, std::string> options;
    Status s = StringToMap(prepared.phase.options, &options);
    if (s.ok()) {
      s = bench_db_->db()->SetOptions(options);
    }
    if (!s.ok()) {
      workload_.errors.Add(s);
    }
  }

  PhaseMeasurement& result = report_.phases.emplace_back();
  result.phase = prepared.phase;
  if (prepared.distribution != nullptr) {
    result.hotspot_bytes = prepared.distribution->hot_keys() *
                           (config_.key_bytes + config_.value_bytes);
  }
  Measurement& m = result.measurement;
  m.hotrap_before = bench_db_->HotrapStats();
  RunWorkload(bench_db_.get(), result.hotspot_bytes, &workload_, &m.run);
  m.hotrap = bench_db_->HotrapStats();
  m.path_bytes = bench_db_->MeasurePaths();
  m.level_bytes = bench_db_->LevelBytes();
  report_.total.run.Append(index, m.run);
}

void Benchmark::FindOracles(const OracleBudget& budget) {
  OracleOfPhases total;
  for (size_t i = 0; i < phases_.size(); ++i) {
    Measurement& m = report_.phases[i].measurement;
    m.oracle = OracleOf(phases_[i], m.run, budget);
    total.Add(m.oracle, m.run.counts.gets);
  }
  report_.total.oracle = total.Get();
}

Status Benchmark::FindOraclesOnly() {
  BenchConfig config = config_;
  // It would make a folder.
  config.persistent_cache_bytes = 0;
  Options options;
  Status s = BenchDb::MakeOptions(config, Env::Default(), &options);
  if (!s.ok()) {
    return s;
  }
  const OracleBudget budget =
      OracleBudget::Of(config_, options.write_buffer_size);
  RunResult run;
  if (trace_ != nullptr) {
    // Without a limit of operations the trace counts once.
    run.counts.operations =
        config_.run_ops > 0 ? config_.run_ops : trace_->requests().size();
    run.final_counts.operations = run.counts.operations / kOracleWindows;
  }
  for (const PreparedPhase& prepared : phases_) {
    PhaseMeasurement& result = report_.phases.emplace_back();
    result.phase = prepared.phase;
    result.measurement.oracle = OracleOf(prepared, run, budget);
  }
  if (phases_.size() == 1) {
    report_.total.oracle = report_.phases.front().measurement.oracle;
  }
  return s;
}

Oracle Benchmark::OracleOf(const PreparedPhase& prepared, const RunResult& run,
                           const OracleBudget& budget) const {
  if (trace_ != nullptr) {
    return OracleOfTrace(budget, *trace_, *key_space_,
                         KnownPopularity(config_, *trace_),
                         run.counts.operations, run.final_counts.operations);
  }
  return OracleOfDistribution(budget, prepared.mix, *prepared.distribution,
                              *key_space_,
                              config_.key_bytes + config_.value_bytes);
}

Status Benchmark::VerifyAfterRun() {
  const uint64_t id_limit =
      std::min(workload_.next_insert_id.load(), verifier_->capacity());
  const auto verify = [&] {
    uint64_t keys = 0;
    const Status s = VerifyWholeDb(bench_db_->db(), *key_space_, *verifier_,
                                   id_limit, &keys);
    report_.verified_keys = keys;
    if (!s.ok()) {
      workload_.errors.Add(s);
    }
  };
  verify();
  // Verify again with what is on the disks.
  Status s = bench_db_->Reopen();
  if (s.ok()) {
    verify();
  }
  return s;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
