//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// hotrap_metamorphic runs one seeded list of operations under many
// configurations. Every answer must equal that of a model in memory.

#include <gflags/gflags.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plugin/hotrap/tools/metamorphic/campaign.h"
#include "plugin/hotrap/tools/metamorphic/crash.h"
#include "plugin/hotrap/tools/metamorphic/generator.h"
#include "port/stack_trace.h"
#include "util/string_util.h"

DEFINE_uint64(seed, 1, "the first seed");
DEFINE_uint64(seeds, 100, "how many");
DEFINE_int32(ops, 200, "operations a seed");
DEFINE_int32(threads, 1, "seeds that are run at once");
DEFINE_string(config, "", "configurations, a comma between them; empty: all");
DEFINE_bool(list, false, "print the configurations");
DEFINE_string(db, "/dev/shm/hotrap_metamorphic",
              "folder of the DBs, and of the scripts of failing seeds");
DEFINE_double(minutes, 0, "stop after this time; 0: no limit");
DEFINE_uint64(shrink_secs, 120, "time to shrink the list of a failing run");
DEFINE_string(script, "", "run this file's operations instead of a seed's");
DEFINE_int32(times, 20, "script: how often, under each configuration");
DEFINE_bool(fork, true,
            "run in a child, so that a crash can be told and shrunk; false for "
            "debuggers");
DEFINE_bool(print, false, "print the first seed's operations as a script");
DEFINE_string(json, "", "write the figures to this file");

namespace metamorphic = ROCKSDB_NAMESPACE::hotrap_metamorphic;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;

namespace {

constexpr int kExitErrors = 1;
constexpr int kExitUsage = 2;
constexpr int kExitCrashed = 3;

nlohmann::json ToJson(const metamorphic::ConfigurationResult& result) {
  const metamorphic::Figures& figures = result.figures;
  return {{"runs", result.runs},
          {"differences", result.differences},
          {"millis_per_run",
           static_cast<double>(result.micros) / 1000 /
               static_cast<double>(std::max<uint64_t>(1, result.runs))},
          {"flush_promoted_records", figures.flush_promoted_records},
          {"compaction_promoted_records", figures.compaction_promoted_records},
          {"retained_records", figures.retained_records},
          {"crossing_compactions", figures.crossing_compactions},
          {"promoted_with_filter", figures.promoted_with_filter},
          {"dropped_filtered", figures.dropped_filtered},
          {"promotion_cache_hits", figures.promotion_cache_hits},
          {"ralt_resets", figures.ralt_resets},
          {"ralt_errors", figures.ralt_errors},
          {"budget_delays", figures.budget_delays},
          {"budget_stops", figures.budget_stops},
          {"split_key_misses", figures.split_key_misses}};
}

void Print(const std::string& name,
           const metamorphic::ConfigurationResult& result) {
  const metamorphic::Figures& figures = result.figures;
  printf(
      "%-18s %7llu %5llu %8.1f %9llu %9llu %9llu %9llu %9llu %9llu %7llu "
      "%7llu\n",
      name.c_str(), static_cast<unsigned long long>(result.runs),
      static_cast<unsigned long long>(result.differences),
      static_cast<double>(result.micros) / 1000 /
          static_cast<double>(std::max<uint64_t>(1, result.runs)),
      static_cast<unsigned long long>(figures.flush_promoted_records),
      static_cast<unsigned long long>(figures.compaction_promoted_records),
      static_cast<unsigned long long>(figures.retained_records),
      static_cast<unsigned long long>(figures.crossing_compactions),
      static_cast<unsigned long long>(figures.promotion_cache_hits),
      static_cast<unsigned long long>(figures.promoted_with_filter),
      static_cast<unsigned long long>(figures.ralt_resets),
      static_cast<unsigned long long>(figures.ralt_errors));
}

int Fail(const Status& s) {
  fprintf(stderr, "hotrap_metamorphic: %s\n", s.ToString().c_str());
  return kExitUsage;
}

Status ChooseConfigurations(
    std::vector<const metamorphic::Configuration*>* chosen) {
  for (const auto& name : ROCKSDB_NAMESPACE::StringSplit(FLAGS_config, ',')) {
    chosen->push_back(metamorphic::FindConfiguration(name));
    if (chosen->back() == nullptr) {
      return Status::InvalidArgument("unknown configuration", name);
    }
  }
  for (const auto& configuration : metamorphic::AllConfigurations()) {
    if (FLAGS_config.empty()) {
      chosen->push_back(&configuration);
    }
  }
  return Status::OK();
}

// Prints the results and returns the program's exit code.
int Finish(const metamorphic::Campaign& campaign) {
  printf("%-18s %7s %5s %8s %9s %9s %9s %9s %9s %9s %7s %7s\n", "configuration",
         "runs", "diff", "ms/run", "by flush", "by comp.", "retained",
         "crossings", "cachehits", "w. filter", "resets", "errors");
  nlohmann::json json;
  for (const auto& [name, result] : campaign.results()) {
    Print(name, result);
    json["configurations"][name] = ToJson(result);
  }
  Print("all", campaign.Total());
  const std::string missing = campaign.WhatIsMissing();
  const bool failed = campaign.Total().differences > 0 || !missing.empty();
  printf("%s%llu seeds in %.1f s: %s\n", missing.c_str(),
         static_cast<unsigned long long>(campaign.seeds_done()),
         campaign.seconds(), failed ? "FAILED" : "all answers identical");
  if (!FLAGS_json.empty()) {
    json["total"] = ToJson(campaign.Total());
    json["first_seed"] = FLAGS_seed;
    json["seeds"] = campaign.seeds_done();
    json["operations"] = FLAGS_ops;
    json["seconds"] = campaign.seconds();
    json["missing"] = missing;
    std::ofstream file(FLAGS_json, std::ios::trunc);
    file << json.dump(2) << '\n';
    file.close();
    if (!file) {
      return Fail(Status::IOError("cannot write", FLAGS_json));
    }
  }
  return failed ? kExitErrors : 0;
}

int Run(const metamorphic::CampaignOptions& options,
        const std::vector<metamorphic::Operation>& script) {
  metamorphic::Campaign campaign(options);
  const auto print = [](const std::string& text) {
    printf("%s\n", text.c_str());
  };
  if (FLAGS_script.empty()) {
    campaign.Run(print, print);
  } else {
    campaign.RunScript(script, FLAGS_times, print);
  }
  return Finish(campaign);
}

}  // namespace

int main(int argc, char** argv) {
  ROCKSDB_NAMESPACE::port::InstallStackTraceHandler();
  gflags::SetUsageMessage("[flags]; see docs/metamorphic.md");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  setvbuf(stdout, nullptr, _IOLBF, 0);

  if (FLAGS_list) {
    for (const auto& configuration : metamorphic::AllConfigurations()) {
      printf("%-18s %s\n", configuration.name, configuration.what);
    }
    return 0;
  }
  metamorphic::CampaignOptions options;
  options.first_seed = FLAGS_seed;
  options.seeds = FLAGS_seeds;
  options.operations = FLAGS_ops;
  options.threads = FLAGS_threads;
  options.folder = FLAGS_db;
  options.limit_secs = static_cast<uint64_t>(FLAGS_minutes * 60);
  options.shrink_secs = FLAGS_shrink_secs;
  Status s = ChooseConfigurations(&options.configurations);
  if (s.ok()) {
    s = Env::Default()->CreateDirIfMissing(FLAGS_db);
  }
  if (!s.ok()) {
    return Fail(s);
  }
  if (FLAGS_print) {
    for (const auto& operation :
         metamorphic::GenerateOperations(FLAGS_seed, FLAGS_ops)) {
      printf("%s\n", metamorphic::ToText(operation).c_str());
    }
    return 0;
  }
  if (!metamorphic::SupportsDirectIo(FLAGS_db)) {
    printf("no direct I/O in %s: direct_io is as on\n", FLAGS_db.c_str());
  }

  std::vector<metamorphic::Operation> script;
  if (!FLAGS_script.empty()) {
    s = metamorphic::ReadScript(FLAGS_script, &script);
    if (!s.ok()) {
      return Fail(s);
    }
  }
  const auto run = [&] { return Run(options, script); };
  if (!FLAGS_fork) {
    return run();
  }
  const int result = metamorphic::RunInChild(run, kExitCrashed);
  if (result == kExitCrashed) {
    printf("%s", metamorphic::InvestigateCrash(
                     options.folder, options.threads,
                     FLAGS_script.empty() ? nullptr : &script,
                     options.operations, options.shrink_secs)
                     .c_str());
  }
  return result;
}
