//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Runs many seeds, each under many configurations, in several threads. Runs
// that differ from the model are shrunk and written to scripts.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/executor.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

struct CampaignOptions {
  uint64_t first_seed = 1;
  uint64_t seeds = 100;
  int operations = 200;
  int threads = 1;
  // Contains the folders of the DBs and the scripts of failing seeds.
  std::string folder;
  // 0: no limit.
  uint64_t limit_secs = 0;
  // Time to shrink each failing run.
  uint64_t shrink_secs = 120;
  // A run that takes longer is considered hung, and the process aborts. 0 means
  // no limit.
  uint64_t hang_secs = 300;
  // WhatIsMissing() needs at least this many seeds.
  uint64_t enough_seeds = 20;
  std::vector<const Configuration*> configurations;
};

struct ConfigurationResult {
  uint64_t runs = 0;
  uint64_t differences = 0;
  uint64_t micros = 0;
  Figures figures;
};

// Thread-safe, except for Run().
class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options);

  // Runs until all seeds are done or the time is up. Calls `progress` each
  // second with a line, and `report` with a description of each failing run.
  void Run(const std::function<void(const std::string&)>& progress,
           const std::function<void(const std::string&)>& report);

  // Runs a list of operations that was not generated, `times` times under each
  // configuration. The seed is used for the random choices of configurations.
  void RunScript(const std::vector<Operation>& operations, int times,
                 const std::function<void(const std::string&)>& report);

  uint64_t seeds_done() const { return seeds_done_; }
  double seconds() const;
  // Results by configuration name.
  std::map<std::string, ConfigurationResult> results() const;
  ConfigurationResult Total() const;

  // Returns why the campaign proves nothing: configurations that should promote
  // or retain did not, or others did. Empty if all is well.
  std::string WhatIsMissing() const;

 private:
  struct Worker {
    std::string folder;
    std::string record_name;  // file name of a RunRecord
    // Start of the current run; 0 if there is none. Protected by mutex_.
    uint64_t since_micros = 0;
  };
  Worker MakeWorker(int index) const;

  void Work(Worker* worker,
            const std::function<void(const std::string&)>& report);
  // Returns whether all answers were right.
  bool RunOne(const Configuration& configuration, uint64_t seed,
              const std::vector<Operation>& operations,
              const std::vector<std::string>& expected, Worker* worker,
              const std::function<void(const std::string&)>& report);
  std::string Headline(const Configuration& configuration, uint64_t seed,
                       const std::vector<Operation>& operations,
                       const Difference& difference) const;
  // Returns Headline(), how often the run fails, and the shrunk list.
  std::string Investigate(const Configuration& configuration, uint64_t seed,
                          const std::vector<Operation>& operations,
                          const Difference& difference,
                          const std::string& folder);
  bool TimeIsOver() const;
  std::string ProgressLine() const;
  void EndIfAnyHangs(const std::vector<Worker>& workers) const;

  const CampaignOptions options_;
  const uint64_t start_micros_;
  std::atomic<uint64_t> seeds_taken_{0};
  std::atomic<uint64_t> seeds_done_{0};
  mutable std::mutex mutex_;
  std::map<std::string, ConfigurationResult> results_;  // protected by mutex_
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
