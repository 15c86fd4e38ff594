//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The configuration of hotrap_bench. docs/hotrap_bench.md explains every flag.

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

struct BenchConfig {
  // Tiers.
  std::string fast_path;
  std::string slow_path;
  uint64_t fast_bytes = 0;
  // What throttles the slow path: "kernel" or "none" as given by --slow_disk,
  // or "wrapper" with --throttle.
  std::string slow_disk;
  std::string throttle;

  // Data.
  uint64_t records = 0;
  uint64_t max_inserts = 0;
  size_t key_bytes = 0;
  size_t value_bytes = 0;
  bool existing_db = false;

  // Workload.
  bool run = true;
  std::string mix;
  std::string distribution;
  double hotspot_fraction = 0;
  double hotspot_ops = 0;
  double hotspot_start = 0;
  double zipf_theta = 0;
  uint32_t max_scan_keys = 0;
  uint32_t multiget = 0;
  int threads = 0;
  uint64_t run_secs = 0;
  uint64_t run_ops = 0;
  uint64_t ops_per_sec = 0;
  // In the format of ParsePhases. If empty, there is one phase, made of the
  // fields above.
  std::string phases;
  uint64_t seed = 0;

  // Trace replay instead of the mix.
  std::string trace;
  std::string trace_format;
  uint32_t trace_value_divisor = 0;
  uint64_t trace_requests = 0;
  std::string twitter_table;
  std::string twitter_cluster;
  uint64_t twitter_loaded_keys = 0;
  uint64_t twitter_copies = 0;
  uint64_t trace_seed = 0;
  std::string write_trace;

  // Checking.
  bool verify = false;
  bool verify_snapshots = false;
  uint64_t compact_range_secs = 0;

  // Engine.
  std::string options;
  std::string db_options;
  size_t block_bytes = 0;
  bool block_align = false;
  double bloom_bits_per_key = 0;
  uint64_t block_cache_bytes = 0;
  uint64_t row_cache_bytes = 0;
  uint64_t persistent_cache_bytes = 0;
  uint64_t write_buffer_bytes = 0;
  int max_background_jobs = 0;
  uint32_t max_subcompactions = 1;
  bool direct_io = true;
  bool wal = true;

  // Output.
  std::string json;
  // The oracle is left out for more keys than this.
  uint64_t oracle_max_keys = 0;
  // Nothing is opened, loaded or run.
  bool oracle_only = false;

  bool replays_trace() const {
    return !trace.empty() || !twitter_cluster.empty();
  }

  // Reads the flags (after gflags::ParseCommandLineFlags) and checks them.
  static Status FromFlags(BenchConfig* config);
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
