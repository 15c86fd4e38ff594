//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which compactions within the tier are not picked now: those that would have
// to wait for room on the fast path. One that waits in its thread keeps the
// tables of the version that it was picked from, so of several each would keep
// what the one before it has replaced.
//
// While deletions are disabled, because a backup copies files, a compaction
// frees nothing. Then not even the only one is picked if the path holds more
// than its limit, as long as L0 does not press; its output may come on top of
// what fits.
//
// Nobody is held back for longer than a minute: what has the room may wait, on
// a listener's thread, for what is held back.
//
// Thread safety: every method requires the DB mutex.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/db/tier/budget_sharer.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class DBImpl;

class PickGate {
 public:
  static constexpr uint64_t kMostMicros = 60 * 1000 * 1000;

  PickGate(DBImpl* db, std::shared_ptr<FastLedger> ledger)
      : db_(db), ledger_(std::move(ledger)) {}

  // A compaction is about to be picked in the column family. Returns whether
  // none within the tier may be.
  bool HoldsBack(const BudgetMember& member, uint64_t now_micros);

  // Returns those of `members` that were held back and need be no longer.
  std::vector<ColumnFamilyData*> Release(
      const std::vector<BudgetMember>& members, uint64_t now_micros);
  // Whether any is held back.
  bool closed() const;

 private:
  struct Held {
    uint64_t since_micros = 0;
    // Its time is up: the next one is picked whatever else runs.
    bool passes = false;
  };

  // Whether one that is picked now would wait.
  bool WouldWait(const BudgetMember& member) const;

  DBImpl* const db_;
  const std::shared_ptr<FastLedger> ledger_;
  std::map<uint32_t, Held> held_;  // by column family
};

}  // namespace ROCKSDB_NAMESPACE
