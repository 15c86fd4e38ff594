//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/report.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

// Keeps the order in which fields are added.
using Json = nlohmann::ordered_json;

// The value of a property is a decimal number or text.
Json PropertyValue(const std::string& text) {
  char* end = nullptr;
  if (text.find('.') != std::string::npos) {
    const double number = strtod(text.c_str(), &end);
    return *end == '\0' ? Json(number) : Json(text);
  }
  const long long number = strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' ? Json(number) : Json(text);
}

Json ConfigJson(const BenchConfig& c) {
  Json json = {
      {"fast_path", c.fast_path},
      {"slow_path", c.slow_path},
      {"fast_bytes", c.fast_bytes},
      {"threads", c.threads},
      {"records", c.records},
      {"key_bytes", c.key_bytes},
      {"value_bytes", c.value_bytes},
      {"run_secs", c.run_secs},
      {"run_ops", c.run_ops},
      {"ops_per_sec", c.ops_per_sec},
      {"seed", c.seed},
      {"multiget", c.multiget},
      {"block_bytes", c.block_bytes},
      {"block_align", c.block_align && c.direct_io},
      {"bloom_bits_per_key", c.bloom_bits_per_key},
      {"block_cache_bytes", c.block_cache_bytes},
      {"row_cache_bytes", c.row_cache_bytes},
      {"persistent_cache_bytes", c.persistent_cache_bytes},
      {"write_buffer_bytes", c.write_buffer_bytes},
      {"max_background_jobs", c.max_background_jobs},
      {"max_subcompactions", c.max_subcompactions},
      {"direct_io", c.direct_io},
      {"wal", c.wal},
      {"verify", c.verify},
      {"verify_snapshots", c.verify_snapshots},
      {"compact_range_secs", c.compact_range_secs},
      {"existing_db", c.existing_db},
      {"options", c.options},
      {"db_options", c.db_options},
  };
  if (c.replays_trace()) {
    json["trace"] = c.trace;
    json["trace_format"] = c.trace_format;
    json["trace_value_divisor"] = c.trace_value_divisor;
    json["twitter_cluster"] = c.twitter_cluster;
    json["trace_requests"] = c.trace_requests;
    json["twitter_loaded_keys"] = c.twitter_loaded_keys;
    json["twitter_copies"] = c.twitter_copies;
    json["trace_seed"] = c.trace_seed;
  } else {
    json["mix"] = c.mix;
    json["distribution"] = c.distribution;
    json["hotspot_fraction"] = c.hotspot_fraction;
    json["hotspot_ops"] = c.hotspot_ops;
    json["hotspot_start"] = c.hotspot_start;
    json["zipf_theta"] = c.zipf_theta;
    json["phases"] = c.phases;
  }
  return json;
}

Json TraceProfileJson(const TraceProfile& profile) {
  return {{"db_bytes", profile.db_bytes},
          {"reads", profile.reads},
          {"missing_reads", profile.missing_reads},
          {"sunk_reads", profile.sunk_reads},
          {"hot_reads", profile.hot_reads},
          {"sunk_and_hot_reads", profile.sunk_and_hot_reads}};
}

Json LatencyJson(const Client::Histograms& histograms) {
  Json json = Json::object();
  for (size_t kind = 0; kind < kOperationCount; ++kind) {
    const LatencyHistogram& h = histograms[kind];
    if (h.count() > 0) {
      json[OperationName(static_cast<Operation>(kind))] = {
          {"count", h.count()},
          {"mean", h.MeanMicros()},
          {"p50", h.QuantileMicros(0.5)},
          {"p90", h.QuantileMicros(0.9)},
          {"p99", h.QuantileMicros(0.99)},
          {"p99.9", h.QuantileMicros(0.999)},
          {"max", h.MaxMicros()},
      };
    }
  }
  return json;
}

Json HitsJson(const ClientCounts& counts, int first_slow_level) {
  uint64_t file_hits = 0;
  for (const uint64_t hits : counts.level_hits) {
    file_hits += hits;
  }
  const uint64_t slow_hits = SlowLevelHits(counts, first_slow_level);
  return {
      {"memory", counts.gets_found - std::min(counts.gets_found, file_hits)},
      {"fast_levels", file_hits - slow_hits},
      {"slow_levels", slow_hits},
      {"by_level", counts.level_hits},
  };
}

Json PathBytesJson(const PathBytes& bytes) {
  return {{"fast", bytes.fast}, {"slow", bytes.slow}};
}

Json TierIoJson(const TierIo& io) {
  Json purposes = Json::object();
  for (size_t i = 0; i < kIoPurposeCount; ++i) {
    purposes[IoPurposeName(static_cast<IoPurpose>(i))] = {
        {"reads", io.by_purpose[i].reads},
        {"read_bytes", io.by_purpose[i].read},
        {"written_bytes", io.by_purpose[i].written}};
  }
  return {{"reads", io.reads},
          {"read_bytes", io.read_bytes},
          {"writes", io.writes},
          {"written_bytes", io.written_bytes},
          {"by_purpose", purposes}};
}

Json TimelineJson(const std::vector<TimelinePoint>& timeline) {
  Json json = Json::array();
  for (const TimelinePoint& point : timeline) {
    json.push_back(
        {{"secs", point.secs},
         {"phase", point.phase},
         {"throughput", point.operations_per_sec},
         {"fast_hit_rate", point.fast_hit_rate},
         {"cpu_secs", point.cpu_secs},
         {"io",
          {{"fast", TierIoJson(point.fast_io)},
           {"slow", TierIoJson(point.slow_io)}}},
         {"fast_bytes", point.path_bytes.fast},
         {"slow_bytes", point.path_bytes.slow},
         {"compaction_debt_bytes", point.debt.bytes},
         {"delayed_write_bytes_per_sec",
          point.debt.delayed_write_bytes_per_sec},
         {"hotspot_bytes", point.hotspot_bytes},
         {"hot_set_bytes", point.hotrap.hot_set},
         {"hot_set_limit_bytes", point.hotrap.hot_set_limit},
         {"stable_bytes", point.hotrap.stable},
         {"promoted_bytes", point.hotrap.promoted_by_flush},
         {"compaction_promoted_bytes", point.hotrap.promoted_by_compaction},
         {"retained_bytes", point.hotrap.retained}});
  }
  return json;
}

uint64_t TableBytesWritten(const RunResult& run) {
  uint64_t bytes = 0;
  for (const TierIo* io : {&run.fast_io, &run.slow_io}) {
    for (const IoPurpose purpose :
         {IoPurpose::kFlush, IoPurpose::kCompaction, IoPurpose::kPromotion}) {
      bytes += io->by_purpose[static_cast<size_t>(purpose)].written;
    }
  }
  return bytes;
}

// Returns 0 if nothing was written.
double WriteAmplification(const RunResult& run) {
  return run.counts.written_user_bytes == 0
             ? 0
             : static_cast<double>(TableBytesWritten(run)) /
                   static_cast<double>(run.counts.written_user_bytes);
}

// Bytes of compactions on one tier, as counted by the driver.
Json CompactionIoJson(const TierIo& io) {
  const TierIo::Bytes& bytes =
      io.by_purpose[static_cast<size_t>(IoPurpose::kCompaction)];
  return {{"read_bytes", bytes.read}, {"written_bytes", bytes.written}};
}

Json CompactionsJson(const Measurement& m, int first_slow_level) {
  Json levels = Json::array();
  LevelCompaction fast;
  LevelCompaction slow;
  for (const auto& [level, bytes] : m.run.compactions) {
    const auto size = m.level_bytes.find(level);
    levels.push_back(
        {{"level", level},
         {"size_bytes", size == m.level_bytes.end() ? 0 : size->second},
         {"read_from_above_bytes", bytes.read_from_above},
         {"read_from_level_bytes", bytes.read_from_level},
         {"written_bytes", bytes.written},
         {"moved_bytes", bytes.moved}});
    LevelCompaction& level_tier = level < first_slow_level ? fast : slow;
    // The fast inputs of a crossing compaction lie on the fast tier.
    LevelCompaction& source_tier = level <= first_slow_level ? fast : slow;
    source_tier.read_from_above += bytes.read_from_above;
    level_tier.read_from_level += bytes.read_from_level;
    // L0 is written by flushes.
    level_tier.written += level > 0 ? bytes.written : 0;
  }
  const auto tier_json = [](const LevelCompaction& tier) -> Json {
    return {{"read_bytes", tier.read_from_above + tier.read_from_level},
            {"written_bytes", tier.written}};
  };
  return {{"driver",
           {{"fast", CompactionIoJson(m.run.fast_io)},
            {"slow", CompactionIoJson(m.run.slow_io)}}},
          {"engine", {{"fast", tier_json(fast)}, {"slow", tier_json(slow)}}},
          {"by_output_level", levels}};
}

// HotRAP's work during the measurement; zeros without it.
Json HotrapWorkJson(const Measurement& m) {
  Json json = Json::object();
  for (const char* name :
       {"promoted_records", "promoted_bytes", "compaction_promoted_records",
        "compaction_promoted_bytes", "crossing_compactions", "retained_records",
        "retained_bytes", "hot_bytes_estimated", "hot_bytes_found",
        "returned_records"}) {
    json[name] = PropertyDelta(m, name);
  }
  return json;
}

Json OracleRatesJson(const OracleRates& rates, bool has_blocks) {
  Json json = {{"hit_rate", rates.records}};
  if (has_blocks) {
    Json& blocks = json["block_cache_hit_rate"];
    for (size_t i = 0; i < kOracleBlockBytes.size(); ++i) {
      blocks[std::to_string(kOracleBlockBytes[i])] = rates.blocks[i];
    }
  }
  return json;
}

Json OracleJson(const Oracle& oracle) {
  Json json = {{"basis", oracle.basis},
               {"placed_bytes", oracle.budget.placed_bytes},
               {"memtable_bytes", oracle.budget.memtable_bytes},
               {"whole", OracleRatesJson(oracle.whole, oracle.has_blocks)},
               {"final", OracleRatesJson(oracle.final, oracle.has_blocks)}};
  for (const OracleWindow& window : oracle.windows) {
    json["windows"].push_back({{"operations", window.operations},
                               {"reads", window.reads},
                               {"hit_rate", window.hit_rate}});
  }
  return json;
}

void AddMeasurement(const Measurement& m, int first_slow_level, Json* json) {
  const RunResult& run = m.run;
  const ClientCounts& counts = run.counts;
  Json& j = *json;
  j["start_unix_secs"] = run.start_unix_secs;
  j["secs"] = run.secs;
  j["final_secs"] = run.final_secs;
  j["operations"] = counts.operations;
  j["throughput"] = OperationsPerSec(counts.operations, run.secs);
  j["final_throughput"] =
      OperationsPerSec(run.final_counts.operations, run.final_secs);
  j["fast_hit_rate"] = counts.fast_hit_rate();
  j["final_fast_hit_rate"] = run.final_counts.fast_hit_rate();
  j["gets"] = counts.gets;
  j["gets_found"] = counts.gets_found;
  j["gets_with_slow_io"] = counts.gets_with_slow_io;
  j["gets_without_io"] = counts.gets_without_io;
  j["scanned_keys"] = counts.scanned_keys;
  j["written_user_bytes"] = counts.written_user_bytes;
  j["hits"] = HitsJson(counts, first_slow_level);
  j["latency_micros"] = LatencyJson(run.latencies);
  j["final_latency_micros"] = LatencyJson(run.final_latencies);
  j.update(HotrapWorkJson(m));
  j["flush_written_bytes"] = run.background.flush_written;
  j["compaction_read_bytes"] = run.background.compaction_read;
  j["compaction_written_bytes"] = run.background.compaction_written;
  j["table_written_bytes"] = TableBytesWritten(run);
  j["write_amplification"] = WriteAmplification(run);
  j["compactions"] = CompactionsJson(m, first_slow_level);
  j["io"] = {{"fast", TierIoJson(run.fast_io)},
             {"slow", TierIoJson(run.slow_io)}};
  j["path_bytes"] = PathBytesJson(m.path_bytes);
  j["peak_path_bytes"] = PathBytesJson(run.peak_path_bytes);
  j["cpu_secs"] = {{"user", run.cpu.user}, {"system", run.cpu.system}};
  j["client_cpu_secs"] = counts.cpu_secs;
  if (!m.hotrap.empty()) {
    Json stats = Json::object();
    for (const auto& [name, value] : m.hotrap) {
      stats[name] = PropertyValue(value);
    }
    j["hotrap"] = stats;
  }
  if (!m.oracle.basis.empty()) {
    j["oracle"] = OracleJson(m.oracle);
    if (run.final_counts.gets > 0) {
      j["oracle"]["final_points_below"] = PointsBelowOracle(m);
    }
  }
  const EngineAgreement agreement = CompareWithEngine(m, first_slow_level);
  if (agreement.known) {
    j["engine_agreement"] = {
        {"driver_fast_hit_rate", agreement.driver_fast_hit_rate},
        {"engine_fast_hit_rate", agreement.engine_fast_hit_rate},
        {"driver_slow_hits", agreement.driver_slow_hits},
        {"engine_slow_hits", agreement.engine_slow_hits},
        {"difference", agreement.difference}};
  }
}

// With --oracle_only.
Json PlannedPhaseJson(const PhaseMeasurement& p) {
  Json json = {{"name", p.phase.name},
               {"mix", p.phase.mix},
               {"distribution", p.phase.distribution}};
  if (!p.measurement.oracle.basis.empty()) {
    json["oracle"] = OracleJson(p.measurement.oracle);
  }
  return json;
}

Json PhaseJson(const PhaseMeasurement& p, int first_slow_level) {
  const HotrapBytes hotrap = ReadHotrapBytes(p.measurement.hotrap);
  Json json = {{"name", p.phase.name},
               {"mix", p.phase.mix},
               {"distribution", p.phase.distribution},
               {"hotspot_bytes", p.hotspot_bytes},
               {"hot_set_bytes", hotrap.hot_set},
               {"hot_set_limit_bytes", hotrap.hot_set_limit},
               {"stable_bytes", hotrap.stable}};
  if (p.hotspot_bytes > 0) {
    const Convergence convergence = JudgeConvergence(p);
    json["hot_set_to_hotspot"] = convergence.ratio;
    json["converged"] = convergence.converged;
    json["converged_after_secs"] =
        convergence.converged ? Json(convergence.secs) : Json();
  }
  AddMeasurement(p.measurement, first_slow_level, &json);
  return json;
}

}  // namespace

std::string ToJson(const Report& report) {
  Json json = {
      {"benchmark", "hotrap_bench"},
      {"rocksdb_version", GetRocksVersionAsString()},
      {"command", report.command},
      {"config", ConfigJson(report.config)},
      {"slow_disk",
       report.config.throttle.empty() ? report.config.slow_disk : "wrapper"},
      {"first_slow_level", report.first_slow_level},
  };
  if (report.loaded) {
    json["load"] = {{"records", report.load.records},
                    {"write_secs", report.load.write_secs},
                    {"settle_secs", report.load.settle_secs}};
  }
  if (report.config.replays_trace()) {
    json["trace_profile"] = TraceProfileJson(report.trace_profile);
  }
  json["path_bytes_before_run"] = PathBytesJson(report.path_bytes_before_run);
  if (report.ran) {
    AddMeasurement(report.total, report.first_slow_level, &json);
  } else if (!report.total.oracle.basis.empty()) {
    json["oracle"] = OracleJson(report.total.oracle);
  }
  if (report.config.compact_range_secs > 0) {
    json["compact_ranges"] = report.compact_ranges;
  }
  json["verified_keys"] = report.verified_keys;
  json["peak_rss_bytes"] = report.peak_rss_bytes;
  json["errors"] = report.errors;
  json["error_samples"] = report.error_samples;
  if (report.phases.size() > 1) {
    Json phases = Json::array();
    for (const PhaseMeasurement& phase : report.phases) {
      phases.push_back(report.ran ? PhaseJson(phase, report.first_slow_level)
                                  : PlannedPhaseJson(phase));
    }
    json["phases"] = phases;
  }
  if (report.ran) {
    json["timeline"] = TimelineJson(report.total.run.timeline);
  }
  // Keys and values in error messages may not be UTF-8: replace such bytes.
  return json.dump(/*indent=*/1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
