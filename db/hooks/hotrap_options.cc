//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_options.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "options/cf_options.h"
#include "options/db_options.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/test_util/hotrap_force.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

namespace {

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
      {"fast_block_bytes",
       {offsetof(struct HotRapOptions, fast_block_bytes), OptionType::kUInt64T,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"small_level_filter_bits",
       {offsetof(struct HotRapOptions, small_level_filter_bits),
        OptionType::kUInt32T, OptionVerificationType::kNormal,
        OptionTypeFlags::kMutable}},
      {"relocation_bytes_per_sec",
       {offsetof(struct HotRapOptions, relocation_bytes_per_sec),
        OptionType::kUInt64T, OptionVerificationType::kNormal,
        OptionTypeFlags::kMutable}},
      {"no_retain",
       {offsetof(struct HotRapOptions, no_retain), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"no_hotness_check",
       {offsetof(struct HotRapOptions, no_hotness_check), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"no_by_compaction",
       {offsetof(struct HotRapOptions, no_by_compaction), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
      {"no_tracking",
       {offsetof(struct HotRapOptions, no_tracking), OptionType::kBoolean,
        OptionVerificationType::kNormal, OptionTypeFlags::kMutable}},
  };
  return info;
}

// Returns whether RocksDB compacts tables into the next level because they are
// read. Each read that passes a table on its way down counts, even if the Bloom
// filter rejects it, so in time that is every table of the fast tier.
bool SendsReadTablesDown(const ColumnFamilyOptions& cf_options) {
#if ROCKSDB_MAJOR >= 11
  return cf_options.read_triggered_compaction_threshold > 0;
#else
  (void)cf_options;
  return false;
#endif
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
  // Fields that are not written must not count as differences when the OPTIONS
  // file is read back.
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
        "hotrap.access_buffer_bytes is below the minimum of 64 KiB");
  }
  const std::vector<DbPath>& paths =
      cf_options.cf_paths.empty() ? db_options.db_paths : cf_options.cf_paths;
  if (paths.size() < 2 || cf_options.num_levels < 3 ||
      cf_options.compaction_style != kCompactionStyleLevel) {
    // Inactive, but not an error: an OPTIONS file does not hold the paths, so a
    // tool that reads it sees only one path. The statistics property names the
    // reason.
    return Status::OK();
  }
  if (SendsReadTablesDown(cf_options)) {
    return Status::InvalidArgument(
        "hotrap keeps what is read on the fast tier, but "
        "read_triggered_compaction_threshold sends tables down because they "
        "are read; set it to 0");
  }
  const HotRapLevelShape shape =
      ComputeLevelShape(paths[0].target_size, cf_options.num_levels,
                        cf_options.min_write_buffer_number_to_merge,
                        MutableCFOptions(cf_options));
  if (shape.first_slow_level < 2) {
    return Status::InvalidArgument(
        "hotrap needs L0 and L1 on the fast tier, but its budget of " +
        std::to_string(shape.budget_bytes) +
        " bytes (hotrap.fast_budget_bytes, else the first path's target_size) "
        "is less than twice max_bytes_for_level_base of " +
        std::to_string(cf_options.max_bytes_for_level_base) +
        " bytes; raise the former to " +
        std::to_string(
            MultiplyCheckOverflow(cf_options.max_bytes_for_level_base, 2)) +
        " or more, or lower the latter to " +
        std::to_string(shape.budget_bytes / 2) + " or less");
  }
  return Status::OK();
}

void SanitizeHotRapOptions(const ImmutableDBOptions& db_options, bool read_only,
                           ColumnFamilyOptions* cf_options) {
  HotRapForce* const force = HotRapForce::Get();
  if (force != nullptr && !SendsReadTablesDown(*cf_options)) {
    force->SetOptions(db_options.fs.get(), read_only, cf_options);
  }
}

}  // namespace ROCKSDB_NAMESPACE
