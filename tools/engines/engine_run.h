//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What both engine programs have in common: flags, folders, threads, progress.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "plugin/hotrap/tools/engines/tier_report.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// The common flags.
struct RunConfig {
  std::string folder;
  uint64_t secs = 0;
  uint64_t seed = 0;
  int threads = 0;
  std::string json;
  // Appended to the options in hotrap={...} of each column family.
  std::string hotrap;
  // Both paths are given by db_paths, not by slow_root.
  bool db_paths = false;
  bool sync = true;
  bool sabotage = false;

  std::string fast_path() const { return folder + "/fast"; }
  std::string slow_path() const { return folder + "/slow"; }
  std::string model_path() const { return folder + "/model"; }
  // What DBOptions::db_paths is to be.
  std::vector<DbPath> DbPaths(const std::string& db) const;
};

// Parses the command line and creates the folders.
RunConfig ParseCommandLine(int argc, char** argv, const std::string& usage);

// "hotrap={enabled=true;slow_root=...;fast_budget_bytes=...;...}". An engine
// appends it to the string of a column family's options. Empty if the budget is
// 0: such a column family is small, and stays on the fast disk.
std::string HotRapString(const RunConfig& config, bool enabled,
                         uint64_t fast_budget_bytes);

// Threads that run until they are stopped.
class Workers {
 public:
  ~Workers() { Stop(); }
  // `body` is to return soon after `stop` has become true.
  void Start(const std::function<void(const std::atomic<bool>& stop)>& body);
  void Stop();

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

// Sleeps, but not past the stop.
void SleepUnless(const std::atomic<bool>& stop, uint64_t millis);

// Calls `read_figures`, prints the progress and writes the JSON file every five
// seconds.
class Progress {
 public:
  Progress(const RunConfig& config, TierReport* report,
           std::function<void()> read_figures);
  ~Progress() { Stop(); }
  // Reads no figures until it is resumed; the DB may be closed then.
  void Pause();
  void Resume();
  void Stop();
  double secs() const;

 private:
  void Run();

  const RunConfig config_;
  TierReport* const report_;
  const std::function<void()> read_figures_;
  const std::chrono::steady_clock::time_point start_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Protected by mutex_.
  bool stopped_ = false;
  bool paused_ = true;
  std::thread thread_;
};

// An Env::NowMicros() in seconds, for TTLs: it goes on across restarts.
uint64_t NowSecs();

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
