//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The parts of a run that follow each other, each with its own workload.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// The names of the fields are those of --phases.
struct Phase {
  // For the result. Empty: made of the other fields.
  std::string name;
  // As WorkloadMix::FromName and KeyDistributionOptions want them.
  std::string mix;
  std::string distribution;
  double hotspot_fraction = 0;
  double hotspot_ops = 0;
  // Where the hotspot begins, as a part of all keys in [0, 1).
  double hotspot_start = 0;
  double zipf_theta = 0;
  // The phase ends after this time or these operations, whichever comes first.
  // 0: no limit.
  uint64_t secs = 0;
  uint64_t ops = 0;
  // Column family options that change live at its beginning, as SetOptions
  // takes them: {hotrap={enabled=true}}.
  std::string options;

  // "hotspot 5 % at 50 %", "uniform".
  std::string DefaultName() const;
};

// Phases in the format of RocksDB's option strings:
//   {distribution=uniform;secs=60}:{hotspot_fraction=0.01;secs=120}
// A field that is not given is that of `defaults`; of secs and ops only if
// neither is given. InvalidArgument says what is wrong.
Status ParsePhases(const std::string& text, const Phase& defaults,
                   std::vector<Phase>* phases);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
