//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/trace_source.h"

#include "plugin/hotrap/tools/bench/trace_reader.h"
#include "plugin/hotrap/tools/bench/twitter_generator.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

TwitterTraceOptions GeneratorOptions(const BenchConfig& config) {
  TwitterTraceOptions options;
  options.requests = config.trace_requests;
  options.loaded_keys = config.twitter_loaded_keys;
  options.copies = config.twitter_copies;
  options.seed = config.trace_seed;
  options.value_divisor = config.trace_value_divisor;
  return options;
}

}  // namespace

Status MakeTrace(const BenchConfig& config, Trace* trace) {
  Status s;
  if (!config.twitter_cluster.empty()) {
    TwitterCluster cluster;
    s = ReadTwitterCluster(config.twitter_table, config.twitter_cluster,
                           &cluster);
    if (s.ok()) {
      s = GenerateTwitterTrace(cluster, GeneratorOptions(config), trace);
    }
  } else {
    TraceReaderOptions options;
    options.value_divisor = config.trace_value_divisor;
    options.max_requests = config.trace_requests;
    s = ReadTrace(config.trace_format, config.trace, options, trace);
  }
  if (s.ok() && !config.write_trace.empty()) {
    s = WriteTwitterTrace(*trace, config.write_trace);
  }
  return s;
}

std::vector<double> KnownPopularity(const BenchConfig& config,
                                    const Trace& trace) {
  TwitterCluster cluster;
  if (config.twitter_cluster.empty() ||
      !ReadTwitterCluster(config.twitter_table, config.twitter_cluster,
                          &cluster)
           .ok()) {
    return {};
  }
  return TwitterPopularity(cluster, GeneratorOptions(config), trace);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
