//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/advice/heat_report.h"

#include <cstddef>
#include <unordered_map>

#include "logging/event_logger.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_type.h"
#include "util/hash.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Of both, so that an answer stays readable.
constexpr uint32_t kMostShown = 10000;

struct Parsed {
  uint32_t prefix_bytes;
  uint32_t top;
  std::string delimiter;
  std::string keys;
};

const std::unordered_map<std::string, OptionTypeInfo>& Fields() {
  static const std::unordered_map<std::string, OptionTypeInfo> fields = {
      {"prefix_bytes",
       {offsetof(struct Parsed, prefix_bytes), OptionType::kUInt32T}},
      {"top", {offsetof(struct Parsed, top), OptionType::kUInt32T}},
      {"delimiter", {offsetof(struct Parsed, delimiter), OptionType::kString}},
      {"keys", {offsetof(struct Parsed, keys), OptionType::kString}}};
  return fields;
}

double Share(double part, double all) { return all > 0 ? part / all : 0; }

void Write(const HeatSum& sum, const HeatSum& all, JSONWriter* json) {
  *json << "records" << sum.records << "hot_records" << sum.hot_records
        << "bytes" << sum.bytes << "hot_bytes" << sum.hot_bytes
        << "share_of_accesses" << Share(sum.accesses, all.accesses)
        << "share_of_bytes"
        << Share(static_cast<double>(sum.bytes),
                 static_cast<double>(all.bytes));
}

// Of a text in a JSON string; the key has no bytes that cannot be printed.
std::string Quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted.push_back('\\');
    }
    quoted.push_back(c);
  }
  return quoted;
}

}  // namespace

Status ParseHeatOptions(const Slice& text, HeatReportOptions* options) {
  *options = HeatReportOptions();
  if (text.empty()) {
    return Status::OK();
  }
  if (!text.starts_with(".{") || !text.ends_with("}")) {
    return Status::InvalidArgument("not .{name=value;...}", text);
  }
  Parsed parsed{options->heat.prefix_bytes, options->heat.top,
                options->heat.delimiter, options->keys};
  ConfigOptions config;
  config.ignore_unknown_options = false;
  std::unordered_map<std::string, std::string> map;
  Status s = StringToMap(std::string(text.data() + 2, text.size() - 3), &map);
  if (s.ok()) {
    s = OptionTypeInfo::ParseType(config, map, Fields(), &parsed);
  }
  if (!s.ok()) {
    return s;
  }
  if (parsed.delimiter.size() > 1 || parsed.top > kMostShown ||
      (parsed.keys != "text" && parsed.keys != "hex" &&
       parsed.keys != "hidden")) {
    return Status::InvalidArgument(
        "delimiter is one character, top at most 10000, keys one of text, hex, "
        "hidden",
        text);
  }
  options->heat.prefix_bytes = parsed.prefix_bytes;
  options->heat.top = parsed.top;
  options->heat.delimiter = parsed.delimiter;
  options->keys = parsed.keys;
  return s;
}

std::string ShowKey(const Slice& key, const std::string& keys) {
  if (keys == "hex") {
    return "0x" + key.ToString(/*hex=*/true);
  }
  if (keys == "hidden") {
    return "hash " + std::to_string(GetSliceHash64(key));
  }
  return EscapeString(key);
}

std::string HeatJson(const HeatSurvey& survey, const HeatReportOptions& options,
                     double share_of_db) {
  JSONWriter json;
  json.AddKey("total");
  json.StartObject();
  Write(survey.total(), survey.total(), &json);
  json << "share_of_db" << share_of_db;
  json.EndObject();
  json.AddKey("prefixes");
  json.StartArray();
  for (const HeatSum& group : survey.groups()) {
    json.StartArrayedObject();
    json << "prefix" << Quoted(ShowKey(group.prefix, options.keys));
    Write(group, survey.total(), &json);
    json.EndArrayedObject();
  }
  json.EndArray();
  json.AddKey("keys");
  json.StartArray();
  for (const HeatKey& key : survey.keys()) {
    json.StartArrayedObject();
    json << "key" << Quoted(ShowKey(key.key, options.keys)) << "value_bytes"
         << key.value_bytes << "hot" << (key.hot ? 1 : 0) << "score"
         << key.score << "share_of_accesses"
         << Share(key.accesses, survey.total().accesses);
    json.EndArrayedObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Get();
}

}  // namespace ROCKSDB_NAMESPACE
