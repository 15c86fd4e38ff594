//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plugin/hotrap/ralt/ralt.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

constexpr size_t kKeyBytes = 24;

// Accesses between two waits for the background job. It has much less time in
// the simulators' loops than in a store; if it lagged, accesses would stay in
// the buffers longer than the options say.
constexpr uint64_t kAccessesBetweenWaits = 250;

// Writes the key of a record into `key` (kKeyBytes): 20 digits that scatter
// neighbouring numbers over the key space, and a prefix.
void MakeKey(uint64_t number, char* key);

// Hotspot accesses: a fraction `hot_share` goes to `hot_keys` records from
// `first` on, the rest evenly to all `keys` records.
struct Hotspot {
  uint64_t keys = 0;
  uint64_t first = 0;
  uint64_t hot_keys = 0;
  double hot_share = 0.95;

  uint64_t Draw(Random64* random) const;
};

// Options of a Ralt in a fresh folder below `path`.
Status OpenFresh(const RaltOptions& options, const std::string& path,
                 std::unique_ptr<Ralt>* ralt);

// CPU time of the calling thread and of the process, in nanoseconds.
uint64_t ThreadCpuNanos();
uint64_t ProcessCpuNanos();

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
