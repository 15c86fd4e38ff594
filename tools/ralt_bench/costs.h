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
  // Accesses of the insert figures.
  uint64_t accesses = 8000000;
  // Tracked keys of the lookup, memory and range figures; half of them hot.
  uint64_t tracked_keys = 10000000;
  uint64_t lookups = 2000000;
  uint64_t ranges = 1000;
};

// CPU of the callers and of everything, amplification, under a hotspot of 5 %
// of the records with 95 % of the accesses.
Status MeasureInserts(const CostsConfig& config, nlohmann::json* result);

// is-hot time and error rates, memory, hot bytes in ranges.
Status MeasureLookups(const CostsConfig& config, nlohmann::json* result);

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
