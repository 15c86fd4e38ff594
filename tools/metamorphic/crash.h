//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Handles lists that end the process by an assert or a signal, or that never
// end. Everything that might do so runs in a child process. The parent, which
// has one thread and no DB, finds out which run it was and shrinks its list,
// with each trial in a child process, too.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "plugin/hotrap/tools/metamorphic/executor.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// What a worker is running, in a file that survives the process.
struct RunRecord {
  uint64_t seed = 0;
  std::string configuration;

  static std::string FileName(const std::string& folder, int worker) {
    return folder + "/worker" + std::to_string(worker) + ".run";
  }
  void Save(const std::string& file_name) const;
  // Returns false if there is no record.
  bool Load(const std::string& file_name);
};

// Runs `body` in a child process. Returns its result, or `crashed` if it had
// none.
int RunInChild(const std::function<int()>& body, int crashed);

// For each worker that left a record of its run, finds out whether it fails
// again, and shrinks its list. Returns a description for human readers.
// REQUIRES: the process has one thread.
std::string InvestigateCrash(const std::string& folder, int workers,
                             const std::vector<Operation>* script,
                             int operations, uint64_t shrink_secs);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
