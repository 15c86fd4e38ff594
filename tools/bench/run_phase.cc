//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/run_phase.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <thread>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPollInterval = std::chrono::milliseconds(10);
constexpr auto kTimelineInterval = std::chrono::seconds(1);
constexpr double kFinalPhaseStart = 0.9;

double SecsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

CpuSecs CpuSecsSoFar() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return {SecsOf(usage.ru_utime), SecsOf(usage.ru_stime)};
}

BackgroundBytes BackgroundBytesSoFar(const Statistics& statistics) {
  return {statistics.getTickerCount(FLUSH_WRITE_BYTES),
          statistics.getTickerCount(COMPACT_READ_BYTES),
          statistics.getTickerCount(COMPACT_WRITE_BYTES)};
}

TierIo Difference(const TierIo& end, const TierIo& start) {
  return {end.reads - start.reads, end.read_bytes - start.read_bytes,
          end.writes - start.writes, end.written_bytes - start.written_bytes};
}

// Watches the clients of one run.
class Monitor {
 public:
  Monitor(BenchDb* bench_db, Workload* workload,
          const std::deque<Client>& clients, RunResult* result)
      : bench_db_(bench_db),
        workload_(workload),
        clients_(clients),
        result_(result),
        start_(Clock::now()),
        last_point_(start_),
        cpu_start_(CpuSecsSoFar()),
        background_start_(BackgroundBytesSoFar(*bench_db->statistics())),
        fast_io_start_(bench_db->file_system().GetIo(Tier::kFast)),
        slow_io_start_(bench_db->file_system().GetIo(Tier::kSlow)) {}

  // Once every kPollInterval.
  void Poll() {
    const double secs = SecsSince(start_);
    const BenchConfig& config = *workload_->config;
    double progress = 0;
    if (config.run_secs > 0) {
      progress = secs / static_cast<double>(config.run_secs);
    }
    if (workload_->max_operations != UINT64_MAX) {
      progress = std::max(
          progress, static_cast<double>(workload_->next_operation.load()) /
                        static_cast<double>(workload_->max_operations));
    }
    if (progress >= kFinalPhaseStart && !workload_->final_phase.load()) {
      final_start_counts_ = TotalCounts();
      final_start_secs_ = secs;
      workload_->final_phase.store(true);
    }
    if (config.run_secs > 0 && secs >= static_cast<double>(config.run_secs)) {
      workload_->stop.store(true);
    }
    if (Clock::now() - last_point_ >= kTimelineInterval) {
      AddTimelinePoint();
    }
  }

  // All clients have ended.
  void Finish() {
    result_->secs = SecsSince(start_);
    result_->counts = TotalCounts();
    result_->final_secs = result_->secs - final_start_secs_;
    result_->final_counts = result_->counts;
    result_->final_counts.Subtract(final_start_counts_);
    for (const Client& client : clients_) {
      for (size_t kind = 0; kind < kOperationCount; ++kind) {
        result_->latencies[kind].Merge(client.latencies()[kind]);
        result_->final_latencies[kind].Merge(client.final_latencies()[kind]);
      }
    }
    const CpuSecs cpu = CpuSecsSoFar();
    result_->cpu = {cpu.user - cpu_start_.user, cpu.system - cpu_start_.system};
    const BackgroundBytes background =
        BackgroundBytesSoFar(*bench_db_->statistics());
    result_->background = {
        background.flush_written - background_start_.flush_written,
        background.compaction_read - background_start_.compaction_read,
        background.compaction_written - background_start_.compaction_written};
    result_->fast_io =
        Difference(bench_db_->file_system().GetIo(Tier::kFast), fast_io_start_);
    result_->slow_io =
        Difference(bench_db_->file_system().GetIo(Tier::kSlow), slow_io_start_);
    MeasurePaths();
  }

 private:
  static double SecsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  ClientCounts TotalCounts() const {
    ClientCounts total;
    for (const Client& client : clients_) {
      total.Add(client.counts());
    }
    return total;
  }

  PathBytes MeasurePaths() {
    const PathBytes bytes = bench_db_->MeasurePaths();
    PathBytes* const peak = &result_->peak_path_bytes;
    peak->fast = std::max(peak->fast, bytes.fast);
    peak->slow = std::max(peak->slow, bytes.slow);
    return bytes;
  }

  void AddTimelinePoint() {
    const double interval_secs = SecsSince(last_point_);
    last_point_ = Clock::now();
    const ClientCounts counts = TotalCounts();
    ClientCounts recent = counts;
    recent.Subtract(last_counts_);
    last_counts_ = counts;
    TimelinePoint point;
    point.secs = SecsSince(start_);
    point.operations_per_sec =
        static_cast<double>(recent.operations) / interval_secs;
    point.fast_hit_rate = recent.fast_hit_rate();
    point.path_bytes = MeasurePaths();
    const auto stats = bench_db_->HotrapStats();
    const auto promoted = stats.find("promoted_bytes");
    if (promoted != stats.end()) {
      point.promoted_bytes = strtoull(promoted->second.c_str(), nullptr, 10);
    }
    result_->timeline.push_back(point);
    fprintf(stderr,
            "run   [%4.0f s] %8.0f ops/s  fast hit rate %.3f  "
            "fast %.0f MB  promoted %.0f MB  errors %llu\n",
            point.secs, point.operations_per_sec, point.fast_hit_rate,
            static_cast<double>(point.path_bytes.fast) / 1e6,
            static_cast<double>(point.promoted_bytes) / 1e6,
            static_cast<unsigned long long>(workload_->errors.count()));
  }

  BenchDb* const bench_db_;
  Workload* const workload_;
  const std::deque<Client>& clients_;
  RunResult* const result_;
  const Clock::time_point start_;
  Clock::time_point last_point_;
  ClientCounts last_counts_;
  ClientCounts final_start_counts_;
  double final_start_secs_ = 0;
  const CpuSecs cpu_start_;
  const BackgroundBytes background_start_;
  const TierIo fast_io_start_;
  const TierIo slow_io_start_;
};

}  // namespace

void RunWorkload(BenchDb* bench_db, Workload* workload, RunResult* result) {
  // A deque, because a Client neither moves nor copies.
  std::deque<Client> clients;
  for (int i = 0; i < workload->config->threads; ++i) {
    clients.emplace_back(workload, i);
  }
  Monitor monitor(bench_db, workload, clients, result);
  std::atomic<size_t> running{clients.size()};
  std::vector<std::thread> threads;
  for (Client& client : clients) {
    threads.emplace_back([&client, &running] {
      client.Run();
      running.fetch_sub(1);
    });
  }
  while (running.load() > 0) {
    std::this_thread::sleep_for(kPollInterval);
    monitor.Poll();
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  monitor.Finish();
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
