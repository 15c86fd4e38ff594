//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Compiles RocksDB's db_bench such that BenchHooks hears of the end of each
// benchmark, which ToolHooks does not tell: the stream of names is one that
// calls it. CMakeLists.txt substitutes this file for tools/db_bench_tool.cc. If
// that has no such stream any more, scripts/check_tools.py fails.

#include "plugin/hotrap/tools/db_bench/bench_hooks.h"
#include "plugin/hotrap/tools/db_bench/benchmark_names.h"

// Replaces `benchmark_stream(FLAGS_benchmarks)`, where the stream is made.
#define benchmark_stream(names)                                  \
  benchmark_stream;                                              \
  BenchmarkNames hotrap_names(names, [&](const std::string& n) { \
    BenchHooks::AfterBenchmark(hooks, n);                        \
  });                                                            \
  static_cast<std::ios&>(benchmark_stream).rdbuf(&hotrap_names)

#include "tools/db_bench_tool.cc"
