//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ralt_dump/folder_dump.h"

#include <cmath>
#include <map>
#include <vector>

#include "plugin/hotrap/db/advice/heat_report.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "plugin/hotrap/ralt/tree/manifest.h"
#include "plugin/hotrap/ralt/tree/merging_cursor.h"
#include "plugin/hotrap/ralt/tree/version.h"
#include "util/coding.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {

constexpr uint64_t kReadaheadBytes = 1 << 20;

Json DescribeManifest(const Manifest& manifest) {
  const RaltLimits& limits = manifest.limits;
  // Names and keys may have any bytes, which JSON does not allow.
  return {{"db_id", EscapeString(manifest.db_id)},
          {"cf_id", manifest.cf_id},
          {"cf_name", EscapeString(manifest.cf_name)},
          {"next_file_number", manifest.next_file_number},
          {"accessed_bytes", manifest.clock.accessed_bytes},
          {"tick", manifest.clock.tick},
          {"hot_set_limit_bytes", limits.hot_set_bytes},
          {"record_limit_bytes", limits.physical_bytes},
          {"stable_bytes", limits.stable_bytes},
          {"hot_threshold",
           {{"stable", limits.hot_threshold.stable},
            {"score", limits.hot_threshold.score}}}};
}

Status OpenRuns(const RunEnv& env, const Manifest& manifest, Version* version,
                Json* runs) {
  version->levels.resize(kMaxLevels);
  *runs = Json::array();
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

// Summary of one pass over the merged records: what is hot, and a histogram of
// the current scores, in powers of two.
class RecordSummary {
 public:
  explicit RecordSummary(const FolderDumpOptions& options)
      : options_(options), survey_(options.heat) {}

  void Add(const AccessRecord& record, float score, const Scoring& scoring) {
    repeated_records_ += record.repeated ? 1 : 0;
    ++histogram_[static_cast<int>(std::floor(std::log2(score + 1e-9f)))];
    survey_.Add(record, score, scoring);
  }

  void Describe(Json* result) {
    survey_.End();
    const HeatSum& total = survey_.total();
    (*result)["records"] = total.records;
    (*result)["hot_records"] = total.hot_records;
    (*result)["repeated_records"] = repeated_records_;
    Json& hot_keys = (*result)["top_hot_keys"];
    hot_keys = Json::array();
    for (const HeatKey& key : survey_.keys()) {
      if (key.hot) {
        hot_keys.push_back({{"key", ShowKey(key.key, options_.keys)},
                            {"value_bytes", key.value_bytes},
                            {"score", key.score}});
      }
    }
    if (options_.prefixes) {
      DescribePrefixes(&(*result)["prefixes"]);
      // What shares of column families are computed from.
      (*result)["accesses_per_slice"] = total.accesses;
    }
    Json& scores = (*result)["score_histogram"];
    scores = Json::array();
    for (const auto& [exponent, count] : histogram_) {
      scores.push_back({{"score_from", std::ldexp(1.0, exponent)},
                        {"score_below", std::ldexp(1.0, exponent + 1)},
                        {"records", count}});
    }
  }

 private:
  void DescribePrefixes(Json* prefixes) const {
    const HeatSum& total = survey_.total();
    *prefixes = Json::array();
    for (const HeatSum& group : survey_.groups()) {
      prefixes->push_back(
          {{"prefix", ShowKey(group.prefix, options_.keys)},
           {"records", group.records},
           {"hot_records", group.hot_records},
           {"bytes", group.bytes},
           {"share_of_bytes", static_cast<double>(group.bytes) /
                                  static_cast<double>(total.bytes)},
           {"share_of_accesses",
            total.accesses > 0 ? group.accesses / total.accesses : 0}});
    }
  }

  const FolderDumpOptions& options_;
  HeatSurvey survey_;
  uint64_t repeated_records_ = 0;
  std::map<int, uint64_t> histogram_;
};

Status DescribeRecords(const FolderDumpOptions& options, const RunEnv& env,
                       const Manifest& manifest, const Version& version,
                       Json* result) {
  // Counters are not printed, so their constants do not matter.
  const Scoring scoring(options.alpha, 5, 2.6);
  const LogicalTime now{manifest.clock.tick, 0};
  MergingCursor cursor(MakeLevelCursors(version.levels, kReadaheadBytes,
                                        /*release_passed=*/false),
                       env.order, scoring, now);
  RecordSummary summary(options);
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    summary.Add(cursor.record(), scoring.RankAt(now, cursor.record(), 0).score,
                scoring);
  }
  summary.Describe(result);
  return cursor.status();
}

}  // namespace

Status DescribeFolder(const FolderDumpOptions& options, Json* result) {
  RunEnv env;
  env.path = options.path;
  env.fs = options.fs;
  env.clock = SystemClock::Default().get();
  env.order = KeyOrder(options.comparator);
  Manifest manifest;
  Status s = manifest.Load(env);
  if (s.IsNotFound()) {
    return Status::NotFound("not a RALT folder, there is no manifest",
                            ManifestFileName(options.path));
  }
  if (!s.ok()) {
    return s;
  }
  (*result)["manifest"] = DescribeManifest(manifest);
  env.stamp = MakeStamp(manifest.db_id, manifest.cf_id);
  Version version;
  s = OpenRuns(env, manifest, &version, &(*result)["runs"]);
  if (s.ok() && options.records) {
    s = DescribeRecords(options, env, manifest, version, result);
  }
  return s;
}

Status LoadHitRates(const std::string& path, FileSystem* fs,
                    HitRateCurve* curve) {
  RunEnv env;
  env.path = path;
  env.fs = std::shared_ptr<FileSystem>(fs, [](FileSystem*) {});
  env.clock = SystemClock::Default().get();
  Manifest manifest;
  Status s = manifest.Load(env);
  std::string file;
  if (s.ok()) {
    s = ReadFileToString(fs, HitRatesFileName(path), &file);
  }
  Slice rest(file);
  uint64_t stamp = 0;
  if (s.ok() && (!GetFixed64(&rest, &stamp) ||
                 stamp != MakeStamp(manifest.db_id, manifest.cf_id))) {
    s = Status::Corruption("the file of hit rates is another DB's", path);
  }
  return s.ok() ? curve->DecodeFrom(rest) : s;
}

int DumpFolder(const FolderDumpOptions& options, std::ostream* out,
               std::ostream* errors) {
  Json result = Json::object();
  const Status s = DescribeFolder(options, &result);
  PrintJson(result, /*as_text=*/!options.json, out);
  if (!s.ok()) {
    *errors << "ralt_dump: " << s.ToString() << '\n';
    return kExitErrors;
  }
  return kExitOk;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
