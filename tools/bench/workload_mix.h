//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Operation mixes by name: the paper's RO, RW, WH, UH and YCSB's A to F.

#pragma once

#include <array>
#include <random>
#include <string>

#include "plugin/hotrap/tools/bench/operation.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Constant after construction; safe to share between threads.
class WorkloadMix {
 public:
  // | name | reads | inserts | updates | scans | rmw  | keys    |
  // | RO   | 100 % |         |         |       |      | hotspot |
  // | RW   |  75 % |    25 % |         |       |      | hotspot |
  // | WH   |  50 % |    50 % |         |       |      | hotspot |
  // | UH   |  50 % |         |    50 % |       |      | hotspot |
  // | A    |  50 % |         |    50 % |       |      | zipf    |
  // | B    |  95 % |         |     5 % |       |      | zipf    |
  // | C    | 100 % |         |         |       |      | zipf    |
  // | D    |  95 % |     5 % |         |       |      | latest  |
  // | E    |       |     5 % |         |  95 % |      | zipf    |
  // | F    |  50 % |         |         |       | 50 % | zipf    |
  static Status FromName(const std::string& name, WorkloadMix* result);

  Operation Draw(std::mt19937_64* rng) const;

  // The share of an operation; all add up to 1.
  double share(Operation operation) const {
    return shares_[static_cast<size_t>(operation)];
  }

  // The distribution that belongs to the mix, unless another one is requested.
  const std::string& default_distribution() const {
    return default_distribution_;
  }

 private:
  std::array<double, kOperationCount> shares_ = {};
  std::string default_distribution_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
