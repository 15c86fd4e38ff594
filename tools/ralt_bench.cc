//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// ralt_bench measures RALT's costs and accuracy, without a database.

#include <gflags/gflags.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/tools/ralt_bench/amplification.h"
#include "plugin/hotrap/tools/ralt_bench/costs.h"
#include "plugin/hotrap/tools/ralt_bench/dynamics.h"
#include "plugin/hotrap/tools/ralt_bench/sampling.h"
#include "util/string_util.h"

DEFINE_string(path, "/tmp/ralt_bench", "folder for RALT's files; removed");
DEFINE_string(json, "", "write the figures to this file");
DEFINE_string(benchmarks,
              "inserts,lookups,amplification,dynamic,scoring,sampling",
              "what to measure, in this order");
DEFINE_uint32(threads, 16, "inserts: threads that record accesses");
DEFINE_uint64(accesses, 8000000, "inserts: accesses");
DEFINE_uint64(tracked_keys, 10000000, "lookups: keys that RALT tracks");
DEFINE_uint64(lookups, 2000000, "lookups: calls of IsHot");
DEFINE_uint64(keys, 1000000,
              "dynamic, scoring, sampling: records of the store");
DEFINE_uint64(accesses_per_stage, 2000000,
              "dynamic, scoring, sampling: accesses a stage");
DEFINE_double(unstable_fraction, 0.05, "dynamic: the option of RALT");

namespace bench = ROCKSDB_NAMESPACE::ralt_bench;
using ROCKSDB_NAMESPACE::Status;

int main(int argc, char** argv) {
  constexpr int kExitErrors = 1;
  constexpr int kExitUsage = 2;
  gflags::SetUsageMessage("[flags]; see docs/ralt_bench.md");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);

  bench::CostsConfig costs;
  costs.path = FLAGS_path;
  costs.threads = FLAGS_threads;
  costs.accesses = FLAGS_accesses;
  costs.tracked_keys = FLAGS_tracked_keys;
  costs.lookups = FLAGS_lookups;
  bench::AmplificationConfig amplification;
  amplification.path = FLAGS_path;
  bench::DynamicsConfig dynamics;
  dynamics.path = FLAGS_path;
  dynamics.keys = FLAGS_keys;
  dynamics.accesses_per_stage = FLAGS_accesses_per_stage;
  dynamics.unstable_fraction = FLAGS_unstable_fraction;

  nlohmann::json result;
  const std::map<std::string, std::function<Status()>> benchmarks = {
      {"inserts", [&] { return bench::MeasureInserts(costs, &result); }},
      {"lookups", [&] { return bench::MeasureLookups(costs, &result); }},
      {"amplification",
       [&] { return bench::MeasureAmplification(amplification, &result); }},
      {"dynamic", [&] { return bench::SimulateStages(dynamics, &result); }},
      {"scoring", [&] { return bench::CompareScoring(dynamics, &result); }},
      {"sampling", [&] { return bench::CompareSampling(dynamics, &result); }}};
  for (const std::string& name :
       ROCKSDB_NAMESPACE::StringSplit(FLAGS_benchmarks, ',')) {
    const auto found = benchmarks.find(name);
    if (found == benchmarks.end()) {
      fprintf(stderr, "ralt_bench: unknown benchmark %s\n", name.c_str());
      return kExitUsage;
    }
    const Status s = found->second();
    if (!s.ok()) {
      fprintf(stderr, "ralt_bench: %s: %s\n", name.c_str(),
              s.ToString().c_str());
      return kExitErrors;
    }
  }
  const Status s = ROCKSDB_NAMESPACE::Ralt::Destroy(
      FLAGS_path, ROCKSDB_NAMESPACE::FileSystem::Default().get());
  if (!s.ok()) {
    fprintf(stderr, "ralt_bench: %s\n", s.ToString().c_str());
  }

  if (!FLAGS_json.empty()) {
    std::ofstream file(FLAGS_json, std::ios::trunc);
    file << result.dump(2) << '\n';
    file.close();
    if (!file) {
      fprintf(stderr, "ralt_bench: cannot write %s\n", FLAGS_json.c_str());
      return kExitErrors;
    }
  }
  // The series is for plots only.
  if (result.contains("dynamic")) {
    result["dynamic"].erase("series");
  }
  printf("%s\n", result.dump(2).c_str());
  return 0;
}
