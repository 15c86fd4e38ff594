//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Generates traces with the published statistics of a Twitter cache cluster.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/bench/operation.h"
#include "plugin/hotrap/tools/bench/trace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// One row of a table with the columns `cluster,miss_ratio,key_bytes,
// value_bytes,mean_freq,one_hit_wonder_pct,compulsory_miss_pct,
// wss_mb_no_ttl,operations,zipf_alpha`.
struct TwitterCluster {
  std::string name;
  uint32_t key_bytes = 0;
  uint32_t value_bytes = 0;
  // Share of the keys that are requested exactly once.
  double one_hit_wonder_fraction = 0;
  // Share of the requests that are the first for their key.
  double compulsory_miss_fraction = 0;
  // Shares of the requests; they need not add up to one.
  std::vector<std::pair<Operation, double>> operations;
  double zipf_alpha = 0;
};

Status ReadTwitterCluster(const std::string& table_path,
                          const std::string& name, TwitterCluster* cluster);

struct TwitterTraceOptions {
  uint64_t requests = 0;
  // Keys that exist before the trace, as popular as its own.
  uint64_t loaded_keys = 0;
  // If a cluster's working set is smaller than the DB should be, paper section
  // 4.3 repeats each request for this many copies of its key, one after the
  // other. `requests` and `loaded_keys` count the copies. REQUIRES: > 0
  uint64_t copies = 1;
  uint64_t seed = 1;
  uint32_t value_divisor = 1;
};

// Properties of the keys and requests, before they are copied:
// - compulsory_miss_fraction of the requests bring in a new key each, which is
//   not there if that request reads;
// - one_hit_wonder_fraction of these keys occur once;
// - all other requests go to the other keys, Zipf(zipf_alpha) by popularity;
// - the operation of each request is drawn from `operations`;
// - keys and values have the cluster's mean sizes. The same options give the
//   same trace.
Status GenerateTwitterTrace(const TwitterCluster& cluster,
                            const TwitterTraceOptions& options, Trace* trace);

// The share of each of the trace's keys, by id, in the draws by popularity,
// which are all reads that may find something; 0: it occurs once. For a trace
// that GenerateTwitterTrace made of the same arguments.
std::vector<double> TwitterPopularity(const TwitterCluster& cluster,
                                      const TwitterTraceOptions& options,
                                      const Trace& trace);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
