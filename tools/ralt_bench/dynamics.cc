//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ralt_bench/dynamics.h"

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/tools/ralt_bench/cache_models.h"
#include "plugin/hotrap/tools/ralt_bench/workload.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

namespace {
struct Stage {
  const char* name;
  double first;     // where the hotspot begins, as a fraction of all keys
  double fraction;  // its size; 0 means uniform
};

constexpr Stage kStages[] = {
    {"uniform", 0, 0},          {"hotspot 1 %", 0, 0.01},
    {"hotspot 3 %", 0, 0.03},   {"hotspot 5 %", 0, 0.05},
    {"shifted 5 %", 0.5, 0.05}, {"hotspot 4 %", 0.5, 0.04},
    {"hotspot 2 %", 0.5, 0.02}};

// A stage is learned once this share of accesses to its hotspot are hits.
constexpr double kLearntShare = 0.9;

Hotspot MakeHotspot(const DynamicsConfig& config, double first,
                    double fraction) {
  Hotspot hotspot;
  hotspot.keys = config.keys;
  hotspot.first = static_cast<uint64_t>(first * config.keys);
  hotspot.hot_keys = static_cast<uint64_t>(fraction * config.keys);
  return hotspot;
}

// Runs accesses and returns the number of hits in *hits.
Status RunAccesses(const DynamicsConfig& config, const Hotspot& hotspot,
                   uint64_t accesses, Random64* random, Ralt* ralt,
                   uint64_t* hits) {
  char key_bytes[kKeyBytes];
  const Slice key(key_bytes, kKeyBytes);
  *hits = 0;
  Status s;
  for (uint64_t i = 0; s.ok() && i < accesses; ++i) {
    MakeKey(hotspot.Draw(random), key_bytes);
    *hits += ralt->IsHot(key) ? 1 : 0;
    ralt->RecordAccess(key, config.record_bytes - kKeyBytes);
    if (i % kAccessesBetweenWaits == 0) {
      s = ralt->WaitForIdle();
    }
  }
  return s;
}
}  // namespace

Status SimulateStages(const DynamicsConfig& config, nlohmann::json* result) {
  RaltOptions options;
  options.fast_budget_bytes = config.keys * config.record_bytes / 10;
  options.unstable_fraction = config.unstable_fraction;
  std::unique_ptr<Ralt> ralt;
  Status s = OpenFresh(options, config.path, &ralt);
  Random64 random(301);
  const uint64_t step = config.accesses_per_stage / config.samples_per_stage;
  uint64_t accesses = 0;
  nlohmann::json series = nlohmann::json::array();
  nlohmann::json stages = nlohmann::json::array();
  for (const Stage& stage : kStages) {
    const Hotspot hotspot = MakeHotspot(config, stage.first, stage.fraction);
    double hit_rate = 0;
    uint64_t learnt_after = 0;
    for (uint64_t i = 0; s.ok() && i < config.samples_per_stage; ++i) {
      uint64_t hits;
      s = RunAccesses(config, hotspot, step, &random, ralt.get(), &hits);
      accesses += step;
      hit_rate = static_cast<double>(hits) / step;
      if (learnt_after == 0 && hit_rate >= kLearntShare * hotspot.hot_share) {
        learnt_after = (i + 1) * step;
      }
      const RaltStats stats = ralt->GetStats();
      series.push_back(
          {{"accesses", accesses},
           {"stage", stage.name},
           {"hit_rate", hit_rate},
           {"hotspot_bytes", hotspot.hot_keys * config.record_bytes},
           {"hot_set_bytes", stats.hot_set_bytes},
           {"hot_set_limit_bytes", stats.hot_set_limit_bytes},
           {"physical_bytes", stats.physical_bytes},
           {"physical_limit_bytes", stats.physical_limit_bytes}});
    }
    const RaltStats stats = ralt->GetStats();
    const double hotspot_bytes =
        static_cast<double>(hotspot.hot_keys * config.record_bytes);
    stages.push_back(
        {{"stage", stage.name},
         {"final_hit_rate", hit_rate},
         {"learnt_after_accesses", learnt_after},
         {"hot_set_bytes", stats.hot_set_bytes},
         {"stable_bytes", stats.stable_bytes},
         {"hot_set_limit_bytes", stats.hot_set_limit_bytes},
         {"stable_to_hotspot",
          hotspot_bytes == 0 ? 0 : stats.stable_bytes / hotspot_bytes}});
  }
  (*result)["dynamic"] = {
      {"fast_budget_bytes", uint64_t{options.fast_budget_bytes}},
      {"min_limit_bytes", static_cast<uint64_t>(options.hot_set_min_fraction *
                                                options.fast_budget_bytes)},
      {"stages", stages},
      {"series", series}};
  return s;
}

namespace {
// Returns the hit rate in the last tenth of the accesses.
template <typename Policy>
double FinalHitRate(Policy policy, const Hotspot& hotspot, uint64_t accesses) {
  Random64 random(301);
  uint64_t hits = 0;
  for (uint64_t i = 0; i < accesses; ++i) {
    const bool hit = policy.Access(hotspot.Draw(&random));
    hits += hit && i >= accesses - accesses / 10 ? 1 : 0;
  }
  return static_cast<double>(hits) / (accesses / 10);
}
}  // namespace

Status CompareScoring(const DynamicsConfig& config, nlohmann::json* result) {
  const Hotspot hotspot = MakeHotspot(config, 0, 0.05);
  const uint64_t capacity = hotspot.hot_keys * 11 / 10;
  const uint64_t accesses = 2 * config.accesses_per_stage;

  RaltOptions options;
  options.fast_budget_bytes = config.keys * config.record_bytes / 10;
  options.auto_tune = false;
  options.hot_set_limit_bytes = capacity * config.record_bytes;
  std::unique_ptr<Ralt> ralt;
  Status s = OpenFresh(options, config.path, &ralt);
  Random64 random(301);
  uint64_t hits = 0;
  if (s.ok()) {
    s = RunAccesses(config, hotspot, accesses - accesses / 10, &random,
                    ralt.get(), &hits);
  }
  if (s.ok()) {
    s = RunAccesses(config, hotspot, accesses / 10, &random, ralt.get(), &hits);
  }
  if (s.ok()) {
    (*result)["scoring"] = {
        {"lru", FinalHitRate(Lru(capacity), hotspot, accesses)},
        {"clock", FinalHitRate(Clock(capacity), hotspot, accesses)},
        {"exponential_smoothing", static_cast<double>(hits) / (accesses / 10)}};
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
