//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

struct DynamicsConfig {
  std::string path;
  // Records of the simulated store; the fast budget is a tenth of their size.
  uint64_t keys = 1000000;
  uint64_t record_bytes = 1000;
  uint64_t accesses_per_stage = 2000000;
  // Rows of the time series per stage.
  uint64_t samples_per_stage = 20;
  // SimulateStages: RaltOptions::unstable_fraction.
  double unstable_fraction = 0.05;
};

// Runs the paper's dynamic workload (section 4.6, Figure 15): uniform, then
// hotspots that grow, shift and shrink. An access to a currently hot key counts
// as a hit, as if promotion took no time.
Status SimulateStages(const DynamicsConfig& config, nlohmann::json* result);

// Repeats the paper's comparison of scoring methods (section 4.7): LRU, CLOCK,
// and exponential smoothing by the real Ralt, with a limit of 1.1 hotspots.
Status CompareScoring(const DynamicsConfig& config, nlohmann::json* result);

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
