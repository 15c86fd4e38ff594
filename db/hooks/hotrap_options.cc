//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_options.h"

#include <string>
#include <tuple>
#include <vector>

#include "options/cf_options.h"
#include "options/db_options.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/settings/option_fields.h"
#include "plugin/hotrap/db/state/key_rules.h"
#include "plugin/hotrap/test_util/hotrap_force.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

namespace {

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

// Returns whether an OPTIONS file has the group.
bool IsWritten(const HotRapOptions& hotrap) {
  return hotrap.enabled && !IsFromEnvironment(hotrap);
}

}  // namespace

OptionTypeInfo HotRapOptionTypeInfo(int offset) {
  OptionTypeInfo info = OptionTypeInfo::Struct(
      "hotrap", &HotRapFields(), offset, OptionVerificationType::kNormal,
      OptionTypeFlags::kMutable);
  info.SetParseFunc([](const ConfigOptions& config_options,
                       const std::string& name, const std::string& value,
                       void* addr) {
    return ParseHotRapGroup(config_options, name, value,
                            static_cast<HotRapOptions*>(addr));
  });
  info.SetSerializeFunc([](const ConfigOptions& config_options,
                           const std::string& name, const void* addr,
                           std::string* value) {
    if (!IsWritten(*static_cast<const HotRapOptions*>(addr))) {
      value->clear();
      return Status::OK();
    }
    return OptionTypeInfo::SerializeStruct(config_options, "hotrap",
                                           &HotRapFields(), name, addr, value);
  });
  // Fields that are not written must not count as differences when the OPTIONS
  // file is read back.
  info.SetEqualsFunc([](const ConfigOptions& config_options,
                        const std::string& name, const void* addr1,
                        const void* addr2, std::string* mismatch) {
    if (!IsWritten(*static_cast<const HotRapOptions*>(addr1)) &&
        !IsWritten(*static_cast<const HotRapOptions*>(addr2))) {
      return true;
    }
    return OptionTypeInfo::StructsAreEqual(config_options, "hotrap",
                                           &HotRapFields(), name, addr1, addr2,
                                           mismatch);
  });
  return info;
}

Status ValidateHotRapOptions(const DBOptions& db_options,
                             const ColumnFamilyOptions& cf_options) {
  Status s = ValidateHotRapFields(cf_options.hotrap);
  if (s.ok() && cf_options.hotrap.enabled && cf_options.comparator != nullptr) {
    s = KeyRules::Validate(cf_options.comparator, cf_options.hotrap);
  }
  if (!s.ok() || !cf_options.hotrap.enabled) {
    return s;
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

Status ValidateHotRapChange(const HotRapOptions& before,
                            const HotRapOptions& after) {
  for (const auto& [field, old_root, new_root] :
       {std::make_tuple("slow_root", &before.slow_root, &after.slow_root),
        std::make_tuple("fast_root", &before.fast_root, &after.fast_root)}) {
    if (*old_root != *new_root) {
      return Status::InvalidArgument(
          "hotrap." + std::string(field) + " is \"" + *new_root +
          "\"; it must be what it was when the DB was opened, \"" + *old_root +
          "\"; open the DB with it to change it");
    }
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
