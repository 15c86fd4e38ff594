//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "rocksdb/hotrap_prometheus.h"

#include <cstdlib>
#include <map>
#include <utility>

#include "rocksdb/hotrap.h"
#include "rocksdb/hotrap_metrics.h"

namespace ROCKSDB_NAMESPACE {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr char kPrefix[] = "rocksdb_hotrap_";
constexpr double kMicros = 1e-6;
constexpr std::pair<double, const char*> kQuantiles[] = {
    {0.5, "p50"}, {0.95, "p95"}, {0.99, "p99"}, {0.999, "p999"}};

using Values = std::map<std::string, std::string>;

double Number(const Values& values, const std::string& field) {
  const auto found = values.find(field);
  return found == values.end() ? 0 : strtod(found->second.c_str(), nullptr);
}

ClientMetric Labelled(const std::string& db, const std::string& family) {
  ClientMetric metric;
  metric.label = {{"db", db}, {"column_family", family}};
  return metric;
}

// The summary of each source that the map has.
void AddLatencies(const std::string& db, const std::string& family,
                  const Values& values, MetricFamily* latencies) {
  static const std::string kCount = ".count";
  for (const auto& [field, value] : values) {
    if (field.size() <= kCount.size() ||
        field.compare(field.size() - kCount.size(), kCount.size(), kCount) !=
            0) {
      continue;
    }
    const std::string source = field.substr(0, field.size() - kCount.size());
    ClientMetric metric = Labelled(db, family);
    metric.label.push_back({"source", source});
    metric.summary.sample_count =
        static_cast<std::uint64_t>(Number(values, field));
    metric.summary.sample_sum =
        Number(values, source + ".average") * kMicros *
        static_cast<double>(metric.summary.sample_count);
    for (const auto& [quantile, name] : kQuantiles) {
      ClientMetric::Quantile point;
      point.quantile = quantile;
      point.value = Number(values, source + "." + name) * kMicros;
      metric.summary.quantile.push_back(point);
    }
    latencies->metric.push_back(std::move(metric));
  }
}

}  // namespace

HotRapCollector::HotRapCollector(DB* db,
                                 std::vector<ColumnFamilyHandle*> families,
                                 std::string name)
    : db_(db), families_(std::move(families)), name_(std::move(name)) {}

std::vector<MetricFamily> HotRapCollector::Collect() const {
  std::vector<MetricFamily> result;
  MetricFamily info{std::string(kPrefix) + "info",
                    "What HotRAP says of itself, in words",
                    MetricType::Gauge,
                    {}};
  MetricFamily latencies{
      std::string(kPrefix) + "get_latency_seconds",
      "How long Get took, by where it was answered, since the DB was opened",
      MetricType::Summary,
      {}};
  std::vector<std::pair<std::string, Values>> all;
  for (ColumnFamilyHandle* family : families_) {
    Values values;
    if (db_->GetMapProperty(family, kHotRapStatsProperty, &values)) {
      all.emplace_back(family->GetName(), std::move(values));
    }
    Values latency;
    if (db_->GetMapProperty(family, kHotRapGetLatencyProperty, &latency)) {
      AddLatencies(name_, family->GetName(), latency, &latencies);
    }
  }
  for (const HotRapMetric& metric : HotRapMetrics()) {
    if (metric.kind == HotRapMetric::Kind::kText) {
      continue;
    }
    const bool counter = metric.kind == HotRapMetric::Kind::kCounter;
    MetricFamily family{
        kPrefix + std::string(metric.name) + (counter ? "_total" : ""),
        metric.meaning,
        counter ? MetricType::Counter : MetricType::Gauge,
        {}};
    for (const auto& [name, values] : all) {
      if (values.count(metric.name) == 0) {
        continue;  // of RALT, which is not open
      }
      ClientMetric sample = Labelled(name_, name);
      (counter ? sample.counter.value : sample.gauge.value) =
          Number(values, metric.name);
      family.metric.push_back(std::move(sample));
    }
    if (!family.metric.empty()) {
      result.push_back(std::move(family));
    }
  }
  for (const auto& [name, values] : all) {
    ClientMetric sample = Labelled(name_, name);
    for (const HotRapMetric& metric : HotRapMetrics()) {
      const auto text = values.find(metric.name);
      if (metric.kind == HotRapMetric::Kind::kText && text != values.end()) {
        sample.label.push_back({metric.name, text->second});
      }
    }
    sample.gauge.value = 1;
    info.metric.push_back(std::move(sample));
  }
  for (MetricFamily* family : {&info, &latencies}) {
    if (!family->metric.empty()) {
      result.push_back(std::move(*family));
    }
  }
  return result;
}

}  // namespace ROCKSDB_NAMESPACE
