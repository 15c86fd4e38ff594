//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Who shares what of one fast path: column families without a budget of their
// own share its target_size, by accesses of late (ShareBudget). What those with
// a budget have, and what one without HotRAP has on the path, is taken off
// that.
//
// Thread safety: every method requires the DB mutex, unless a comment says
// otherwise.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class TierState;

// A column family on the path in which HotRAP is active.
struct BudgetMember {
  TierState* state = nullptr;
  uint64_t budget_bytes = 0;     // of its own; 0 if it shares
  uint64_t min_share_bytes = 0;  // hotrap.min_fast_budget_bytes
  uint64_t most_memtable_bytes = 0;
  uint64_t total_bytes = 0;  // on all paths
  // What L0's compaction writes.
  uint64_t next_bytes = 0;
  // L0 has at least half of the files at which RocksDB slows writes.
  bool l0_presses = false;
  bool automatic = true;  // compactions

  // REQUIRES: HotRAP is active in it
  static BudgetMember Of(ColumnFamilyData* cfd);
};

class BudgetSharer {
 public:
  // What there is to share.
  struct Path {
    uint64_t target_size = 0;
    // What column families without HotRAP have there.
    uint64_t others_bytes = 0;
  };

  // Sets the members' shares, and what follows from them. Does nothing for
  // seconds after it has, unless other members share. Returns those that get
  // less than before.
  std::vector<TierState*> Share(const std::vector<BudgetMember>& members,
                                const Path& path, uint64_t now_micros);
  // Needs no mutex where the DB closes.
  void Forget(const TierState* state) { claimants_.erase(state); }

 private:
  struct Claimant {
    // Accesses so far, and those of late.
    uint64_t before = 0;
    double recent = 0;
    uint64_t min_share_bytes = 0;
  };

  // Returns whether others share than before, or ask for another least.
  bool Changed(const std::vector<BudgetMember>& sharers) const;
  static void Set(TierState* state, uint64_t share_bytes);

  // Those that share.
  std::map<const TierState*, Claimant> claimants_;
  uint64_t shared_micros_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
