//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/phase.h"

#include <cstddef>
#include <sstream>
#include <unordered_map>

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr char kSeparator = ':';
constexpr char kStructName[] = "phases";

const std::unordered_map<std::string, OptionTypeInfo>& PhaseTypeInfo() {
  static const std::unordered_map<std::string, OptionTypeInfo> info = {
      {"name", {offsetof(struct Phase, name), OptionType::kString}},
      {"mix", {offsetof(struct Phase, mix), OptionType::kString}},
      {"distribution",
       {offsetof(struct Phase, distribution), OptionType::kString}},
      {"hotspot_fraction",
       {offsetof(struct Phase, hotspot_fraction), OptionType::kDouble}},
      {"hotspot_ops",
       {offsetof(struct Phase, hotspot_ops), OptionType::kDouble}},
      {"hotspot_start",
       {offsetof(struct Phase, hotspot_start), OptionType::kDouble}},
      {"zipf_theta", {offsetof(struct Phase, zipf_theta), OptionType::kDouble}},
      {"secs", {offsetof(struct Phase, secs), OptionType::kUInt64T}},
      {"ops", {offsetof(struct Phase, ops), OptionType::kUInt64T}},
      {"options", {offsetof(struct Phase, options), OptionType::kString}},
  };
  return info;
}

}  // namespace

std::string Phase::DefaultName() const {
  std::ostringstream text;
  text << distribution;
  if (distribution == "hotspot") {
    text << ' ' << hotspot_fraction * 100 << " %";
    if (hotspot_start > 0) {
      text << " at " << hotspot_start * 100 << " %";
    }
  }
  return text.str();
}

Status ParsePhases(const std::string& text, const Phase& defaults,
                   std::vector<Phase>* phases) {
  phases->clear();
  Phase unlimited = defaults;
  unlimited.secs = 0;
  unlimited.ops = 0;
  ConfigOptions strict;
  Status s;
  // RocksDB itself uses NextToken to split a list of structs.
  for (size_t start = 0, end = 0;
       s.ok() && start < text.size() && end != std::string::npos;
       start = end + 1) {
    std::string token;
    s = OptionTypeInfo::NextToken(text, kSeparator, start, &end, &token);
    Phase phase = unlimited;
    if (s.ok()) {
      s = OptionTypeInfo::ParseStruct(strict, kStructName, &PhaseTypeInfo(),
                                      kStructName, token, &phase);
    }
    if (s.ok()) {
      if (phase.secs == 0 && phase.ops == 0) {
        phase.secs = defaults.secs;
        phase.ops = defaults.ops;
      }
      phases->push_back(phase);
    }
  }
  if (s.ok() && phases->empty()) {
    s = Status::InvalidArgument("no phase");
  }
  return s;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
