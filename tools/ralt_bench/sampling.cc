//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ralt_bench/sampling.h"

#include <functional>
#include <random>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/tools/bench/zipf_sampler.h"
#include "plugin/hotrap/tools/ralt_bench/cache_models.h"
#include "plugin/hotrap/tools/ralt_bench/workload.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

namespace {
// Keys are numbered by hotness, the hottest first.
struct CachedWorkload {
  std::string name;
  std::function<uint64_t()> draw;
  uint64_t cached_records;
};

struct SamplingFigures {
  uint64_t accesses = 0;
  uint64_t hot = 0;
  uint64_t cached = 0;
  uint64_t cached_hot = 0;
  uint64_t recorded = 0;
};

Status Run(const DynamicsConfig& config, const CachedWorkload& workload,
           uint32_t sampling, uint64_t accesses, Lru* cache, Random64* random,
           Ralt* ralt, SamplingFigures* figures) {
  char key_bytes[kKeyBytes];
  const Slice key(key_bytes, kKeyBytes);
  Status s;
  for (uint64_t i = 0; s.ok() && i < accesses; ++i) {
    const uint64_t number = workload.draw();
    MakeKey(number, key_bytes);
    const bool hot = ralt->IsHot(key);
    const bool cached = cache->Access(number);
    const uint32_t weight = cached ? sampling : 1;
    ++figures->accesses;
    figures->hot += hot ? 1 : 0;
    figures->cached += cached ? 1 : 0;
    figures->cached_hot += cached && hot ? 1 : 0;
    if (weight == 1 || random->OneIn(weight)) {
      ralt->RecordAccess(key, config.record_bytes - kKeyBytes, weight);
      ++figures->recorded;
    }
    if (i % kAccessesBetweenWaits == 0) {
      s = ralt->WaitForIdle();
    }
  }
  return s;
}

// Returns the fraction of the `count` hottest keys that are hot.
double Recall(const Ralt& ralt, uint64_t count) {
  char key_bytes[kKeyBytes];
  uint64_t hot = 0;
  for (uint64_t i = 0; i < count; ++i) {
    MakeKey(i, key_bytes);
    hot += ralt.IsHot(Slice(key_bytes, kKeyBytes)) ? 1 : 0;
  }
  return static_cast<double>(hot) / count;
}

Status Measure(const DynamicsConfig& config, const CachedWorkload& workload,
               uint32_t sampling, nlohmann::json* row) {
  RaltOptions options;
  options.fast_budget_bytes = config.keys * config.record_bytes / 10;
  std::unique_ptr<Ralt> ralt;
  Status s = OpenFresh(options, config.path, &ralt);
  Random64 random(301);
  Lru cache(workload.cached_records);
  SamplingFigures figures;
  if (s.ok()) {
    s = Run(config, workload, sampling, config.accesses_per_stage, &cache,
            &random, ralt.get(), &figures);
  }
  figures = SamplingFigures();
  if (s.ok()) {
    s = Run(config, workload, sampling, config.accesses_per_stage / 2, &cache,
            &random, ralt.get(), &figures);
  }
  if (!s.ok()) {
    return s;
  }
  const double accesses = static_cast<double>(figures.accesses);
  const RaltStats stats = ralt->GetStats();
  *row = {{"workload", workload.name},
          {"cached_records", workload.cached_records},
          {"cached_hit_sampling", sampling},
          {"recorded_share", figures.recorded / accesses},
          {"cached_share", figures.cached / accesses},
          {"hit_rate", figures.hot / accesses},
          {"hit_rate_of_cached",
           static_cast<double>(figures.cached_hot) / figures.cached},
          {"hot_of_the_hottest_1000", Recall(*ralt, 1000)},
          {"hot_of_the_hottest_5000", Recall(*ralt, 5000)},
          {"hot_of_the_hottest_10000", Recall(*ralt, 10000)},
          {"stable_bytes", stats.stable_bytes},
          {"hot_set_limit_bytes", stats.hot_set_limit_bytes}};
  return s;
}
}  // namespace

Status CompareSampling(const DynamicsConfig& config, nlohmann::json* result) {
  Random64 random(17);
  std::mt19937_64 engine(17);
  const auto hotspot = [&](double fraction) {
    Hotspot spot;
    spot.keys = config.keys;
    spot.hot_keys = static_cast<uint64_t>(fraction * config.keys);
    return [spot, &random] { return spot.Draw(&random); };
  };
  const hotrap_bench::ZipfSampler zipf(config.keys, 0.99);
  const CachedWorkload workloads[] = {
      {"hotspot 5 %, a tenth of it cached", hotspot(0.05), config.keys / 200},
      {"hotspot 5 %, all of it cached", hotspot(0.05), config.keys / 15},
      {"hotspot 1 %, all of it cached", hotspot(0.01), config.keys / 75},
      {"Zipf 0.99", [&] { return zipf.Sample(&engine); }, config.keys / 200}};
  constexpr uint32_t kSamplings[] = {1, 4, 16};
  nlohmann::json rows = nlohmann::json::array();
  for (const CachedWorkload& workload : workloads) {
    for (const uint32_t sampling : kSamplings) {
      nlohmann::json row;
      const Status s = Measure(config, workload, sampling, &row);
      if (!s.ok()) {
        return s;
      }
      rows.push_back(std::move(row));
    }
  }
  (*result)["sampling"] = rows;
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
