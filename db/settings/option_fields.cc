//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/settings/option_fields.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <set>

#include "options/options_helper.h"
#include "plugin/hotrap/db/settings/key_range_text.h"
#include "rocksdb/convenience.h"
#include "rocksdb/slice.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kGroup[] = "hotrap";
constexpr uint64_t kMinAccessBufferBytes = 64 << 10;
constexpr uint32_t kMaxPinnedPercent = 80;

Status BadValue(const std::string& field, const std::string& value,
                const std::string& what_is_right) {
  return Status::InvalidArgument(std::string(kGroup) + "." + field + " is \"" +
                                 value + "\"; it must be " + what_is_right);
}

// A hand-written value may be in braces, as in RocksDB's own scalar options.
std::string Unbraced(const std::string& value) {
  const std::string text = trim(value);
  return text.size() >= 2 && text.front() == '{' && text.back() == '}'
             ? trim(text.substr(1, text.size() - 2))
             : text;
}

// Returns the power of two that a suffix stands for, or -1.
int ShiftOf(const std::string& suffix) {
  static const std::unordered_map<std::string, int> shifts = {
      {"", 0},     {"k", 10},   {"m", 20},   {"g", 30},  {"t", 40},
      {"ki", 10},  {"mi", 20},  {"gi", 30},  {"ti", 40}, {"kib", 10},
      {"mib", 20}, {"gib", 30}, {"tib", 40}, {"b", 0},
  };
  std::string lower(suffix);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const auto shift = shifts.find(lower);
  return shift == shifts.end() ? -1 : shift->second;
}

bool ParseNumber(const std::string& text, uint64_t max, uint64_t* number) {
  Slice rest(text);
  if (!ConsumeDecimalNumber(&rest, number)) {
    return false;
  }
  const int shift = ShiftOf(trim(rest.ToString()));
  if (shift < 0 || *number > (max >> shift)) {
    return false;
  }
  *number <<= shift;
  return true;
}

template <typename T>
OptionTypeInfo Number(int offset, const char* unit, OptionType type) {
  OptionTypeInfo info(offset, type, OptionVerificationType::kNormal,
                      OptionTypeFlags::kMutable);
  info.SetParseFunc([unit](const ConfigOptions&, const std::string& name,
                           const std::string& value, void* addr) {
    constexpr uint64_t kMax = std::numeric_limits<T>::max();
    uint64_t number = 0;
    if (!ParseNumber(Unbraced(value), kMax, &number)) {
      return BadValue(name, value,
                      std::string(unit) + " from 0 to " + std::to_string(kMax) +
                          ", which may end in K, M, G or T (powers of 1024)");
    }
    *static_cast<T*>(addr) = static_cast<T>(number);
    return Status::OK();
  });
  return info;
}

OptionTypeInfo Bytes(int offset) {
  return Number<uint64_t>(offset, "a number of bytes", OptionType::kUInt64T);
}

OptionTypeInfo Count(int offset) {
  return Number<uint32_t>(offset, "a number", OptionType::kUInt32T);
}

Status ParseFlag(const ConfigOptions& /*config_options*/,
                 const std::string& name, const std::string& value,
                 void* addr) {
  const std::string text = Unbraced(value);
  const bool is_true = text == "true" || text == "1";
  if (!is_true && text != "false" && text != "0") {
    return BadValue(name, value, "true or false");
  }
  *static_cast<bool*>(addr) = is_true;
  return Status::OK();
}

OptionTypeInfo Flag(int offset) {
  OptionTypeInfo info(offset, OptionType::kBoolean,
                      OptionVerificationType::kNormal,
                      OptionTypeFlags::kMutable);
  info.SetParseFunc(&ParseFlag);
  return info;
}

Status ParseRoot(const ConfigOptions& /*config_options*/,
                 const std::string& /*name*/, const std::string& value,
                 void* addr) {
  *static_cast<std::string*>(addr) = Unbraced(value);
  return Status::OK();
}

OptionTypeInfo Root(int offset) {
  OptionTypeInfo info(offset, OptionType::kString,
                      OptionVerificationType::kNormal,
                      OptionTypeFlags::kMutable);
  info.SetParseFunc(&ParseRoot);
  return info;
}

std::string AllNames() {
  std::set<std::string> names;
  for (const auto& [name, info] : HotRapFields()) {
    names.insert(name);
  }
  std::string result;
  for (const std::string& name : names) {
    result.append((result.empty() ? "" : ", ") + name);
  }
  return result;
}

Status CheckNames(const std::string& name, const std::string& value) {
  std::unordered_map<std::string, std::string> fields;
  const std::string prefix = std::string(kGroup) + ".";
  if (name == kGroup || Slice(name).ends_with("." + std::string(kGroup))) {
    const Status s = StringToMap(value, &fields);
    if (!s.ok()) {
      return Status::InvalidArgument(
          std::string(kGroup) + " is \"" + value + "\": " + s.getState() +
          "; it must be {name=value;...} with names of " + AllNames());
    }
  } else {
    fields[Slice(name).starts_with(prefix) ? name.substr(prefix.size())
                                           : name] = value;
  }
  for (const auto& [field, text] : fields) {
    if (HotRapFields().count(field) == 0) {
      return Status::InvalidArgument(
          std::string(kGroup) + "." + field + " (\"" + text +
          "\") is no field; the fields are " + AllNames());
    }
  }
  return Status::OK();
}

Status ValidateRoot(const std::string& field, const std::string& root) {
  if (root.empty()) {
    return Status::OK();
  }
  if (!std::filesystem::path(root).is_absolute()) {
    return BadValue(field, root, "an absolute path, such as /hdd");
  }
  // Such a name would not come back from an OPTIONS file.
  if (root != trim(root) || std::any_of(root.begin(), root.end(), [](char c) {
        return c == ';' || c == '{' || c == '}' || c == '\\' ||
               std::iscntrl(static_cast<unsigned char>(c)) != 0;
      })) {
    return BadValue(field, root,
                    "a path without semicolons, braces, backslashes, line "
                    "ends, and spaces at its ends");
  }
  return Status::OK();
}

}  // namespace

bool IsFromEnvironment(const HotRapOptions& options) {
  return Slice(options.source).starts_with(kSourceEnvironment);
}

bool IsLeftToTheEnvironment(const HotRapOptions& options) {
  if (IsFromEnvironment(options)) {
    return true;
  }
  const HotRapOptions defaults;
  std::string mismatch;
  return options.source.empty() && OptionTypeInfo::StructsAreEqual(
                                       ConfigOptions(), kGroup, &HotRapFields(),
                                       kGroup, &options, &defaults, &mismatch);
}

const std::unordered_map<std::string, OptionTypeInfo>& HotRapFields() {
  using Group = HotRapOptions;
  static const std::unordered_map<std::string, OptionTypeInfo> fields = {
      {"enabled", Flag(offsetof(Group, enabled))},
      {"promotion_cache_bytes", Bytes(offsetof(Group, promotion_cache_bytes))},
      {"cached_hit_sampling", Count(offsetof(Group, cached_hit_sampling))},
      {"promote_only_if_slower", Flag(offsetof(Group, promote_only_if_slower))},
      {"fast_budget_bytes", Bytes(offsetof(Group, fast_budget_bytes))},
      {"min_fast_budget_bytes", Bytes(offsetof(Group, min_fast_budget_bytes))},
      {"slow_root", Root(offsetof(Group, slow_root))},
      {"fast_root", Root(offsetof(Group, fast_root))},
      {"checkpoint_slow_root", Root(offsetof(Group, checkpoint_slow_root))},
      {"checkpoint_hot_set", Flag(offsetof(Group, checkpoint_hot_set))},
      {"access_buffer_bytes", Bytes(offsetof(Group, access_buffer_bytes))},
      {"auto_tune", Flag(offsetof(Group, auto_tune))},
      {"extra_level", Flag(offsetof(Group, extra_level))},
      {"fast_block_bytes", Bytes(offsetof(Group, fast_block_bytes))},
      {"small_level_filter_bits",
       Count(offsetof(Group, small_level_filter_bits))},
      {"relocation_bytes_per_sec",
       Bytes(offsetof(Group, relocation_bytes_per_sec))},
      {"pinned_ranges", KeyRangesTypeInfo(offsetof(Group, pinned_ranges))},
      {"excluded_ranges", KeyRangesTypeInfo(offsetof(Group, excluded_ranges))},
      {"pinned_percent", Count(offsetof(Group, pinned_percent))},
      {"no_retain", Flag(offsetof(Group, no_retain))},
      {"no_hotness_check", Flag(offsetof(Group, no_hotness_check))},
      {"no_by_compaction", Flag(offsetof(Group, no_by_compaction))},
      {"no_tracking", Flag(offsetof(Group, no_tracking))},
  };
  return fields;
}

Status ParseHotRapGroup(const ConfigOptions& config_options,
                        const std::string& name, const std::string& value,
                        HotRapOptions* options) {
  Status s;
  if (!config_options.ignore_unknown_options) {
    s = CheckNames(name, value);
  }
  HotRapOptions parsed = *options;
  if (s.ok()) {
    s = OptionTypeInfo::ParseStruct(config_options, kGroup, &HotRapFields(),
                                    name, value, &parsed);
  }
  if (s.ok()) {
    parsed.source = kSourceProgram;
    *options = parsed;
  }
  return s;
}

Status ValidateHotRapFields(const HotRapOptions& options) {
  Status s = ValidateRoot("slow_root", options.slow_root);
  if (s.ok()) {
    s = ValidateRoot("fast_root", options.fast_root);
  }
  if (s.ok()) {
    s = ValidateRoot("checkpoint_slow_root", options.checkpoint_slow_root);
  }
  if (s.ok() && options.enabled && options.cached_hit_sampling == 0) {
    s = BadValue("cached_hit_sampling", "0", "1 (record every access) or more");
  }
  if (s.ok() && options.enabled &&
      options.access_buffer_bytes < kMinAccessBufferBytes) {
    s = BadValue("access_buffer_bytes",
                 std::to_string(options.access_buffer_bytes),
                 std::to_string(kMinAccessBufferBytes) + " (64K) or more");
  }
  if (s.ok() && options.enabled && options.fast_budget_bytes > 0 &&
      options.min_fast_budget_bytes > options.fast_budget_bytes) {
    s = BadValue("min_fast_budget_bytes",
                 std::to_string(options.min_fast_budget_bytes),
                 "at most hotrap.fast_budget_bytes, which is " +
                     std::to_string(options.fast_budget_bytes));
  }
  if (s.ok() && options.enabled && options.pinned_percent > kMaxPinnedPercent) {
    s = BadValue("pinned_percent", std::to_string(options.pinned_percent),
                 "from 0 to " + std::to_string(kMaxPinnedPercent));
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
