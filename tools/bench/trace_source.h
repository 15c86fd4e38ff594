//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Where the trace of a benchmark is from: a file, or the generator.

#pragma once

#include <vector>

#include "plugin/hotrap/tools/bench/bench_config.h"
#include "plugin/hotrap/tools/bench/trace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// REQUIRES: config.replays_trace()
Status MakeTrace(const BenchConfig& config, Trace* trace);

// The expected share of each key in the reads of a trace that MakeTrace
// generated; empty if nobody knows it.
std::vector<double> KnownPopularity(const BenchConfig& config,
                                    const Trace& trace);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
