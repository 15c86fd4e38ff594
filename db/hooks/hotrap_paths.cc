//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_paths.h"

#include <cinttypes>
#include <optional>
#include <utility>

#include "db/column_family.h"
#include "logging/logging.h"
#include "monitoring/persistent_stats_history.h"
#include "options/cf_options.h"
#include "options/db_options.h"
#include "plugin/hotrap/db/hooks/hotrap_options.h"
#include "plugin/hotrap/db/paths/path_choice.h"
#include "plugin/hotrap/db/paths/root_folder.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/settings/default_options.h"
#include "plugin/hotrap/db/settings/environment_options.h"
#include "plugin/hotrap/db/settings/option_fields.h"
#include "plugin/hotrap/db/state/key_rules.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Settles the options of a DB's column families, one after another.
class Settling {
 public:
  Settling(const ImmutableDBOptions& db_options, const std::string& dbname,
           bool read_only)
      : db_options_(db_options),
        read_only_(read_only),
        paths_(db_options.fs.get(), dbname, db_options.db_paths, read_only) {}

  Status Settle(const std::string& cf_name, ColumnFamilyOptions* options);
  // Makes what was settled true on the disk.
  Status Make() { return paths_.Make(); }

 private:
  Status AskEnvironment(const std::string& cf_name,
                        ColumnFamilyOptions* options);
  // Takes options from the environment, or says in `reason` why they are of no
  // use.
  Status Take(const std::string& cf_name, const HotRapOptions& hotrap,
              ColumnFamilyOptions* options, std::string* reason);

  // Returns why blobs would be lost if this were the first of several paths, or
  // an empty string. RocksDB 11 writes those that bypass the memtable to the
  // DB's folder, and reads all blobs on the first path.
  std::string LostBlobs(const ColumnFamilyOptions& options,
                        const std::string& first_path) const;

  const ImmutableDBOptions& db_options_;
  const bool read_only_;
  PathChoice paths_;
  bool has_read_ = false;
  EnvironmentOptions environment_;
};

// Returns why HotRAP cannot work with these options, or an empty string.
// REQUIRES: cf_paths is set
std::string InactiveReason(const ColumnFamilyOptions& options) {
  const ImmutableCFOptions ioptions(options);
  const MutableCFOptions moptions(options);
  const std::string reason = HotRapInactiveReason(
      ioptions, moptions, ComputeLevelShape(ioptions, moptions));
  if (!reason.empty()) {
    return reason;
  }
  const Status s = ValidateHotRapOptions(DBOptions(), options);
  return s.ok() ? "" : s.getState();
}

Status Settling::Take(const std::string& cf_name, const HotRapOptions& hotrap,
                      ColumnFamilyOptions* options, std::string* reason) {
  if (!IsOfTheMachine(db_options_.fs.get())) {
    *reason = "the DB's files are not in the machine's file system";
    return Status::OK();
  }
  if (!hotrap.enabled) {
    *reason = "it says enabled=false";
    return Status::OK();
  }
  const Status valid = KeyRules::Validate(options->comparator, hotrap);
  if (!valid.ok()) {
    return Status::InvalidArgument(hotrap.source + ": " + valid.getState());
  }
  ColumnFamilyOptions taken(*options);
  taken.hotrap = hotrap;
  if (paths_.Given(taken).size() > 1) {
    // The program's paths are as good as any.
    taken.hotrap.slow_root.clear();
    taken.hotrap.fast_root.clear();
    taken.cf_paths = paths_.Given(taken);
  } else {
    // Where it cannot work with any paths, the roots do not matter.
    ColumnFamilyOptions two_paths(taken);
    two_paths.cf_paths.assign(2, {"", hotrap.fast_budget_bytes});
    *reason = InactiveReason(two_paths);
    if (!reason->empty() && hotrap.fast_budget_bytes > 0) {
      return Status::OK();
    }
    *reason =
        LostBlobs(taken, hotrap.fast_root.empty() ? paths_.Given(taken)[0].path
                                                  : hotrap.fast_root);
    if (!reason->empty()) {
      return Status::OK();
    }
    const Status s = paths_.Choose(cf_name, &taken);
    if (!s.ok()) {
      return Status::InvalidArgument(hotrap.source + ": " + s.getState());
    }
  }
  if (taken.cf_paths.empty()) {
    taken.cf_paths = paths_.Given(taken);
  }
  *reason = InactiveReason(taken);
  if (reason->empty()) {
    *options = std::move(taken);
  }
  return Status::OK();
}

std::string Settling::LostBlobs(
    [[maybe_unused]] const ColumnFamilyOptions& options,
    [[maybe_unused]] const std::string& first_path) const {
#if ROCKSDB_MAJOR >= 11
  if (!read_only_ && options.enable_blob_files &&
      options.enable_blob_direct_write &&
      !PathsFile::IsSameFolder(db_options_.fs.get(), first_path,
                               paths_.NameOfDb())) {
    return "enable_blob_direct_write writes blobs to the DB's folder, " +
           paths_.NameOfDb() +
           ", but they would be read on the first of several paths, " +
           first_path +
           "; set enable_blob_direct_write to false, or make the DB's folder "
           "the first path";
  }
#endif
  return "";
}

Status Settling::AskEnvironment(const std::string& cf_name,
                                ColumnFamilyOptions* options) {
  if (!IsLeftToTheEnvironment(options->hotrap)) {
    return Status::OK();
  }
  options->hotrap = HotRapOptions();
  const std::optional<HotRapOptions> defaults =
      DefaultOptions::OfTheProcess().Find(
          {paths_.DbFolder(), paths_.NameOfDb()}, cf_name);
  if (defaults.has_value()) {
    options->hotrap = *defaults;
    options->hotrap.source = kSourceProgram;
    return Status::OK();
  }
  if (!EnvironmentOptions::IsSet() ||
      cf_name == kPersistentStatsColumnFamilyName) {
    return Status::OK();
  }
  std::string source = kSourceEnvironment;
  std::string reason;
  if (read_only_) {
    reason = "the DB is open read-only or as a secondary instance";
  } else {
    if (!has_read_) {
      const Status s = EnvironmentOptions::Read(&environment_);
      if (!s.ok()) {
        return s;
      }
      has_read_ = true;
    }
    const HotRapOptions* const found =
        environment_.Find({paths_.DbFolder(), paths_.NameOfDb()}, cf_name);
    if (found == nullptr) {
      return Status::OK();
    }
    source = found->source;
    const Status s = Take(cf_name, *found, options, &reason);
    if (!s.ok()) {
      return s;
    }
  }
  if (!reason.empty()) {
    options->hotrap.source = source + ", not applied: " + reason;
  }
  ROCKS_LOG_INFO(db_options_.info_log, "[%s] HotRAP: options from %s",
                 cf_name.c_str(), options->hotrap.source.c_str());
  return Status::OK();
}

Status Settling::Settle(const std::string& cf_name,
                        ColumnFamilyOptions* options) {
  const size_t num_given = paths_.Given(*options).size();
  Status s = AskEnvironment(cf_name, options);
  if (s.ok()) {
    s = paths_.Choose(cf_name, options);
  }
  if (s.ok() && options->cf_paths.size() > 1 && num_given < 2) {
    s = CheckCFPathsSupported(DBOptions(), *options);
    if (s.ok() && !read_only_) {
      s = ValidateHotRapOptions(DBOptions(), *options);
    }
    for (const DbPath& path : options->cf_paths) {
      ROCKS_LOG_INFO(db_options_.info_log,
                     "[%s] HotRAP: path %s, %" PRIu64 " bytes", cf_name.c_str(),
                     path.path.c_str(), path.target_size);
    }
  }
  const std::vector<DbPath> paths = paths_.Given(*options);
  if (s.ok() && paths.size() > 1) {
    const std::string lost = LostBlobs(*options, paths[0].path);
    s = lost.empty() ? s : Status::NotSupported(lost);
  }
  return s;
}

}  // namespace

Status HotRapOpening::Prepare(
    const ImmutableDBOptions& db_options, const std::string& dbname,
    bool read_only,
    std::unordered_map<std::string, ColumnFamilyOptions>* families) {
  Settling settling(db_options, dbname, read_only);
  Status s;
  for (auto& [cf_name, options] : *families) {
    if (s.ok()) {
      s = settling.Settle(cf_name, &options);
    }
  }
  return s.ok() ? settling.Make() : s;
}

Status HotRapOpening::PrepareNew(const ImmutableDBOptions& db_options,
                                 const std::string& dbname,
                                 const std::string& cf_name,
                                 ColumnFamilyOptions* options) {
  Settling settling(db_options, dbname, /*read_only=*/false);
  const Status s = settling.Settle(cf_name, options);
  return s.ok() ? settling.Make() : s;
}

Status HotRapOpening::CheckNewDB(
    const ImmutableDBOptions& db_options, const std::string& dbname,
    const std::vector<ColumnFamilyDescriptor>& column_families) {
  Settling settling(db_options, dbname, /*read_only=*/false);
  std::vector<ColumnFamilyDescriptor> settled(column_families);
  for (ColumnFamilyDescriptor& family : settled) {
    const Status s = settling.Settle(family.name, &family.options);
    if (!s.ok()) {
      return s;
    }
  }
  const Status s = KnownPaths::CheckNewDB(db_options, dbname, settled);
  // Before the DB is there: where a folder cannot be made, none is left behind.
  return s.ok() ? settling.Make() : s;
}

}  // namespace ROCKSDB_NAMESPACE
