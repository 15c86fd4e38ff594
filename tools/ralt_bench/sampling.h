//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <nlohmann/json.hpp>

#include "plugin/hotrap/tools/ralt_bench/dynamics.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

// Measures what sampling costs in accuracy. The same accesses run with every
// hit of an LRU cache recorded, and with one in 4 and one in 16 hits recorded
// with that weight (HotRapOptions::cached_hit_sampling). Misses are always
// recorded.
Status CompareSampling(const DynamicsConfig& config, nlohmann::json* result);

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
