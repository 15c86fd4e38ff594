//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// ralt_dump: prints a RALT folder. It reads only, and keys are taken to be in
// bytewise order. docs/ralt_format.md describes the files.

#include <gflags/gflags.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/manifest.h"
#include "plugin/hotrap/ralt/merging_cursor.h"
#include "plugin/hotrap/ralt/version.h"
#include "rocksdb/env.h"
#include "util/string_util.h"

DEFINE_bool(json, false, "print JSON instead of text");
DEFINE_uint64(top, 20, "how many of the hottest keys to print");
DEFINE_double(alpha, 0.999, "fading of the scores, as the store has it");

namespace ROCKSDB_NAMESPACE::ralt {
namespace {

constexpr uint64_t kReadaheadBytes = 1 << 20;

struct HotKey {
  float score;
  uint64_t value_bytes;
  std::string key;

  bool operator<(const HotKey& other) const { return score > other.score; }
};

nlohmann::json DumpManifest(const Manifest& manifest) {
  const RaltLimits& limits = manifest.limits;
  return {{"db_id", manifest.db_id},
          {"cf_id", manifest.cf_id},
          {"cf_name", manifest.cf_name},
          {"next_file_number", manifest.next_file_number},
          {"accessed_bytes", manifest.clock.accessed_bytes},
          {"tick", manifest.clock.tick},
          {"hot_set_limit_bytes", limits.hot_set_bytes},
          {"physical_limit_bytes", limits.physical_bytes},
          {"stable_bytes", limits.stable_bytes},
          {"hot_threshold",
           {{"stable", limits.hot_threshold.stable},
            {"score", limits.hot_threshold.score}}}};
}

Status OpenRuns(const RunEnv& env, const Manifest& manifest, Version* version,
                nlohmann::json* runs) {
  version->levels.resize(kMaxLevels);
  *runs = nlohmann::json::array();
  for (const Manifest::Run& run : manifest.runs) {
    std::shared_ptr<RunFile> file;
    const Status s =
        RunFile::Open(env, run.number, run.file_bytes, run.tail_bytes, &file);
    if (!s.ok()) {
      return s;
    }
    const RunProperties& properties = file->properties();
    runs->push_back({{"level", run.level},
                     {"number", run.number},
                     {"file_bytes", run.file_bytes},
                     {"records", properties.records},
                     {"hot_records", properties.hot_records},
                     {"tracked_bytes", properties.tracked_bytes},
                     {"hot_bytes", properties.hot_bytes},
                     {"filter_bytes", file->filter().bits().size()},
                     {"blocks", file->index().blocks()},
                     {"written_at_tick", properties.written_at.tick},
                     {"smallest", EscapeString(properties.smallest)},
                     {"largest", EscapeString(properties.largest)},
                     {"lower_bound", EscapeString(run.begin)}});
    version->levels[run.level].push_back({std::move(file), run.begin});
  }
  return Status::OK();
}

// One walk over the merged records: top keys and a histogram of the scores as
// they are now, in powers of two.
Status DumpRecords(const RunEnv& env, const Manifest& manifest,
                   const Version& version, nlohmann::json* result) {
  // Counters are not printed: their constants do not matter.
  const Scoring scoring(FLAGS_alpha, 5, 2.6);
  const LogicalTime now{manifest.clock.tick, 0};
  MergingCursor cursor(
      MakeLevelCursors(version.levels, env.order, kReadaheadBytes,
                       /*release_passed=*/false),
      env.order, scoring, now);
  uint64_t records = 0;
  uint64_t hot_records = 0;
  uint64_t repeated_records = 0;
  std::vector<HotKey> top;
  std::map<int, uint64_t> histogram;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    const AccessRecord& record = cursor.record();
    const float score = scoring.RankAt(now, record, 0).score;
    ++records;
    repeated_records += record.repeated ? 1 : 0;
    ++histogram[static_cast<int>(std::floor(std::log2(score + 1e-9f)))];
    if (!record.hot) {
      continue;
    }
    ++hot_records;
    top.push_back({score, record.value_bytes, record.key.ToString()});
    std::push_heap(top.begin(), top.end());
    if (top.size() > FLAGS_top) {
      std::pop_heap(top.begin(), top.end());
      top.pop_back();
    }
  }
  std::sort(top.begin(), top.end());
  (*result)["records"] = records;
  (*result)["hot_records"] = hot_records;
  (*result)["repeated_records"] = repeated_records;
  nlohmann::json& hot_keys = (*result)["top_hot_keys"];
  hot_keys = nlohmann::json::array();
  for (const HotKey& hot : top) {
    hot_keys.push_back({{"key", EscapeString(hot.key)},
                        {"value_bytes", hot.value_bytes},
                        {"score", hot.score}});
  }
  nlohmann::json& scores = (*result)["score_histogram"];
  scores = nlohmann::json::array();
  for (const auto& [exponent, count] : histogram) {
    scores.push_back({{"score_from", std::ldexp(1.0, exponent)},
                      {"score_below", std::ldexp(1.0, exponent + 1)},
                      {"records", count}});
  }
  return cursor.status();
}

Status Dump(const std::string& folder, nlohmann::json* result) {
  RunEnv env;
  env.path = folder;
  env.fs = FileSystem::Default();
  env.clock = SystemClock::Default().get();
  Manifest manifest;
  Status s = manifest.Load(env);
  if (!s.ok()) {
    return s;
  }
  (*result)["manifest"] = DumpManifest(manifest);
  env.stamp = MakeStamp(manifest.db_id, manifest.cf_id);
  Version version;
  s = OpenRuns(env, manifest, &version, &(*result)["runs"]);
  if (s.ok()) {
    s = DumpRecords(env, manifest, version, result);
  }
  return s;
}

// JSON as indented "name: value" lines; a list's items stand one a line.
void PrintText(const nlohmann::json& value, int indent) {
  for (const auto& [name, item] : value.items()) {
    if (item.is_object()) {
      printf("%*s%s:\n", indent, "", name.c_str());
      PrintText(item, indent + 2);
    } else if (item.is_array()) {
      printf("%*s%s:\n", indent, "", name.c_str());
      for (const auto& element : item) {
        printf("%*s%s\n", indent + 2, "", element.dump().c_str());
      }
    } else {
      printf("%*s%s: %s\n", indent, "", name.c_str(), item.dump().c_str());
    }
  }
}

}  // namespace
}  // namespace ROCKSDB_NAMESPACE::ralt

int main(int argc, char** argv) {
  constexpr int kExitErrors = 1;
  constexpr int kExitUsage = 2;
  gflags::SetUsageMessage("[flags] FOLDER");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc != 2) {
    fprintf(stderr, "usage: ralt_dump [--json] [--top=N] FOLDER\n");
    return kExitUsage;
  }
  nlohmann::json result;
  const ROCKSDB_NAMESPACE::Status s =
      ROCKSDB_NAMESPACE::ralt::Dump(argv[1], &result);
  // What could be read is printed even if the rest is damaged.
  if (FLAGS_json) {
    printf("%s\n", result.dump(2).c_str());
  } else {
    ROCKSDB_NAMESPACE::ralt::PrintText(result, 0);
  }
  if (!s.ok()) {
    fprintf(stderr, "ralt_dump: %s\n", s.ToString().c_str());
    return kExitErrors;
  }
  return 0;
}
