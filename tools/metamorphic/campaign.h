//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Many seeds, each under many configurations, in some threads. What differs
// from the model is shrunk and written to a script.

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
  // The DBs are in folders inside it, scripts of failing seeds in it.
  std::string folder;
  // 0: no limit.
  uint64_t limit_secs = 0;
  // For each failing run that is investigated.
  uint64_t shrink_secs = 120;
  // A run that takes longer hangs: the process aborts. 0: no limit.
  uint64_t hang_secs = 300;
  // From so many seeds on, WhatIsMissing() has something to say.
  uint64_t enough_seeds = 20;
  std::vector<const Configuration*> configurations;
};

struct ConfigurationResult {
  uint64_t runs = 0;
  uint64_t differences = 0;
  uint64_t micros = 0;
  Figures figures;
};

// Thread safe but for Run().
class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options);

  // Until all seeds are done or the time is over. `progress` is called each
  // second with a line, `report` with the story of each failing run.
  void Run(const std::function<void(const std::string&)>& progress,
           const std::function<void(const std::string&)>& report);

  // A list that was not made of a seed; the seed is what configurations draw
  // by lot from. Under all configurations, `times` times.
  void RunScript(const std::vector<Operation>& operations, int times,
                 const std::function<void(const std::string&)>& report);

  uint64_t seeds_done() const { return seeds_done_; }
  double seconds() const;
  // By the configuration's name.
  std::map<std::string, ConfigurationResult> results() const;
  ConfigurationResult Total() const;

  // Empty, or why the campaign shows nothing: configurations that ought to
  // promote or retain did not, or that ought not to did.
  std::string WhatIsMissing() const;

 private:
  struct Worker {
    std::string folder;
    std::string record_name;  // of a RunRecord
    // Since when it is at a run; 0: at none. Protected by mutex_.
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
  // Headline(), how often it fails, and what is left of the list.
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
