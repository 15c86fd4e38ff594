//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

struct CostsConfig {
  std::string path;
  uint32_t threads = 16;
  // Number of accesses for the insert measurements.
  uint64_t accesses = 8000000;
  // Tracked keys for the lookup, memory and range measurements; half are hot.
  uint64_t tracked_keys = 10000000;
  uint64_t lookups = 2000000;
  uint64_t ranges = 1000;
};

// Measures the CPU time of callers and in total, and amplification, with a
// hotspot of 5 % of the records that gets 95 % of the accesses.
Status MeasureInserts(const CostsConfig& config, nlohmann::json* result);

// Measures time and error rates of IsHot(), memory, and hot bytes in ranges.
Status MeasureLookups(const CostsConfig& config, nlohmann::json* result);

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
