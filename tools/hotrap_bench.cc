//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// hotrap_bench measures and verifies a RocksDB on two tiers, with or without
// HotRAP. It uses only RocksDB's public API, so that it also links with a stock
// RocksDB. docs/hotrap_bench.md is its manual.

#include <gflags/gflags.h>

#include <cstdio>
#include <fstream>

#include "plugin/hotrap/tools/bench/benchmark.h"

namespace {

constexpr int kExitErrors = 1;
constexpr int kExitUsage = 2;

}  // namespace

int main(int argc, char** argv) {
  using ROCKSDB_NAMESPACE::Status;
  namespace bench = ROCKSDB_NAMESPACE::hotrap_bench;

  const std::vector<std::string> command(argv, argv + argc);
  gflags::SetUsageMessage(
      "--fast_path=DIR --slow_path=DIR --fast_bytes=BYTES [flags]; see "
      "docs/hotrap_bench.md");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  bench::BenchConfig config;
  Status s = argc > 1 ? Status::InvalidArgument("not a flag", argv[1])
                      : bench::BenchConfig::FromFlags(&config);
  if (!s.ok()) {
    fprintf(stderr, "hotrap_bench: %s\n", s.ToString().c_str());
    return kExitUsage;
  }

  bench::Benchmark benchmark(config);
  s = benchmark.Run();
  bench::Report& report = benchmark.report();
  report.command = command;
  if (!s.ok()) {
    fprintf(stderr, "hotrap_bench: %s\n", s.ToString().c_str());
    ++report.errors;
    report.error_samples.push_back(s.ToString());
  }
  if (!config.json.empty()) {
    std::ofstream file(config.json, std::ios::trunc);
    file << bench::ToJson(report) << '\n';
    file.close();
    if (!file) {
      fprintf(stderr, "hotrap_bench: cannot write %s\n", config.json.c_str());
      return kExitErrors;
    }
  }
  fputs(bench::ToText(report).c_str(), stdout);
  return report.errors == 0 ? 0 : kExitErrors;
}
