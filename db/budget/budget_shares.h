//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How column families share the budget of one fast path: a pure function.
//
// Each gets the least that it can work with; the rest goes in proportion to
// use, but nobody gets more than there is to put on it, as long as others can
// use it.

#pragma once

#include <cstdint>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct BudgetClaim {
  uint64_t least_bytes = 0;
  // Beyond that, nothing would be gained.
  uint64_t most_bytes = 0;
  // How much it is used, in any unit.
  double use = 0;
};

// Returns the claim of a column family: the least is `min_bytes` if that is not
// 0, else twice what L0 and L1 are (`upper_bytes`), which is these, and the
// compaction of the two. More than its data (`total_bytes`) beside that would
// gain nothing.
inline BudgetClaim ClaimOf(uint64_t min_bytes, uint64_t upper_bytes,
                           uint64_t total_bytes, double use) {
  BudgetClaim claim;
  claim.least_bytes = min_bytes > 0 ? min_bytes : 2 * upper_bytes;
  claim.most_bytes = claim.least_bytes + total_bytes;
  claim.use = use;
  return claim;
}

// Returns the shares in the order of the claims. Their sum is `total_bytes`,
// but for rounding; if the least is more, each gets that part of its least.
std::vector<uint64_t> ShareBudget(uint64_t total_bytes,
                                  const std::vector<BudgetClaim>& claims);

}  // namespace ROCKSDB_NAMESPACE
