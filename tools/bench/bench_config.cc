//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/bench_config.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <cstddef>

#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/value_codec.h"

DEFINE_string(fast_path, "", "directory of the fast tier (and of the DB)");
DEFINE_string(slow_path, "", "directory of the slow tier");
DEFINE_uint64(fast_bytes, 0, "fast budget: bytes of data on the fast tier");
DEFINE_string(slow_disk, gflags::StringFromEnv("HOTRAP_SLOW_DISK", "none"),
              "how slow_path is slowed down from outside: kernel or none; "
              "goes to the result (slow_disk.sh exec sets it)");
DEFINE_string(throttle, "",
              "slow slow_path down inside the process: gp3 or hdd");

DEFINE_uint64(records, 1000000, "records to load");
DEFINE_uint64(max_inserts, 16 << 20, "room for inserted keys with --verify");
DEFINE_uint64(key_bytes, 24, "bytes of a key, at least 16");
DEFINE_uint64(value_bytes, 1000, "bytes of a value, at least 24");
DEFINE_bool(existing_db, false, "run on the DB that is there; load nothing");

DEFINE_bool(run, true, "run the workload after the load");
DEFINE_string(mix, "RO", "RO, RW, WH, UH, or YCSB's A, B, C, D, E, F");
DEFINE_string(distribution, "",
              "hotspot, zipf, uniform or latest; empty: the mix's own");
DEFINE_double(hotspot_fraction, 0.05, "share of the keys that is hot");
DEFINE_double(hotspot_ops, 0.95, "share of the operations on hot keys");
DEFINE_double(hotspot_start, 0,
              "where the hotspot begins, as a part of all keys");
DEFINE_double(zipf_theta, 0.99, "exponent of zipf and latest");
DEFINE_uint32(max_scan_keys, 100, "scans read 1 to this many keys");
DEFINE_uint32(multiget, 1, "keys a read asks for; above 1 uses MultiGet");
DEFINE_int32(threads, 16, "client threads");
DEFINE_uint64(run_secs, 60, "end after this time; 0: no limit");
DEFINE_uint64(run_ops, 0, "end after this many operations; 0: no limit");
DEFINE_uint64(ops_per_sec, 0,
              "operations of all threads together; 0: no limit");
DEFINE_string(phases, "",
              "workloads one after the other, e.g. "
              "{distribution=uniform;secs=60}:{hotspot_fraction=0.01;secs=60}");
DEFINE_uint64(seed, 1, "of all random choices");

DEFINE_string(trace, "", "replay this file in place of a mix");
DEFINE_string(trace_format, "cloudphysics", "cloudphysics or twitter");
DEFINE_uint32(trace_value_divisor, 1, "divide the trace's value sizes by this");
DEFINE_uint64(trace_requests, 0,
              "replay (or generate) this many requests; 0: all of the trace");
DEFINE_string(twitter_table, "", "table of the Twitter clusters' statistics");
DEFINE_string(twitter_cluster, "",
              "generate and replay a trace like this cluster's");
DEFINE_uint64(twitter_loaded_keys, 0,
              "with --twitter_cluster: keys that are there before the trace");
DEFINE_uint64(twitter_copies, 1,
              "with --twitter_cluster: each request is repeated for so many "
              "copies of its key");
DEFINE_uint64(
    trace_seed, 1,
    "with --twitter_cluster, in place of --seed: the load and the run "
    "must generate the same trace");
DEFINE_string(write_trace, "",
              "also write the trace to this file, in the Twitter format");

DEFINE_bool(verify, false, "check every read; an error fails the run");
DEFINE_bool(verify_snapshots, false,
            "with --verify: read through snapshots twice and compare");

DEFINE_uint64(compact_range_secs, 0,
              "CompactRange over a random range each so many seconds; 0: none");

DEFINE_string(options, "",
              "column family options, e.g. \"hotrap={enabled=true}\"");
DEFINE_string(db_options, "", "DB options");
DEFINE_uint64(block_bytes, 16 << 10, "bytes of a data block");
DEFINE_bool(block_align, true,
            "with direct_io: data blocks begin with a page, so that a read "
            "touches no page more than it must; not with compression");
DEFINE_double(bloom_bits_per_key, 10, "0: no Bloom filters");
DEFINE_uint64(block_cache_bytes, 128 << 20, "bytes of the block cache");
DEFINE_uint64(row_cache_bytes, 0, "bytes of the row cache; 0: none");
DEFINE_uint64(persistent_cache_bytes, 0,
              "bytes of upstream's PersistentCache, in fast_path; 0: none");
DEFINE_uint64(write_buffer_bytes, 0, "0: fit to the level targets");
DEFINE_int32(max_background_jobs, 8, "compaction and flush threads");
DEFINE_uint32(max_subcompactions, 1, "threads of one compaction");
DEFINE_bool(direct_io, true, "direct reads, flushes and compactions");
DEFINE_bool(wal, true, "write-ahead log in the run (the load has none)");

DEFINE_string(json, "", "write the result to this file");
DEFINE_uint64(oracle_max_keys, 100000000,
              "after the run, compute the hit rate of the best placement, "
              "unless there are more keys; takes up to 100 bytes of memory a "
              "key; 0: never");
DEFINE_bool(oracle_only, false,
            "only compute that, for the given workload, fast_bytes and caches; "
            "needs no paths, loads and runs nothing");

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

Status Check(const BenchConfig& c) {
  if (c.fast_bytes == 0 ||
      (!c.oracle_only && (c.fast_path.empty() || c.slow_path.empty()))) {
    return Status::InvalidArgument(
        "--fast_path, --slow_path and --fast_bytes are needed");
  }
  if (c.key_bytes < SyntheticKeySpace::kMinKeyBytes ||
      c.value_bytes < kMinValueBytes) {
    return Status::InvalidArgument("key_bytes or value_bytes is too small");
  }
  if (c.records == 0 || c.threads < 1 || c.multiget < 1 ||
      c.max_scan_keys < 1 || c.trace_value_divisor < 1) {
    return Status::InvalidArgument(
        "records, threads, multiget, max_scan_keys and trace_value_divisor "
        "must be above 0");
  }
  if (c.slow_disk != "kernel" && c.slow_disk != "none") {
    return Status::InvalidArgument("--slow_disk is kernel or none");
  }
  if (!c.throttle.empty() && c.slow_disk == "kernel") {
    return Status::InvalidArgument(
        "the kernel throttles already: no --throttle");
  }
  if (c.run && c.run_secs == 0 && c.run_ops == 0 && !c.replays_trace()) {
    return Status::InvalidArgument(
        "--run_secs or --run_ops must limit the run");
  }
  if (c.replays_trace() && !c.phases.empty()) {
    return Status::InvalidArgument("a trace has no --phases");
  }
  if (!c.trace.empty() && !c.twitter_cluster.empty()) {
    return Status::InvalidArgument("--trace or --twitter_cluster, not both");
  }
  if (!c.twitter_cluster.empty() &&
      (c.twitter_table.empty() || c.trace_requests == 0)) {
    return Status::InvalidArgument(
        "--twitter_cluster needs --twitter_table and --trace_requests");
  }
  return Status::OK();
}

}  // namespace

Status BenchConfig::FromFlags(BenchConfig* config) {
  BenchConfig c;
  c.fast_path = FLAGS_fast_path;
  c.slow_path = FLAGS_slow_path;
  c.fast_bytes = FLAGS_fast_bytes;
  c.slow_disk = FLAGS_slow_disk;
  c.throttle = FLAGS_throttle;
  c.records = FLAGS_records;
  c.max_inserts = FLAGS_max_inserts;
  c.key_bytes = FLAGS_key_bytes;
  c.value_bytes = FLAGS_value_bytes;
  c.existing_db = FLAGS_existing_db;
  c.run = FLAGS_run;
  c.mix = FLAGS_mix;
  c.distribution = FLAGS_distribution;
  c.hotspot_fraction = FLAGS_hotspot_fraction;
  c.hotspot_ops = FLAGS_hotspot_ops;
  c.hotspot_start = FLAGS_hotspot_start;
  c.zipf_theta = FLAGS_zipf_theta;
  c.max_scan_keys = FLAGS_max_scan_keys;
  c.multiget = FLAGS_multiget;
  c.threads = FLAGS_threads;
  c.run_secs = FLAGS_run_secs;
  c.run_ops = FLAGS_run_ops;
  c.ops_per_sec = FLAGS_ops_per_sec;
  c.phases = FLAGS_phases;
  c.seed = FLAGS_seed;
  c.trace = FLAGS_trace;
  c.trace_format = FLAGS_trace_format;
  c.trace_value_divisor = FLAGS_trace_value_divisor;
  c.trace_requests = FLAGS_trace_requests;
  c.twitter_table = FLAGS_twitter_table;
  c.twitter_cluster = FLAGS_twitter_cluster;
  c.twitter_loaded_keys = FLAGS_twitter_loaded_keys;
  c.twitter_copies = FLAGS_twitter_copies;
  c.trace_seed = FLAGS_trace_seed;
  c.write_trace = FLAGS_write_trace;
  c.verify = FLAGS_verify;
  c.verify_snapshots = FLAGS_verify_snapshots;
  c.compact_range_secs = FLAGS_compact_range_secs;
  c.options = FLAGS_options;
  c.db_options = FLAGS_db_options;
  c.block_bytes = FLAGS_block_bytes;
  c.block_align = FLAGS_block_align;
  c.bloom_bits_per_key = FLAGS_bloom_bits_per_key;
  c.block_cache_bytes = FLAGS_block_cache_bytes;
  c.row_cache_bytes = FLAGS_row_cache_bytes;
  c.persistent_cache_bytes = FLAGS_persistent_cache_bytes;
  c.write_buffer_bytes = FLAGS_write_buffer_bytes;
  c.max_background_jobs = FLAGS_max_background_jobs;
  c.max_subcompactions = FLAGS_max_subcompactions;
  c.direct_io = FLAGS_direct_io;
  c.wal = FLAGS_wal;
  c.json = FLAGS_json;
  c.oracle_max_keys = FLAGS_oracle_max_keys;
  c.oracle_only = FLAGS_oracle_only;
  if (c.replays_trace() &&
      gflags::GetCommandLineFlagInfoOrDie("run_secs").is_default) {
    // Replay the trace once.
    c.run_secs = 0;
  }
  Status s = Check(c);
  if (s.ok()) {
    *config = std::move(c);
  }
  return s;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
