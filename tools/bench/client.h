//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The threads that send requests to the DB.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/bench_config.h"
#include "plugin/hotrap/tools/bench/key_distribution.h"
#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/latency_histogram.h"
#include "plugin/hotrap/tools/bench/operation.h"
#include "plugin/hotrap/tools/bench/pace.h"
#include "plugin/hotrap/tools/bench/tier_file_system.h"
#include "plugin/hotrap/tools/bench/trace.h"
#include "plugin/hotrap/tools/bench/verifier.h"
#include "plugin/hotrap/tools/bench/workload_mix.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Errors of all threads: their number, and the messages of the first few.
// Thread-safe.
class ErrorLog {
 public:
  void Add(const Status& s);
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  std::vector<std::string> samples() const;

 private:
  static constexpr size_t kMaxSamples = 20;

  std::atomic<uint64_t> count_{0};
  mutable std::mutex mutex_;
  // Protected by mutex_.
  std::vector<std::string> samples_;
};

// More levels than RocksDB is ever configured with here.
constexpr size_t kMaxLevels = 16;

// Totals of point reads and operations. "get" is one key of a Get or MultiGet.
struct ClientCounts {
  uint64_t operations = 0;
  uint64_t gets = 0;
  uint64_t gets_found = 0;
  // Gets that issued at least one read to the slow tier.
  uint64_t gets_with_slow_io = 0;
  // Gets that issued no read at all.
  uint64_t gets_without_io = 0;
  uint64_t scanned_keys = 0;
  // Keys and values of the writes, deletions included.
  uint64_t written_user_bytes = 0;
  // CPU of the client threads; added when they end.
  double cpu_secs = 0;
  // Gets that RocksDB answered from a file of the level.
  std::array<uint64_t, kMaxLevels> level_hits = {};

  void Add(const ClientCounts& other);
  void Subtract(const ClientCounts& other);
  double fast_hit_rate() const {
    return gets == 0 ? 0
                     : 1 - static_cast<double>(gets_with_slow_io) /
                               static_cast<double>(gets);
  }
};

// State shared by all clients. The non-atomic members are constant while
// clients run.
struct Workload {
  const BenchConfig* config = nullptr;
  DB* db = nullptr;
  const KeySpace* key_space = nullptr;
  // One of the two: `trace`, or `mix` with `distribution`.
  const Trace* trace = nullptr;
  const WorkloadMix* mix = nullptr;
  const KeyDistribution* distribution = nullptr;
  // Null without --verify.
  Verifier* verifier = nullptr;
  // Clients end after this many operations in all.
  uint64_t max_operations = 0;
  // The run ends after this time. 0 means no limit.
  uint64_t max_secs = 0;
  // No limit if it has no value.
  std::optional<Pace> pace;
  // Gives consecutive runs different random numbers.
  int first_client_index = 0;

  std::atomic<uint64_t> next_operation{0};
  std::atomic<uint64_t> next_insert_id{0};
  std::atomic<bool> stop{false};
  // When the final tenth of the run began, by time or by operations, depending
  // on the limit; the epoch before that.
  using Clock = std::chrono::steady_clock;
  std::atomic<Clock::time_point> final_start{Clock::time_point()};
  // Called at the first sign of the final tenth, by any thread.
  void BeginFinalTenth();
  bool InFinalTenth() const {
    return final_start.load(std::memory_order_relaxed) != Clock::time_point();
  }

  ErrorLog errors;
};

class Client {
 public:
  Client(Workload* workload, int index);

  // The body of the thread: returns at the end of the workload.
  void Run();

  // May be called while the client runs.
  ClientCounts counts() const;

  // After Run() has returned: counts of the final tenth, and latencies by
  // operation over the whole run and over its final tenth.
  ClientCounts FinalCounts() const;
  using Histograms = std::array<LatencyHistogram, kOperationCount>;
  const Histograms& latencies() const { return latencies_; }
  const Histograms& final_latencies() const { return final_latencies_; }

 private:
  void RunOne(uint64_t sequence);
  Operation DrawRequest(uint64_t sequence, uint64_t* id, size_t* value_bytes);
  void Read(uint64_t id);
  void MultiRead(uint64_t first_id);
  void Write(uint64_t id, size_t value_bytes);
  void Delete(uint64_t id);
  void Scan(uint64_t id);
  void CountGets(const ThreadReads& reads_before, uint64_t gets,
                 uint64_t found);
  void CountLevelHits();
  void PublishCounts();

  Workload* const workload_;
  std::mt19937_64 rng_;
  const WriteOptions write_options_;
  Histograms latencies_;
  Histograms final_latencies_;
  std::string key_;
  std::string value_;
  PinnableSlice pinned_;

  // Only the client's own thread touches these.
  ClientCounts own_counts_;
  // What had been counted when this client entered the final tenth.
  std::optional<ClientCounts> final_start_counts_;
  mutable std::mutex published_mutex_;
  // Protected by published_mutex_.
  ClientCounts published_counts_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
