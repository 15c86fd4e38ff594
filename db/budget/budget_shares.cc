//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/budget_shares.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE {

std::vector<uint64_t> ShareBudget(uint64_t total_bytes,
                                  const std::vector<BudgetClaim>& claims) {
  std::vector<uint64_t> shares;
  double least = 0;
  for (const BudgetClaim& claim : claims) {
    shares.push_back(claim.least_bytes);
    least += static_cast<double>(claim.least_bytes);
  }
  const auto total = static_cast<double>(total_bytes);
  if (least > 0 && least >= total) {
    for (uint64_t& share : shares) {
      share = static_cast<uint64_t>(static_cast<double>(share) * total / least);
    }
    return shares;
  }
  double rest = total - least;
  // Those that can use more. In each round one of them is full, or all is
  // given.
  std::vector<size_t> open;
  for (size_t i = 0; i < claims.size(); i++) {
    if (claims[i].most_bytes > shares[i]) {
      open.push_back(i);
    }
  }
  // Who was never used gets a little.
  double used = 0;
  for (const BudgetClaim& claim : claims) {
    used = std::max(used, claim.use);
  }
  const auto weight = [&](size_t i) {
    return std::max(claims[i].use, used > 0 ? used / 64 : 1.0);
  };
  const auto give = [&](const std::vector<size_t>& to, bool capped) {
    double weights = 0;
    for (const size_t i : to) {
      weights += weight(i);
    }
    const double now = rest;
    std::vector<size_t> left;
    bool any_full = false;
    for (const size_t i : to) {
      const double part = now * weight(i) / weights;
      const auto room = static_cast<double>(claims[i].most_bytes - shares[i]);
      any_full |= capped && part >= room;
    }
    for (const size_t i : to) {
      const double part = now * weight(i) / weights;
      const auto room =
          capped ? static_cast<double>(claims[i].most_bytes - shares[i]) : 0;
      const bool full = capped && part >= room;
      if (any_full && !full) {
        left.push_back(i);
        continue;
      }
      const double given = full ? room : part;
      shares[i] += static_cast<uint64_t>(given);
      rest -= given;
    }
    return left;
  };
  while (!open.empty() && rest >= 1) {
    open = give(open, /*capped=*/true);
  }
  if (rest >= 1 && !claims.empty()) {
    std::vector<size_t> all;
    for (size_t i = 0; i < claims.size(); i++) {
      all.push_back(i);
    }
    give(all, /*capped=*/false);
  }
  return shares;
}

}  // namespace ROCKSDB_NAMESPACE
