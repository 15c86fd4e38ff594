//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/load_phase.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "plugin/hotrap/tools/bench/value_codec.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kClaimedIds = 256;
constexpr uint32_t kFirstVersion = 1;

double SecsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Status LoadDb(const BenchConfig& config, const KeySpace& key_space,
              uint64_t id_limit, const ValueBytesFunction& value_bytes_of,
              Verifier* verifier, BenchDb* bench_db, LoadResult* result) {
  std::atomic<uint64_t> next_id{0};
  std::atomic<uint64_t> loaded{0};
  std::atomic<int> running{config.threads};
  std::mutex status_mutex;
  Status status;
  WriteOptions write_options;
  write_options.disableWAL = true;

  const auto load_some = [&] {
    std::string key;
    std::string value;
    Status s;
    while (s.ok()) {
      const uint64_t first = next_id.fetch_add(kClaimedIds);
      const uint64_t end = std::min(first + kClaimedIds, id_limit);
      if (first >= end) {
        break;
      }
      for (uint64_t id = first; s.ok() && id < end; ++id) {
        const uint64_t value_bytes = value_bytes_of(id);
        if (value_bytes == 0) {
          continue;
        }
        key_space.KeyOf(id, &key);
        uint32_t version = kFirstVersion;
        if (verifier != nullptr) {
          version = verifier->BeginWrite(id);
        }
        EncodeValue(id, version, value_bytes, &value);
        s = bench_db->db()->Put(write_options, key, value);
        if (s.ok() && verifier != nullptr) {
          verifier->FinishWrite(id, version);
        }
        loaded.fetch_add(1, std::memory_order_relaxed);
      }
    }
    if (!s.ok()) {
      std::lock_guard<std::mutex> lock(status_mutex);
      status = s;
    }
    running.fetch_sub(1);
  };

  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < config.threads; ++i) {
    threads.emplace_back(load_some);
  }
  auto next_line = start;
  while (running.load() > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (Clock::now() >= next_line) {
      next_line += std::chrono::seconds(5);
      fprintf(stderr, "load  [%4.0f s] %llu of %llu keys\n", SecsSince(start),
              static_cast<unsigned long long>(loaded.load()),
              static_cast<unsigned long long>(id_limit));
    }
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  result->records = loaded.load();
  result->write_secs = SecsSince(start);

  const auto settle_start = Clock::now();
  if (status.ok()) {
    status = bench_db->db()->Flush(FlushOptions());
  }
  if (status.ok()) {
    status = bench_db->WaitUntilIdle();
  }
  result->settle_secs = SecsSince(settle_start);
  return status;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
