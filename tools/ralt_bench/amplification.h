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
  // Number of measured accesses, as a multiple of the records that fit on the
  // fast tier. Twice as many accesses before them fill RALT.
  uint64_t accesses_per_fast_record = 3;
};

// Measures RALT's write and read amplification and its I/O per access in the
// steady state (paper section 3.2, "Memory usage and I/O cost"). Accesses are
// hotspot-5 % and uniform, at a pace that background work keeps up with, for a
// small fast tier and one of the paper's size.
Status MeasureAmplification(const AmplificationConfig& config,
                            nlohmann::json* result);

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
