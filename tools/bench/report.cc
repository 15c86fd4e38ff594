//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

// Keeps the order in which fields are added.
using Json = nlohmann::ordered_json;

constexpr uint64_t kBytesAKiB = 1024;

// Not ru_maxrss: exec() hands on the peak of the process that started this one.
uint64_t PeakRssBytes() {
  std::ifstream status("/proc/self/status");
  uint64_t kib = 0;
  for (std::string name; kib == 0 && status >> name;) {
    if (name == "VmHWM:") {
      status >> kib;
    }
  }
  return kib * kBytesAKiB;
}

double Rate(uint64_t count, double secs) {
  return secs > 0 ? static_cast<double>(count) / secs : 0;
}

// A property's value is a decimal number or a text.
Json PropertyValue(const std::string& text) {
  char* end = nullptr;
  if (text.find('.') != std::string::npos) {
    const double number = strtod(text.c_str(), &end);
    return *end == '\0' ? Json(number) : Json(text);
  }
  const long long number = strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' ? Json(number) : Json(text);
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
    json["twitter_loaded_keys"] = c.twitter_loaded_keys;
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

uint64_t SlowLevelHits(const ClientCounts& counts, int first_slow_level) {
  uint64_t hits = 0;
  for (size_t level = 0; level < kMaxLevels; ++level) {
    if (static_cast<int>(level) >= first_slow_level) {
      hits += counts.level_hits[level];
    }
  }
  return hits;
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

// 0 if nothing was written.
double WriteAmplification(const RunResult& run) {
  return run.counts.written_user_bytes == 0
             ? 0
             : static_cast<double>(TableBytesWritten(run)) /
                   static_cast<double>(run.counts.written_user_bytes);
}

// Bytes of compactions of one tier as the driver saw them.
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

void AddMeasurement(const Measurement& m, int first_slow_level, Json* json) {
  const RunResult& run = m.run;
  const ClientCounts& counts = run.counts;
  Json& j = *json;
  j["secs"] = run.secs;
  j["operations"] = counts.operations;
  j["throughput"] = Rate(counts.operations, run.secs);
  j["final_throughput"] = Rate(run.final_counts.operations, run.final_secs);
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
  }
  if (report.config.compact_range_secs > 0) {
    json["compact_ranges"] = report.compact_ranges;
  }
  json["verified_keys"] = report.verified_keys;
  json["peak_rss_bytes"] = PeakRssBytes();
  json["errors"] = report.errors;
  json["error_samples"] = report.error_samples;
  if (report.phases.size() > 1) {
    Json phases = Json::array();
    for (const PhaseMeasurement& phase : report.phases) {
      phases.push_back(PhaseJson(phase, report.first_slow_level));
    }
    json["phases"] = phases;
  }
  if (report.ran) {
    json["timeline"] = TimelineJson(report.total.run.timeline);
  }
  // A key or value in an error message may be no UTF-8: replace such bytes.
  return json.dump(/*indent=*/1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

namespace {

double Megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string PhasesText(const Report& report) {
  std::ostringstream text;
  text << std::fixed;
  for (const PhaseMeasurement& p : report.phases) {
    const RunResult& run = p.measurement.run;
    const HotrapBytes hotrap = ReadHotrapBytes(p.measurement.hotrap);
    text << p.phase.name << ": " << std::setprecision(0)
         << Rate(run.counts.operations, run.secs) << "/s, final fast hit rate "
         << std::setprecision(3) << run.final_counts.fast_hit_rate()
         << std::setprecision(1) << ", hot set " << Megabytes(hotrap.hot_set)
         << " of " << Megabytes(hotrap.hot_set_limit) << " MB, stable "
         << Megabytes(hotrap.stable) << " MB";
    if (p.hotspot_bytes > 0) {
      const Convergence convergence = JudgeConvergence(p);
      text << ", hotspot " << Megabytes(p.hotspot_bytes) << " MB: "
           << (convergence.converged ? "converged" : "not converged");
      if (convergence.converged) {
        text << " after " << convergence.secs << " s";
      }
    }
    text << "\n";
  }
  return text.str();
}

}  // namespace

std::string ToText(const Report& report) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3);
  if (report.ran) {
    const RunResult& run = report.total.run;
    const ClientCounts& counts = run.counts;
    text << "operations " << counts.operations << " in " << run.secs
         << " s: " << std::setprecision(0) << Rate(counts.operations, run.secs)
         << "/s, final tenth "
         << Rate(run.final_counts.operations, run.final_secs) << "/s\n"
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
