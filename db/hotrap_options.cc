//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hotrap_options.h"

#include <cstddef>
#include <string>
#include <unordered_map>

#include "options/cf_options.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// RALT and the promotion cache need one level below L0 on the fast tier at
// the least, or a promoted record would fall to the slow tier at once.
constexpr int kMinFirstSlowLevel = 2;

const std::unordered_map<std::string, OptionTypeInfo>& HotRapTypeInfo() {
  static const std::unordered_map<std::string, OptionTypeInfo> info = {
      {"enabled",
       {offsetof(struct HotRapOptions, enabled), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"promotion_cache_bytes",
       {offsetof(struct HotRapOptions, promotion_cache_bytes),
        OptionType::kUInt64T, OptionVerificationType::kNormal,
        OptionTypeFlags::kMutable}},
      {"cached_hit_sampling",
       {offsetof(struct HotRapOptions, cached_hit_sampling),
        OptionType::kUInt32T, OptionVerificationType::kNormal,
        OptionTypeFlags::kMutable}},
      {"fast_budget_bytes",
       {offsetof(struct HotRapOptions, fast_budget_bytes), OptionType::kUInt64T,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"access_buffer_bytes",
       {offsetof(struct HotRapOptions, access_buffer_bytes),
        OptionType::kUInt64T, OptionVerificationType::kNormal,
        OptionTypeFlags::kMutable}},
      {"auto_tune",
       {offsetof(struct HotRapOptions, auto_tune), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"extra_level",
       {offsetof(struct HotRapOptions, extra_level), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"no_retain",
       {offsetof(struct HotRapOptions, no_retain), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"no_hotness_check",
       {offsetof(struct HotRapOptions, no_hotness_check), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"no_by_compaction",
       {offsetof(struct HotRapOptions, no_by_compaction), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
  };
  return info;
}

}  // namespace

OptionTypeInfo HotRapOptionTypeInfo(int offset) {
  OptionTypeInfo info = OptionTypeInfo::Struct(
      "hotrap", &HotRapTypeInfo(), offset, OptionVerificationType::kNormal,
      OptionTypeFlags::kMutable);
  info.SetSerializeFunc([](const ConfigOptions& config_options,
                           const std::string& name, const void* addr,
                           std::string* value) {
    if (!static_cast<const HotRapOptions*>(addr)->enabled) {
      value->clear();
      return Status::OK();
    }
    return OptionTypeInfo::SerializeStruct(
        config_options, "hotrap", &HotRapTypeInfo(), name, addr, value);
  });
  // What is not written must not count as a difference when an OPTIONS file is
  // read back.
  info.SetEqualsFunc([](const ConfigOptions& config_options,
                        const std::string& name, const void* addr1,
                        const void* addr2, std::string* mismatch) {
    if (!static_cast<const HotRapOptions*>(addr1)->enabled &&
        !static_cast<const HotRapOptions*>(addr2)->enabled) {
      return true;
    }
    return OptionTypeInfo::StructsAreEqual(config_options, "hotrap",
                                           &HotRapTypeInfo(), name, addr1,
                                           addr2, mismatch);
  });
  return info;
}

int FirstSlowLevel(const std::vector<DbPath>& paths, int num_levels,
                   uint64_t max_bytes_for_level_base,
                   double max_bytes_for_level_multiplier,
                   const std::vector<int>& multiplier_additional) {
  if (paths.size() < 2) {
    return num_levels;
  }
  // L0 is taken to be as large as L1.
  uint64_t room = paths[0].target_size;
  uint64_t level_bytes = max_bytes_for_level_base;
  for (int level = 0; level < num_levels; level++) {
    if (level_bytes > room) {
      return level;
    }
    room -= level_bytes;
    if (level > 0) {
      int additional = 1;
      if (static_cast<size_t>(level) < multiplier_additional.size()) {
        additional = multiplier_additional[level];
      }
      level_bytes = static_cast<uint64_t>(
          level_bytes * max_bytes_for_level_multiplier * additional);
    }
  }
  return num_levels;
}

int FirstSlowLevel(const ImmutableOptions& ioptions,
                   const MutableCFOptions& options) {
  return FirstSlowLevel(ioptions.cf_paths, ioptions.num_levels,
                        options.max_bytes_for_level_base,
                        options.max_bytes_for_level_multiplier,
                        options.max_bytes_for_level_multiplier_additional);
}

Status ValidateHotRapOptions(const DBOptions& db_options,
                             const ColumnFamilyOptions& cf_options) {
  const HotRapOptions& hotrap = cf_options.hotrap;
  if (!hotrap.enabled) {
    return Status::OK();
  }
  if (hotrap.cached_hit_sampling == 0) {
    return Status::InvalidArgument(
        "hotrap.cached_hit_sampling is 0; it must be 1 (record every access) "
        "or more");
  }
  if (hotrap.access_buffer_bytes < (64 << 10)) {
    return Status::InvalidArgument(
        "hotrap.access_buffer_bytes is below 64 KiB, which tracks nothing");
  }
  const std::vector<DbPath>& paths =
      cf_options.cf_paths.empty() ? db_options.db_paths : cf_options.cf_paths;
  if (paths.size() < 2 ||
      cf_options.compaction_style != kCompactionStyleLevel) {
    // Inactive, not wrong: an OPTIONS file does not hold the paths, so a tool
    // that reads it sees one path only.
    return Status::OK();
  }
  const int first_slow_level = FirstSlowLevel(
      paths, cf_options.num_levels, cf_options.max_bytes_for_level_base,
      cf_options.max_bytes_for_level_multiplier,
      cf_options.max_bytes_for_level_multiplier_additional);
  if (first_slow_level < kMinFirstSlowLevel) {
    return Status::InvalidArgument(
        "hotrap needs L0 and L1 on the fast tier, but its target_size of " +
        std::to_string(paths[0].target_size) +
        " bytes is less than twice max_bytes_for_level_base of " +
        std::to_string(cf_options.max_bytes_for_level_base) +
        " bytes; raise the former or lower the latter");
  }
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
