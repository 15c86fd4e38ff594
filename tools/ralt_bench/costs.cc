//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ralt_bench/costs.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/tools/ralt_bench/workload.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

namespace {
constexpr uint64_t kValueBytes = 200 - kKeyBytes;
constexpr uint64_t kRecordBytes = 200;

// Draws the keys in advance, so that the timed loops have little overhead.
std::string DrawKeys(const Hotspot& hotspot, uint64_t count, uint64_t seed) {
  std::string keys(count * kKeyBytes, '\0');
  Random64 random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    MakeKey(hotspot.Draw(&random), &keys[i * kKeyBytes]);
  }
  return keys;
}

Slice KeyAt(const std::string& keys, uint64_t i) {
  return Slice(keys.data() + i * kKeyBytes, kKeyBytes);
}

// Records the keys, one list per thread, and returns the CPU time of all
// threads. With `pace`, waits for the background job often enough that nothing
// is dropped.
uint64_t RecordAll(Ralt* ralt, const std::vector<std::string>& keys,
                   bool pace) {
  constexpr uint64_t kPaceAccesses = 10000;
  std::atomic<uint64_t> caller_nanos{0};
  std::vector<std::thread> threads;
  for (const std::string& mine : keys) {
    threads.emplace_back([&] {
      uint64_t nanos = 0;
      const uint64_t count = mine.size() / kKeyBytes;
      for (uint64_t i = 0; i < count;) {
        const uint64_t end = std::min(count, i + kPaceAccesses);
        const uint64_t start = ThreadCpuNanos();
        for (; i < end; ++i) {
          ralt->RecordAccess(KeyAt(mine, i), kValueBytes);
        }
        nanos += ThreadCpuNanos() - start;
        while (pace && ralt->GetStats().buffer_memory_bytes > (32 << 20)) {
          Env::Default()->SleepForMicroseconds(1000);
        }
      }
      caller_nanos.fetch_add(nanos);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return caller_nanos.load();
}
}  // namespace

Status MeasureInserts(const CostsConfig& config, nlohmann::json* result) {
  // The hotspot fills half of the fast budget.
  Hotspot hotspot;
  hotspot.keys = config.accesses;
  hotspot.hot_keys = hotspot.keys / 20;
  RaltOptions options;
  options.fast_budget_bytes = hotspot.keys * kRecordBytes / 10;

  std::vector<std::string> keys;
  for (uint32_t t = 0; t < config.threads; ++t) {
    keys.push_back(DrawKeys(hotspot, config.accesses / config.threads, t));
  }
  const double accesses =
      static_cast<double>(keys[0].size() / kKeyBytes * config.threads);

  std::unique_ptr<Ralt> ralt;
  Status s = OpenFresh(options, config.path, &ralt);
  if (!s.ok()) {
    return s;
  }
  // Run twice: first to fill RALT, then to measure the steady state.
  for (int round = 0; round < 2; ++round) {
    const RaltStats before = ralt->GetStats();
    const uint64_t process_start = ProcessCpuNanos();
    const uint64_t caller_nanos = RecordAll(ralt.get(), keys, /*pace=*/true);
    s = ralt->WaitForIdle();
    if (!s.ok()) {
      return s;
    }
    const uint64_t process_nanos = ProcessCpuNanos() - process_start;
    const RaltStats after = ralt->GetStats();
    const double flushed =
        static_cast<double>(after.bytes_flushed - before.bytes_flushed);
    (*result)[round == 0 ? "insert_while_learning" : "insert"] = {
        {"accesses", accesses},
        {"threads", config.threads},
        {"caller_cpu_nanos", caller_nanos / accesses},
        {"total_cpu_nanos", process_nanos / accesses},
        {"dropped", after.accesses_dropped - before.accesses_dropped},
        {"flushes", after.flushes - before.flushes},
        {"merges", after.merges - before.merges},
        {"evictions", after.evictions - before.evictions},
        {"write_amplification",
         (after.bytes_written - before.bytes_written) / flushed},
        {"read_amplification",
         (after.bytes_read - before.bytes_read) / flushed},
        {"levels", after.levels},
        {"records", after.records}};
  }

  // The same without waiting, to measure the callers under pressure.
  const RaltStats before = ralt->GetStats();
  const uint64_t caller_nanos = RecordAll(ralt.get(), keys, /*pace=*/false);
  const RaltStats after = ralt->GetStats();
  (*result)["insert_under_pressure"] = {
      {"caller_cpu_nanos", caller_nanos / accesses},
      {"dropped_share",
       (after.accesses_dropped - before.accesses_dropped) / accesses},
      {"peak_buffer_bytes", after.buffer_memory_bytes}};
  return s;
}

namespace {
// Tracks keys [0, tracked), of which the first half is stable, in levels with
// ratio 10.
Status Track(Ralt* ralt, uint64_t tracked) {
  char key[kKeyBytes];
  Status s;
  for (uint64_t i = 0; s.ok() && i < tracked; ++i) {
    MakeKey(i, key);
    ralt->RecordAccess(Slice(key, kKeyBytes), kValueBytes);
    if (i < tracked / 2) {
      ralt->RecordAccess(Slice(key, kKeyBytes), kValueBytes);
    }
    if (i % 100000 == 0) {
      s = ralt->WaitForIdle();
    }
  }
  return s.ok() ? ralt->Flush() : s;
}

double LookUp(const Ralt& ralt, const std::string& keys, uint64_t* hot) {
  const uint64_t count = keys.size() / kKeyBytes;
  *hot = 0;
  const uint64_t start = ThreadCpuNanos();
  for (uint64_t i = 0; i < count; ++i) {
    *hot += ralt.IsHot(KeyAt(keys, i)) ? 1 : 0;
  }
  return static_cast<double>(ThreadCpuNanos() - start) / count;
}

// Compares HotBytes() with the truth: of the tracked keys, the first half is
// hot.
void CompareRanges(const CostsConfig& config, const Ralt& ralt,
                   nlohmann::json* result) {
  std::vector<std::string> hot_keys(config.tracked_keys / 2);
  for (uint64_t i = 0; i < hot_keys.size(); ++i) {
    hot_keys[i].resize(kKeyBytes);
    MakeKey(i, hot_keys[i].data());
  }
  std::sort(hot_keys.begin(), hot_keys.end());
  // 100 blocks of 3 KiB hold about this many records.
  constexpr uint64_t kMinRecords = 100 * 120;
  if (hot_keys.size() < 2 * kMinRecords) {
    return;
  }
  double lowest = 0;
  double highest = 0;
  double sum = 0;
  Random64 random(301);
  for (uint64_t i = 0; i < config.ranges; ++i) {
    const uint64_t begin = random.Uniform(hot_keys.size() - kMinRecords);
    const uint64_t end = begin + kMinRecords +
                         random.Uniform(hot_keys.size() - begin - kMinRecords);
    const double truth = static_cast<double>((end - begin) * kRecordBytes);
    const double error =
        ralt.HotBytes(hot_keys[begin], hot_keys[end]) / truth - 1;
    lowest = std::min(lowest, error);
    highest = std::max(highest, error);
    sum += error;
  }
  (*result)["range_hot_bytes"] = {{"ranges", config.ranges},
                                  {"lowest_error", lowest},
                                  {"highest_error", highest},
                                  {"mean_error", sum / config.ranges}};
}
}  // namespace

Status MeasureLookups(const CostsConfig& config, nlohmann::json* result) {
  RaltOptions options;
  // Room for all keys: nothing is evicted, so the hot keys are known.
  options.fast_budget_bytes = config.tracked_keys * kRecordBytes * 4;
  std::unique_ptr<Ralt> ralt;
  Status s = OpenFresh(options, config.path, &ralt);
  if (s.ok()) {
    s = Track(ralt.get(), config.tracked_keys);
  }
  if (!s.ok()) {
    return s;
  }
  const RaltStats stats = ralt->GetStats();

  const uint64_t hot_keys = config.tracked_keys / 2;
  Hotspot hot;
  hot.keys = hot_keys;
  Hotspot unknown;
  unknown.keys = hot_keys;
  uint64_t hot_found;
  const double hot_nanos =
      LookUp(*ralt, DrawKeys(hot, config.lookups, 1), &hot_found);
  // Keys that are tracked, but were accessed once.
  std::string cold_keys(config.lookups * kKeyBytes, '\0');
  Random64 random(2);
  for (uint64_t i = 0; i < config.lookups; ++i) {
    MakeKey(hot_keys + random.Uniform(hot_keys), &cold_keys[i * kKeyBytes]);
  }
  uint64_t cold_found;
  const double cold_nanos = LookUp(*ralt, cold_keys, &cold_found);
  (*result)["is_hot"] = {{"tracked_keys", stats.records},
                         {"hot_keys", stats.hot_records},
                         {"levels", stats.levels},
                         {"runs", stats.runs},
                         {"nanos_hot", hot_nanos},
                         {"nanos_cold", cold_nanos},
                         {"false_negatives", config.lookups - hot_found},
                         {"false_positive_rate",
                          static_cast<double>(cold_found) / config.lookups}};

  // 5 % of the data is hot.
  const double data_bytes = hot_keys * 20.0 * kRecordBytes;
  (*result)["memory"] = {
      {"filter_bytes", stats.filter_memory_bytes},
      {"index_bytes", stats.index_memory_bytes},
      {"share_of_data",
       (stats.filter_memory_bytes + stats.index_memory_bytes) / data_bytes},
      {"physical_bytes_per_record",
       static_cast<double>(stats.physical_bytes) / stats.records}};
  CompareRanges(config, *ralt, result);
  return s;
}

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
