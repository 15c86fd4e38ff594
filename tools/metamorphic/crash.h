//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Lists that end the process, by an assert or a signal, or never end. All that
// may is run in a child; the parent, which has one thread and no DB, finds out
// which run it was and shortens its list, each trial a child as well.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "plugin/hotrap/tools/metamorphic/executor.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// What a worker is at, in a file that is there if the process isn't any more.
struct RunRecord {
  uint64_t seed = 0;
  std::string configuration;

  static std::string FileName(const std::string& folder, int worker) {
    return folder + "/worker" + std::to_string(worker) + ".run";
  }
  void Save(const std::string& file_name) const;
  // False: there is none.
  bool Load(const std::string& file_name);
};

// The body's result from a child, or `crashed` if it has none.
int RunInChild(const std::function<int()>& body, int crashed);

// For each worker that has left a record of its run: whether this fails again,
// and what is left of its list. The story, for people.
// REQUIRES: one thread
std::string InvestigateCrash(const std::string& folder, int workers,
                             const std::vector<Operation>* script,
                             int operations, uint64_t shrink_secs);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
