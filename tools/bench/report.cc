//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

uint64_t PeakRssBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * kBytesAKiB;
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

uint64_t PropertyDelta(const Report& report, const char* name) {
  const auto number = [name](const std::map<std::string, std::string>& stats) {
    const auto found = stats.find(name);
    return found == stats.end() ? 0
                                : strtoull(found->second.c_str(), nullptr, 10);
  };
  const uint64_t before = number(report.hotrap_before_run);
  const uint64_t after = number(report.hotrap);
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
      {"seed", c.seed},
      {"multiget", c.multiget},
      {"block_bytes", c.block_bytes},
      {"bloom_bits_per_key", c.bloom_bits_per_key},
      {"block_cache_bytes", c.block_cache_bytes},
      {"write_buffer_bytes", c.write_buffer_bytes},
      {"max_background_jobs", c.max_background_jobs},
      {"direct_io", c.direct_io},
      {"wal", c.wal},
      {"verify", c.verify},
      {"existing_db", c.existing_db},
      {"options", c.options},
      {"db_options", c.db_options},
  };
  if (c.replays_trace()) {
    json["trace"] = c.trace;
    json["trace_format"] = c.trace_format;
    json["trace_value_divisor"] = c.trace_value_divisor;
    json["twitter_cluster"] = c.twitter_cluster;
  } else {
    json["mix"] = c.mix;
    json["distribution"] = c.distribution;
    json["hotspot_fraction"] = c.hotspot_fraction;
    json["hotspot_ops"] = c.hotspot_ops;
    json["zipf_theta"] = c.zipf_theta;
  }
  return json;
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
  return {{"reads", io.reads},
          {"read_bytes", io.read_bytes},
          {"writes", io.writes},
          {"written_bytes", io.written_bytes}};
}

Json TimelineJson(const std::vector<TimelinePoint>& timeline) {
  Json json = Json::array();
  for (const TimelinePoint& point : timeline) {
    json.push_back({{"secs", point.secs},
                    {"throughput", point.operations_per_sec},
                    {"fast_hit_rate", point.fast_hit_rate},
                    {"fast_bytes", point.path_bytes.fast},
                    {"slow_bytes", point.path_bytes.slow},
                    {"promoted_bytes", point.promoted_bytes}});
  }
  return json;
}

void AddRun(const Report& report, Json* json) {
  const RunResult& run = report.run;
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
  j["hits"] = HitsJson(counts, report.first_slow_level);
  j["latency_micros"] = LatencyJson(run.latencies);
  j["final_latency_micros"] = LatencyJson(run.final_latencies);
  j["promoted_bytes"] = PropertyDelta(report, "promoted_bytes");
  j["retained_bytes"] = PropertyDelta(report, "retained_bytes");
  j["flush_written_bytes"] = run.background.flush_written;
  j["compaction_read_bytes"] = run.background.compaction_read;
  j["compaction_written_bytes"] = run.background.compaction_written;
  j["io"] = {{"fast", TierIoJson(run.fast_io)},
             {"slow", TierIoJson(run.slow_io)}};
  j["path_bytes"] = PathBytesJson(report.path_bytes);
  j["peak_path_bytes"] = PathBytesJson(run.peak_path_bytes);
  j["cpu_secs"] = {{"user", run.cpu.user}, {"system", run.cpu.system}};
  if (!report.hotrap.empty()) {
    Json stats = Json::object();
    for (const auto& [name, value] : report.hotrap) {
      stats[name] = PropertyValue(value);
    }
    j["hotrap"] = stats;
  }
  const EngineAgreement agreement = CompareWithEngine(report);
  if (agreement.known) {
    j["engine_agreement"] = {
        {"driver_fast_hit_rate", agreement.driver_fast_hit_rate},
        {"engine_fast_hit_rate", agreement.engine_fast_hit_rate},
        {"driver_slow_hits", agreement.driver_slow_hits},
        {"engine_slow_hits", agreement.engine_slow_hits},
        {"difference", agreement.difference}};
  }
}

}  // namespace

EngineAgreement CompareWithEngine(const Report& report) {
  EngineAgreement agreement;
  const ClientCounts& counts = report.run.counts;
  const auto active = report.hotrap.find("active");
  agreement.known = report.ran && counts.gets > 0 &&
                    active != report.hotrap.end() && active->second == "1";
  if (!agreement.known) {
    return agreement;
  }
  const double gets = static_cast<double>(counts.gets);
  agreement.driver_fast_hit_rate = counts.fast_hit_rate();
  agreement.engine_fast_hit_rate =
      1 - static_cast<double>(PropertyDelta(report, "get_hits_slow_with_io")) /
              gets;
  agreement.driver_slow_hits = SlowLevelHits(counts, report.first_slow_level);
  agreement.engine_slow_hits = PropertyDelta(report, "get_hits_slow");
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
  json["path_bytes_before_run"] = PathBytesJson(report.path_bytes_before_run);
  if (report.ran) {
    AddRun(report, &json);
  }
  json["verified_keys"] = report.verified_keys;
  json["peak_rss_bytes"] = PeakRssBytes();
  json["errors"] = report.errors;
  json["error_samples"] = report.error_samples;
  if (report.ran) {
    json["timeline"] = TimelineJson(report.run.timeline);
  }
  // A key or value in an error message may be no UTF-8: replace such bytes.
  return json.dump(/*indent=*/1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

std::string ToText(const Report& report) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3);
  if (report.ran) {
    const RunResult& run = report.run;
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
    const EngineAgreement agreement = CompareWithEngine(report);
    if (agreement.known) {
      text << std::setprecision(3) << "fast hit rate by the engine "
           << agreement.engine_fast_hit_rate << "; slow-level hits: driver "
           << agreement.driver_slow_hits << ", engine "
           << agreement.engine_slow_hits << "\n";
    }
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
