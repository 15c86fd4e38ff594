//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What happens to a DB besides its clients' reads and writes, one action at a
// time, at random: flushes, manual compactions, HotRAP switched off and on,
// another fast budget, and what an engine adds.
//
// Not thread-safe: for one thread. The DB may be used by others meanwhile.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

class Maintenance {
 public:
  struct Family {
    ColumnFamilyHandle* handle;
    // 0: HotRAP is never on.
    uint64_t fast_budget_bytes;
  };

  Maintenance(DB* db, std::vector<Family> families, uint64_t seed)
      : db_(db), families_(std::move(families)), rng_(seed) {}

  // Draws a key range that a manual compaction is to cover.
  void SetRange(
      std::function<std::pair<std::string, std::string>(int family)> range) {
    range_ = std::move(range);
  }
  void AddAction(std::function<void()> action) {
    actions_.push_back(std::move(action));
  }

  // Until it is stopped. `switch_hotrap`: HotRAP is on, and may be switched.
  // Leaves it on, with the whole budget.
  void Run(const std::atomic<bool>& stop, bool switch_hotrap,
           uint64_t pause_millis);

 private:
  void Flush();
  void Compact();
  void Switch(const std::atomic<bool>& stop, uint64_t pause_millis);
  void ChangeBudget(const std::atomic<bool>& stop, uint64_t pause_millis);
  void Set(const std::string& options_of_family, int family);
  int DrawHotFamily();

  DB* const db_;
  const std::vector<Family> families_;
  std::mt19937_64 rng_;
  std::function<std::pair<std::string, std::string>(int family)> range_;
  std::vector<std::function<void()>> actions_;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
