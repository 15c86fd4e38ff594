//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access/access_clock.h"
#include "plugin/hotrap/ralt/access/access_record.h"
#include "plugin/hotrap/ralt/run/run_env.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The limits and thresholds in force.
struct RaltLimits {
  uint64_t hot_set_bytes = 0;
  // Cap on the bytes of runs, with each key counted once: a part of the
  // physical limit (RaltOptions::RecordShare).
  uint64_t physical_bytes = 0;
  // Records of a lower rank are not hot.
  Rank hot_threshold = Rank::LowestStable();
  // As found by the last eviction.
  uint64_t stable_bytes = 0;
};

// The state that RALT recovers after a restart. Written as a whole and replaced
// atomically.
struct Manifest {
  struct Run {
    uint32_t level = 0;
    uint64_t number = 0;
    uint64_t file_bytes = 0;
    uint64_t tail_bytes = 0;
    std::string begin;
  };

  std::string db_id;
  uint32_t cf_id = 0;
  std::string cf_name;
  uint64_t next_file_number = 1;
  AccessClock::State clock;
  RaltLimits limits;
  // In the order of the version: by level, then newest first in level 0 and
  // smallest first in deeper levels.
  std::vector<Run> runs;

  void EncodeTo(std::string* dst) const;
  // Returns Corruption if the input is damaged, NotSupported if its format is
  // newer. `file` is used in messages.
  Status DecodeFrom(const Slice& input, const std::string& file);

  // Replaces the manifest in env.path: writes a temporary file, syncs and
  // renames it, and syncs the folder, which also makes new run files durable.
  // After a failure, *in_doubt tells whether the new manifest may be in place
  // nevertheless. *file_bytes receives its size.
  Status Save(const RunEnv& env, bool* in_doubt, uint64_t* file_bytes) const;
  // Returns NotFound if there is no manifest.
  Status Load(const RunEnv& env);
};

}  // namespace ROCKSDB_NAMESPACE::ralt
