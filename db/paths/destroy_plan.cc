//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/destroy_plan.h"

#include <algorithm>
#include <memory>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/manifest_tables.h"
#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/db/paths/table_locator.h"

namespace ROCKSDB_NAMESPACE {

DestroyPlan::DestroyPlan(FileSystem* fs, const std::string& dbname,
                         const std::vector<DbPath>& db_paths,
                         const std::vector<ColumnFamilyDescriptor>& families)
    : fs_(fs),
      dbname_(dbname),
      given_({dbname}),
      longest_list_(std::max<size_t>(db_paths.size(), 1)) {
  for (const DbPath& path : db_paths) {
    given_.push_back(path.path);
  }
  for (const ColumnFamilyDescriptor& family : families) {
    for (const DbPath& path : family.options.cf_paths) {
      given_.push_back(path.path);
    }
    longest_list_ = std::max(longest_list_, family.options.cf_paths.size());
  }
}

DestroyPlan::~DestroyPlan() {
  if (is_known_ && is_done_) {
    // If it contains other files, it stays.
    fs_->DeleteDir(dbname_, IOOptions(), nullptr).PermitUncheckedError();
  }
}

bool DestroyPlan::IsGiven(const std::string& folder) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const std::string& given) {
                       return PathsFile::IsSameFolder(fs_, given, folder);
                     });
}

std::map<uint64_t, std::string> DestroyPlan::TablesOfManifest(
    const std::string& folder) const {
  std::map<uint64_t, std::string> tables;
  for (const std::string& name : TableNames(fs_, folder)) {
    uint64_t number = 0;
    FileType type = kTempFile;
    uint64_t size = 0;
    const std::string path = folder + "/" + name;
    if (ParseFileName(name, &number, &type) && sizes_.count(number) > 0 &&
        fs_->GetFileSize(path, IOOptions(), &size, nullptr).ok() &&
        size == sizes_.at(number)) {
      tables[number] = path;
    }
  }
  return tables;
}

std::vector<std::string> DestroyPlan::KnownFolders() const {
  std::vector<std::string> folders = known_.Folders();
  folders.insert(folders.end(), known_.left.begin(), known_.left.end());
  return folders;
}

void DestroyPlan::FindOwnIds() {
  // A repaired or copied DB has another id than its older tables.
  own_ids_ = known_.db_ids;
  own_ids_.merge(OwnDbIds(fs_, dbname_));
  for (const std::string& folder : KnownFolders()) {
    std::vector<std::string> tables;
    for (const auto& [number, table] : TablesOfManifest(folder)) {
      tables.push_back(table);
    }
    own_ids_.merge(DbIdsOfTables(fs_, tables));
  }
}

void DestroyPlan::FindOwnFolders() {
  FindOwnIds();
  for (const std::string& folder : KnownFolders()) {
    if (!IsGiven(folder) && IsOwn(folder)) {
      folders_.push_back(folder);
    }
  }
}

bool DestroyPlan::IsOwn(const std::string& folder) const {
  if (!PathOwner::Check(fs_, folder, dbname_).ok()) {
    return false;
  }
  const std::set<std::string> ids = DbIdsOfTables(fs_, TablesIn(fs_, folder));
  return ids.empty() || !TablesOfManifest(folder).empty() ||
         std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
           return own_ids_.count(id) > 0;
         });
}

Status DestroyPlan::CheckMoved() const {
  if (fs_->FileExists(CurrentFileName(known_.db_folder), IOOptions(), nullptr)
          .ok()) {
    return Status::OK();  // this is a copy
  }
  for (const std::string& folder : known_.Folders()) {
    if (!IsGiven(folder) && !TablesOfManifest(folder).empty()) {
      return Status::InvalidArgument(
          "DestroyDB cannot tell whose tables are in a folder that " +
              PathsFile::FileName(dbname_) +
              " names, as the DB was moved from " + known_.db_folder +
              " (give it as a path, or remove that file to leave it alone)",
          folder);
    }
  }
  return Status::OK();
}

Status DestroyPlan::Make() {
  is_known_ = PathsFile::Exists(fs_, dbname_);
  Status s = PathOwner::CheckAll(
      fs_, given_, dbname_,
      "DestroyDB would delete the tables of another DB on a path");
  if (!s.ok()) {
    return s;
  }
  const ManifestTables manifest = ManifestTables::Read(fs_, dbname_);
  sizes_ = manifest.Sizes();
  for (const std::string& folder : given_) {
    for (const auto& [number, table] : TablesOfManifest(folder)) {
      sizes_.erase(number);
    }
  }
  // Of a damaged file, nothing is used.
  if (PathsFile::Read(fs_, dbname_, &known_).ok() &&
      !known_.db_folder.empty()) {
    longest_list_ = std::max(longest_list_, known_.db_paths.size());
    for (const auto& [name, paths] : known_.cf_paths) {
      longest_list_ = std::max(longest_list_, paths.size());
    }
    if (PathsFile::IsSameFolder(fs_, known_.db_folder, dbname_)) {
      FindOwnFolders();
    } else {
      s = CheckMoved();
      if (!s.ok()) {
        return s;
      }
    }
  }
  std::vector<DbPath> all;
  for (const std::vector<std::string>& folders : {given_, folders_}) {
    for (const std::string& folder : folders) {
      all.emplace_back(folder, 0);
    }
  }
  TableLocator locator(fs_, TableLocator::Source::kListings);
  bool by_listing = false;
  for (const auto& [id, family] : manifest.families) {
    for (const auto& [number, table] : family.tables) {
      if (table.path < longest_list_) {
        continue;
      }
      by_listing = true;
      if (!locator.Find(all, number, table.path).found) {
        return Status::InvalidArgument(
            "DestroyDB must know every path: by the MANIFEST a table lies on a "
            "path that is not among db_paths and cf_paths (remove the MANIFEST "
            "to leave such tables where they are)",
            MakeTableFileName(number));
      }
    }
  }
  if (is_known_ && !folders_.empty()) {
    // For a second attempt, which finds neither IDENTITY nor the MANIFEST.
    known_.db_ids = own_ids_;
    known_.Write(fs_, dbname_).PermitUncheckedError();
  }
  // A second attempt after a kill would miss the tables that were deleted.
  return by_listing ? EmptyManifests() : Status::OK();
}

Status DestroyPlan::EmptyManifests() {
  std::vector<std::string> names;
  IOStatus s = fs_->GetChildren(dbname_, IOOptions(), &names, nullptr);
  std::set<uint64_t> numbers;
  for (const std::string& name : names) {
    uint64_t number = 0;
    FileType type = kTempFile;
    if (ParseFileName(name, &number, &type) && type == kDescriptorFile) {
      numbers.insert(number);
    }
  }
  // The newest last: until then it says where all tables are. A file that is
  // truncated would be truncated in a copy by hard links, too.
  for (const uint64_t number : numbers) {
    const std::string manifest = DescriptorFileName(dbname_, number);
    std::unique_ptr<FSWritableFile> file;
    if (s.ok()) {
      s = fs_->DeleteFile(manifest, IOOptions(), nullptr);
    }
    if (s.ok()) {
      s = fs_->NewWritableFile(manifest, FileOptions(), &file, nullptr);
    }
    if (s.ok()) {
      s = file->Close(IOOptions(), nullptr);
    }
  }
  return s;
}

Status DestroyPlan::Finish() {
  for (const std::vector<std::string>& folders : {given_, folders_}) {
    for (const std::string& folder : folders) {
      if (PathsFile::IsSameFolder(fs_, folder, dbname_)) {
        continue;
      }
      std::vector<std::string> names;
      const IOStatus s = fs_->GetChildren(folder, IOOptions(), &names, nullptr);
      if (!s.ok() && !s.IsNotFound() && !s.IsPathNotFound()) {
        return s;
      }
      if (!TableNames(fs_, folder).empty()) {
        return Status::IOError("DestroyDB has left tables behind", folder);
      }
    }
  }
  // While HOTRAP_PATHS names them.
  for (const std::string& folder : folders_) {
    fs_->DeleteDir(folder, IOOptions(), nullptr).PermitUncheckedError();
  }
  is_done_ = true;
  return PathsFile::Remove(fs_, dbname_);
}

}  // namespace ROCKSDB_NAMESPACE
