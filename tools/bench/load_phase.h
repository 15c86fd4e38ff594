//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Fills the DB before the run.

#pragma once

#include <cstdint>
#include <functional>

#include "plugin/hotrap/tools/bench/bench_config.h"
#include "plugin/hotrap/tools/bench/bench_db.h"
#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/verifier.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

struct LoadResult {
  uint64_t records = 0;
  double write_secs = 0;
  // Time for flushes and compactions after the last record was written.
  double settle_secs = 0;
};

// Returns the size of the value to load for a key id; 0 to skip the key.
using ValueBytesFunction = std::function<uint64_t(uint64_t id)>;

// Writes the keys [0, id_limit) with all threads, without a write-ahead log,
// and waits until the DB has settled. `verifier` may be null.
Status LoadDb(const BenchConfig& config, const KeySpace& key_space,
              uint64_t id_limit, const ValueBytesFunction& value_bytes_of,
              Verifier* verifier, BenchDb* bench_db, LoadResult* result);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
