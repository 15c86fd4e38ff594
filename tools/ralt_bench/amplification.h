//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

struct AmplificationConfig {
  std::string path;
  // Accesses that are measured, after twice as many that fill RALT, as a
  // multiple of the records that fit the fast tier.
  uint64_t accesses_per_fast_record = 3;
};

// RALT's write and read amplification and its I/O an access in its steady
// state (paper section 3.2, "Memory usage and I/O cost"): hotspot-5 % and
// uniform accesses at a pace that the background work keeps up with, for a
// small fast tier and one of the paper's size.
Status MeasureAmplification(const AmplificationConfig& config,
                            nlohmann::json* result);

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
