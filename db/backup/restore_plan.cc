//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/restore_plan.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "file/filename.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/paths/root_folder.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/db/settings/default_options.h"
#include "plugin/hotrap/db/settings/environment_options.h"
#include "plugin/hotrap/db/state/ralt_folders.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "rocksdb/utilities/options_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// The name that a file has in a DB: without its folder in the backup, and
// without what shared_checksum/ adds to the number.
std::string NameIn(const BackupFileInfo& file) {
  const std::string name =
      file.relative_filename.substr(file.relative_filename.rfind('/') + 1);
  const size_t end = name.find('_');
  return end == std::string::npos
             ? name
             : name.substr(0, end) + name.substr(name.rfind('.'));
}

// Whether a folder is there, or the one that it is in. Otherwise its disk is
// another machine's.
bool CanBeMade(FileSystem* fs, const std::string& folder) {
  return fs->FileExists(folder, IOOptions(), nullptr).ok() ||
         fs->FileExists(std::filesystem::path(folder).parent_path().string(),
                        IOOptions(), nullptr)
             .ok();
}

// The options of the column families of a backup, by name.
std::map<std::string, HotRapOptions> OptionsIn(const BackupInfo& backup) {
  ConfigOptions config;
  config.env = backup.env_for_open.get();
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  // Without them there are no roots.
  LoadLatestOptions(config, backup.name_for_open, &db_options, &families)
      .PermitUncheckedError();
  std::map<std::string, HotRapOptions> options;
  for (const ColumnFamilyDescriptor& family : families) {
    options[family.name] = family.options.hotrap;
  }
  return options;
}

}  // namespace

RestorePlan::RestorePlan(FileSystem* db_fs, const std::string& db_dir,
                         Logger* info_log)
    : fs_(db_fs),
      db_dir_(db_dir),
      info_log_(info_log),
      folders_(db_fs, db_dir) {
  is_known_ = PathsFile::Read(fs_, db_dir_, &known_).ok() &&
              PathsFile::IsSameFolder(fs_, known_.db_folder, db_dir_);
  if (!is_known_) {
    known_ = PathsFile();
  }
}

Status RestorePlan::Make(const BackupInfo& backup) {
  FileSystem* const fs = backup.env_for_open->GetFileSystem().get();
  manifest_ = ManifestTables::Read(fs, backup.name_for_open);
  ReadNote(backup, fs);
  ChooseFolders(backup);
  PlaceFiles(backup);
  others_ = folders_.Others();
  for (const std::string& folder : known_.Folders()) {
    if (!folders_.IsOwn(folder) &&
        std::find(others_.begin(), others_.end(), folder) == others_.end()) {
      others_.push_back(folder);
    }
  }
  return CheckOthers(backup, fs);
}

void RestorePlan::ReadNote(const BackupInfo& backup, FileSystem* fs) {
  for (const BackupFileInfo& file : backup.file_details) {
    const std::string name = NameIn(file);
    std::string text;
    if (BackupNote::MayBe(name, file.size) &&
        ReadFileToString(fs, backup.name_for_open + "/" + name, &text).ok() &&
        BackupNote::Is(text)) {
      note_ = BackupNote::FromText(text);
      note_name_ = name;
    }
  }
}

HotRapOptions RestorePlan::OptionsOf(const std::string& cf_name,
                                     const HotRapOptions& in_backup,
                                     bool* one_folder) {
  const std::vector<std::string> names = {AbsoluteFolder(fs_, db_dir_),
                                          folders_.own()};
  const std::optional<HotRapOptions> defaults =
      DefaultOptions::OfTheProcess().Find(names, cf_name);
  EnvironmentOptions environment;
  const HotRapOptions* found = nullptr;
  if (defaults.has_value()) {
    found = &*defaults;
  } else if (EnvironmentOptions::IsSet() && IsOfTheMachine(fs_) &&
             EnvironmentOptions::Read(&environment).ok()) {
    found = environment.Find(names, cf_name);
  }
  if (found == nullptr) {
    return in_backup;
  }
  *one_folder = !found->enabled;
  return *found;
}

void RestorePlan::ChooseFolders(const BackupInfo& backup) {
  const std::map<std::string, HotRapOptions> options = OptionsIn(backup);
  PathsFile had = known_;
  if (!is_known_ &&
      PathsFile::IsSameFolder(fs_, note_.paths.db_folder, db_dir_)) {
    had = note_.paths;
  }
  for (const auto& [id, family] : manifest_.families) {
    const auto in_backup = options.find(family.name);
    bool one_folder = false;
    const HotRapOptions hotrap = OptionsOf(
        family.name,
        in_backup == options.end() ? HotRapOptions() : in_backup->second,
        &one_folder);
    if (one_folder) {
      continue;
    }
    const std::vector<DbPath>& paths = had.PathsOf(family.name);
    const std::vector<DbPath>& in_note = note_.paths.PathsOf(family.name);
    const uint64_t fast_bytes = hotrap.fast_budget_bytes > 0 || in_note.empty()
                                    ? hotrap.fast_budget_bytes
                                    : in_note.front().target_size;
    const bool has_root = !hotrap.slow_root.empty() ||
                          !hotrap.fast_root.empty() ||
                          !hotrap.checkpoint_slow_root.empty();
    if (has_root) {
      const Status s =
          folders_.AddByRoots(family.name, hotrap, fast_bytes, paths);
      if (!s.ok()) {
        ROCKS_LOG_WARN(info_log_,
                       "[%s] HotRAP: restored to one folder, since %s",
                       family.name.c_str(), s.ToString().c_str());
      }
    } else if (paths.size() > 1 && CanBeMade(fs_, paths.front().path) &&
               CanBeMade(fs_, paths.back().path)) {
      folders_.AddPaths(family.name, paths);
    }
  }
}

void RestorePlan::PlaceFiles(const BackupInfo& backup) {
  std::set<std::string> fast_folders;
  for (const auto& [id, family] : manifest_.families) {
    const std::string fast = folders_.Fast(family.name);
    const std::string slow = folders_.Slow(family.name);
    fast_folders.insert(fast);
    for (const auto& [number, table] : family.tables) {
      const std::string& folder = table.path == 0 ? fast : slow;
      if (!folders_.IsOwn(folder)) {
        const std::string name = MakeTableFileName(number);
        places_[name] = folder + "/" + name;
      }
    }
  }
  for (const BackupFileInfo& file : backup.file_details) {
    const std::string name = NameIn(file);
    uint64_t number = 0;
    FileType type = kTempFile;
    // A blob file is on the first path; which column family it is of, only the
    // whole MANIFEST says.
    if (ParseFileName(name, &number, &type) && type == kBlobFile &&
        fast_folders.size() == 1 && !folders_.IsOwn(*fast_folders.begin())) {
      places_[name] = *fast_folders.begin() + "/" + name;
    }
    const auto ralt = note_.ralt.find(name);
    if (ralt == note_.ralt.end()) {
      continue;
    }
    const auto family = manifest_.families.find(ralt->second.cf_id);
    if (family != manifest_.families.end()) {
      const std::string folder = RaltFolders::In(
          folders_.Fast(family->second.name), ralt->second.cf_id);
      places_[name] = folder + "/" + ralt->second.name;
      ralt_folders_.push_back(folder);
    }
  }
}

Status RestorePlan::CheckOthers(const BackupInfo& backup,
                                FileSystem* fs) const {
  std::optional<std::set<std::string>> own_ids;
  for (const std::string& folder : others_) {
    Status s = PathOwner::Check(
        fs_, folder, db_dir_,
        "A folder to restore to is another DB's, whose tables would be "
        "deleted; give each DB a folder of its own");
    if (!s.ok()) {
      return s;
    }
    const std::set<std::string> ids = DbIdsOfTables(fs_, TablesIn(fs_, folder));
    if (ids.empty()) {
      continue;
    }
    if (!own_ids.has_value()) {
      own_ids = OwnDbIds(fs, backup.name_for_open);
      own_ids->merge(OwnDbIds(fs_, db_dir_));
    }
    for (const std::string& id : ids) {
      if (own_ids->count(id) == 0) {
        return Status::InvalidArgument(
            "A folder to restore to holds tables of another DB, which would be "
            "deleted (remove them, or give each DB a folder of its own)",
            folder);
      }
    }
  }
  return Status::OK();
}

bool RestorePlan::IsPlain() const { return others_.empty() && places_.empty(); }

Status RestorePlan::Begin() {
  Status s = fs_->CreateDirIfMissing(db_dir_, IOOptions(), nullptr);
  if (s.ok()) {
    s = folders_.Make();
  }
  if (s.ok() && !folders_.Others().empty()) {
    PathsFile file = folders_.ToFile();
    // Their tables go, but not before the new ones come.
    file.left.insert(others_.begin(), others_.end());
    s = file.Write(fs_, db_dir_);
  }
  // A DB that has known more accesses than the backup is not the one that is
  // restored.
  std::set<std::string> folders(others_.begin(), others_.end());
  folders.insert(db_dir_);
  for (const std::string& folder : folders) {
    RaltFolders::DestroyAll(folder, fs_);
  }
  for (const std::string& folder : ralt_folders_) {
    if (s.ok()) {
      s = fs_->CreateDirIfMissing(folder, IOOptions(), nullptr);
    }
  }
  return s;
}

Status RestorePlan::Finish() {
  if (!note_name_.empty()) {
    fs_->DeleteFile(db_dir_ + "/" + note_name_, IOOptions(), nullptr)
        .PermitUncheckedError();
  }
  return folders_.Others().empty() ? PathsFile::Remove(fs_, db_dir_)
                                   : folders_.ToFile().Write(fs_, db_dir_);
}

}  // namespace ROCKSDB_NAMESPACE
