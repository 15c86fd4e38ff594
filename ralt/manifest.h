//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access_clock.h"
#include "plugin/hotrap/ralt/access_record.h"
#include "plugin/hotrap/ralt/run_env.h"

namespace ROCKSDB_NAMESPACE::ralt {

// What is in force besides the records.
struct RaltLimits {
  uint64_t hot_set_bytes = 0;
  // Of runs without second records of their keys: a part of the physical limit
  // (RaltOptions::RecordShare).
  uint64_t physical_bytes = 0;
  // Records of a lower rank are not hot.
  Rank hot_threshold = Rank::LowestStable();
  // As the last eviction found it.
  uint64_t stable_bytes = 0;
};

// What RALT knows after a restart. Written whole, replaced atomically.
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
  // In the order of the version: level by level, newest or smallest first.
  std::vector<Run> runs;

  void EncodeTo(std::string* dst) const;
  // Corruption: damaged. NotSupported: a newer format. `file` is for messages.
  Status DecodeFrom(const Slice& input, const std::string& file);

  // Replaces the manifest in env.path: written to a side file, synced,
  // renamed, folder synced (which also makes new run files durable). After a
  // failure `in_doubt` tells whether it may be there nevertheless.
  // *file_bytes: its size.
  Status Save(const RunEnv& env, bool* in_doubt, uint64_t* file_bytes) const;
  // NotFound: there is none.
  Status Load(const RunEnv& env);
};

}  // namespace ROCKSDB_NAMESPACE::ralt
