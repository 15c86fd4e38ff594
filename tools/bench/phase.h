//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The phases of a run, each with its own workload.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// The names of the fields are those of --phases.
struct Phase {
  // The name in the result. If empty, it is made from the other fields.
  std::string name;
  // For WorkloadMix::FromName and KeyDistributionOptions.
  std::string mix;
  std::string distribution;
  double hotspot_fraction = 0;
  double hotspot_ops = 0;
  // Where the hotspot begins, as a fraction of all keys in [0, 1).
  double hotspot_start = 0;
  double zipf_theta = 0;
  // The phase ends after this time or number of operations, whichever comes
  // first. 0 means no limit.
  uint64_t secs = 0;
  uint64_t ops = 0;
  // Column family options to change at the beginning of the phase, in the
  // format of SetOptions: {hotrap={enabled=true}}.
  std::string options;

  // For example "hotspot 5 % at 50 %" or "uniform".
  std::string DefaultName() const;
};

// Phases in the format of RocksDB's option strings:
//   {distribution=uniform;secs=60}:{hotspot_fraction=0.01;secs=120}
// Missing fields are taken from `defaults`; secs and ops only if both are
// missing. Returns InvalidArgument with the reason if the text is invalid.
Status ParsePhases(const std::string& text, const Phase& defaults,
                   std::vector<Phase>* phases);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
