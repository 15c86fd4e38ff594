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

using Clock = Workload::Clock;

constexpr auto kPollInterval = std::chrono::milliseconds(10);
constexpr auto kTimelineInterval = std::chrono::seconds(1);
constexpr double kFinalTenthStart = 0.9;

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
  TierIo difference = end;
  difference.Subtract(start);
  return difference;
}

CompactionByLevel Difference(const CompactionByLevel& end,
                             const CompactionByLevel& start) {
  CompactionByLevel difference = end;
  for (const auto& [level, before] : start) {
    LevelCompaction& here = difference[level];
    here.read_from_above -= before.read_from_above;
    here.read_from_level -= before.read_from_level;
    here.written -= before.written;
    here.moved -= before.moved;
  }
  return difference;
}

// Monitors the clients of one run.
class Monitor {
 public:
  Monitor(BenchDb* bench_db, uint64_t hotspot_bytes, Workload* workload,
          const std::deque<Client>& clients, RunResult* result)
      : bench_db_(bench_db),
        hotspot_bytes_(hotspot_bytes),
        workload_(workload),
        clients_(clients),
        result_(result),
        start_(Clock::now()),
        last_point_(start_),
        cpu_start_(CpuSecsSoFar()),
        background_start_(BackgroundBytesSoFar(*bench_db->statistics())),
        fast_io_start_(bench_db->file_system().GetIo(Tier::kFast)),
        slow_io_start_(bench_db->file_system().GetIo(Tier::kSlow)),
        last_cpu_secs_(cpu_start_.user + cpu_start_.system),
        last_fast_io_(fast_io_start_),
        last_slow_io_(slow_io_start_),
        compactions_start_(bench_db->Compactions()) {
    result_->start_unix_secs =
        std::chrono::duration<double>(
            std::chrono::system_clock::now().time_since_epoch())
            .count();
  }

  // Called every kPollInterval.
  void Poll() {
    const double secs = SecsSince(start_);
    const double max_secs = static_cast<double>(workload_->max_secs);
    if (max_secs > 0 && secs >= kFinalTenthStart * max_secs) {
      workload_->BeginFinalTenth();
    }
    if (max_secs > 0 && secs >= max_secs) {
      workload_->stop.store(true);
    }
    if (Clock::now() - last_point_ >= kTimelineInterval) {
      AddTimelinePoint();
    }
  }

  // Called when all clients have ended.
  void Finish() {
    result_->secs = SecsSince(start_);
    result_->counts = TotalCounts();
    if (workload_->InFinalTenth()) {
      result_->final_secs = SecsSince(workload_->final_start.load());
    }
    for (const Client& client : clients_) {
      result_->final_counts.Add(client.FinalCounts());
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
    result_->compactions =
        Difference(bench_db_->Compactions(), compactions_start_);
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
    const CpuSecs cpu = CpuSecsSoFar();
    point.cpu_secs = cpu.user + cpu.system - last_cpu_secs_;
    last_cpu_secs_ += point.cpu_secs;
    const TierIo fast_io = bench_db_->file_system().GetIo(Tier::kFast);
    const TierIo slow_io = bench_db_->file_system().GetIo(Tier::kSlow);
    point.fast_io = Difference(fast_io, last_fast_io_);
    point.slow_io = Difference(slow_io, last_slow_io_);
    last_fast_io_ = fast_io;
    last_slow_io_ = slow_io;
    point.path_bytes = MeasurePaths();
    point.debt = bench_db_->MeasureDebt();
    point.hotrap = ReadHotrapBytes(bench_db_->HotrapStats());
    point.hotspot_bytes = hotspot_bytes_;
    result_->timeline.push_back(point);
    fprintf(stderr,
            "run   [%4.0f s] %8.0f ops/s  fast hit rate %.3f  "
            "fast %.0f MB  promoted %.0f MB  hot set %.0f of %.0f MB  "
            "errors %llu\n",
            point.secs, point.operations_per_sec, point.fast_hit_rate,
            static_cast<double>(point.path_bytes.fast) / 1e6,
            static_cast<double>(point.hotrap.promoted_by_flush +
                                point.hotrap.promoted_by_compaction) /
                1e6,
            static_cast<double>(point.hotrap.hot_set) / 1e6,
            static_cast<double>(point.hotrap.hot_set_limit) / 1e6,
            static_cast<unsigned long long>(workload_->errors.count()));
  }

  BenchDb* const bench_db_;
  const uint64_t hotspot_bytes_;
  Workload* const workload_;
  const std::deque<Client>& clients_;
  RunResult* const result_;
  const Clock::time_point start_;
  Clock::time_point last_point_;
  ClientCounts last_counts_;
  const CpuSecs cpu_start_;
  const BackgroundBytes background_start_;
  const TierIo fast_io_start_;
  const TierIo slow_io_start_;
  double last_cpu_secs_;
  TierIo last_fast_io_;
  TierIo last_slow_io_;
  const CompactionByLevel compactions_start_;
};

uint64_t Figure(const std::map<std::string, std::string>& stats,
                const char* name) {
  const auto found = stats.find(name);
  return found == stats.end() ? 0
                              : strtoull(found->second.c_str(), nullptr, 10);
}

}  // namespace

HotrapBytes ReadHotrapBytes(const std::map<std::string, std::string>& stats) {
  HotrapBytes bytes;
  bytes.hot_set = Figure(stats, "ralt_hot_set_bytes");
  bytes.hot_set_limit = Figure(stats, "ralt_hot_set_limit_bytes");
  bytes.stable = Figure(stats, "ralt_stable_bytes");
  bytes.promoted_by_flush = Figure(stats, "promoted_bytes");
  bytes.promoted_by_compaction = Figure(stats, "compaction_promoted_bytes");
  bytes.retained = Figure(stats, "retained_bytes");
  return bytes;
}

void RunResult::Append(size_t phase, const RunResult& next) {
  if (secs == 0) {
    start_unix_secs = next.start_unix_secs;
  }
  for (TimelinePoint point : next.timeline) {
    point.secs += secs;
    point.phase = phase;
    timeline.push_back(point);
  }
  secs += next.secs;
  counts.Add(next.counts);
  for (size_t kind = 0; kind < kOperationCount; ++kind) {
    latencies[kind].Merge(next.latencies[kind]);
  }
  final_secs = next.final_secs;
  final_counts = next.final_counts;
  final_latencies = next.final_latencies;
  peak_path_bytes.fast =
      std::max(peak_path_bytes.fast, next.peak_path_bytes.fast);
  peak_path_bytes.slow =
      std::max(peak_path_bytes.slow, next.peak_path_bytes.slow);
  cpu.user += next.cpu.user;
  cpu.system += next.cpu.system;
  background.flush_written += next.background.flush_written;
  background.compaction_read += next.background.compaction_read;
  background.compaction_written += next.background.compaction_written;
  fast_io.Add(next.fast_io);
  slow_io.Add(next.slow_io);
  for (const auto& [level, more] : next.compactions) {
    LevelCompaction& here = compactions[level];
    here.read_from_above += more.read_from_above;
    here.read_from_level += more.read_from_level;
    here.written += more.written;
    here.moved += more.moved;
  }
}

void RunWorkload(BenchDb* bench_db, uint64_t hotspot_bytes, Workload* workload,
                 RunResult* result) {
  // A deque, because a Client neither moves nor copies.
  std::deque<Client> clients;
  for (int i = 0; i < workload->config->threads; ++i) {
    clients.emplace_back(workload, i);
  }
  Monitor monitor(bench_db, hotspot_bytes, workload, clients, result);
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
