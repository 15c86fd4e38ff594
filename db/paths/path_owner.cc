//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/path_owner.h"

#include <algorithm>
#include <vector>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "rocksdb/env.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr char kOwnerFile[] = "HOTRAP_OWNER";
constexpr char kIfNothingIsLeft[] =
    " (if nothing else is left of that DB, remove its CURRENT)";

// "" if there is no such file, or nothing in it.
std::string NotedOwner(FileSystem* fs, const std::string& folder) {
  const std::string name = PathOwner::FileName(folder);
  std::string text;
  const bool found = fs->FileExists(name, OpeningIo(), nullptr).ok() &&
                     ReadFileToString(fs, name, OpeningIo(), &text).ok();
  return found ? PathsFile::FromText(text).db_folder : "";
}

bool HasPath(FileSystem* fs, const std::string& db_folder,
             const std::string& folder) {
  PathsFile file;
  if (!fs->FileExists(CurrentFileName(db_folder), OpeningIo(), nullptr).ok() ||
      !PathsFile::Read(fs, db_folder, &file).ok()) {
    return false;
  }
  const std::vector<std::string> folders = file.Folders();
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& path) {
                       return PathsFile::IsSameFolder(fs, path, folder);
                     });
}

}  // namespace

std::string PathOwner::FileName(const std::string& folder) {
  return folder + "/" + kOwnerFile;
}

Status PathOwner::Check(FileSystem* fs, const std::string& folder,
                        const std::string& dbname, const std::string& refusal) {
  const IOStatus current =
      fs->FileExists(CurrentFileName(folder), OpeningIo(), nullptr);
  if (current.ok()) {
    return Status::InvalidArgument(refusal + kIfNothingIsLeft, folder);
  }
  if (!current.IsNotFound() && !current.IsPathNotFound()) {
    return current;
  }
  const std::string owner = NotedOwner(fs, folder);
  if (owner.empty() || PathsFile::IsSameFolder(fs, owner, dbname) ||
      !HasPath(fs, owner, folder)) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      refusal + ", the one in " + owner + kIfNothingIsLeft, folder);
}

Status PathOwner::CheckAll(FileSystem* fs,
                           const std::vector<std::string>& folders,
                           const std::string& dbname,
                           const std::string& refusal) {
  Status s;
  for (const std::string& folder : folders) {
    if (s.ok() && !PathsFile::IsSameFolder(fs, folder, dbname)) {
      s = Check(fs, folder, dbname, refusal);
    }
  }
  return s;
}

void PathOwner::Note(FileSystem* fs, const std::string& folder,
                     const std::string& db_folder) {
  if (NotedOwner(fs, folder) != db_folder &&
      Check(fs, folder, db_folder).ok()) {
    PathsFile file;
    file.db_folder = db_folder;
    file.WriteTo(fs, folder, FileName(folder)).PermitUncheckedError();
  }
}

void PathOwner::Forget(FileSystem* fs, const std::string& folder) {
  PathsFile::RemoveFrom(fs, FileName(folder)).PermitUncheckedError();
}

}  // namespace ROCKSDB_NAMESPACE
