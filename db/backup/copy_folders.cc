//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/backup/copy_folders.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "plugin/hotrap/db/paths/root_folder.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
}  // namespace

std::string CopyFolders::WithoutSlashAtEnd(const std::string& folder) {
  return folder.substr(0, folder.find_last_not_of('/') + 1);
}

CopyFolders::CopyFolders(FileSystem* fs, const std::string& folder)
    : fs_(fs),
      own_(PathsFile::Folder(fs, folder)),
      absolute_(AbsoluteFolder(fs, folder)) {}

std::string CopyFolders::Below(const Root& root,
                               const std::vector<DbPath>& known, bool last) {
  const std::string absolute = AbsoluteFolder(fs_, root.folder);
  std::vector<DbPath> paths(known);
  if (last) {
    std::reverse(paths.begin(), paths.end());
  }
  std::string folder;
  for (const DbPath& path : paths) {
    if (folder.empty() && !IsOwn(path.path) &&
        IsWithin(AbsoluteFolder(fs_, path.path), absolute)) {
      folder = path.path;
    }
  }
  if (folder.empty()) {
    folder = FolderBelow(PathsFile::Folder(fs_, root.folder), absolute_);
  }
  roots_[folder] = root;
  return folder;
}

Status CopyFolders::AddByRoots(const std::string& cf_name,
                               const HotRapOptions& hotrap, uint64_t fast_bytes,
                               const std::vector<DbPath>& known) {
  const Root slow =
      hotrap.checkpoint_slow_root.empty()
          ? Root{"slow_root", hotrap.slow_root}
          : Root{"checkpoint_slow_root", hotrap.checkpoint_slow_root};
  const Root fast = {"fast_root", hotrap.fast_root};
  for (const Root* root : {&slow, &fast}) {
    if (!root->folder.empty()) {
      const Status s = CheckRoot(fs_, root->field, root->folder, absolute_);
      if (!s.ok()) {
        return s;
      }
    }
  }
  std::vector<DbPath>& paths = families_[cf_name];
  paths.assign(2, DbPath(own_, kUnlimited));
  if (!fast.folder.empty()) {
    paths.front().path = Below(fast, known, /*last=*/false);
  }
  if (!slow.folder.empty()) {
    paths.back().path = Below(slow, known, /*last=*/true);
  }
  paths.front().target_size = fast_bytes;
  return Status::OK();
}

void CopyFolders::AddPaths(const std::string& cf_name,
                           const std::vector<DbPath>& paths) {
  families_[cf_name] = {paths.front(), paths.back()};
}

std::string CopyFolders::Fast(const std::string& cf_name) const {
  const auto family = families_.find(cf_name);
  return family == families_.end() ? own_ : family->second.front().path;
}

std::string CopyFolders::Slow(const std::string& cf_name) const {
  const auto family = families_.find(cf_name);
  return family == families_.end() ? own_ : family->second.back().path;
}

std::vector<std::string> CopyFolders::Others() const {
  std::vector<std::string> others;
  for (const auto& [name, paths] : families_) {
    for (const DbPath& path : paths) {
      if (!IsOwn(path.path) &&
          std::find(others.begin(), others.end(), path.path) == others.end()) {
        others.push_back(path.path);
      }
    }
  }
  return others;
}

PathsFile CopyFolders::ToFile() const {
  PathsFile file;
  file.db_folder = own_;
  file.db_paths = {{own_, kUnlimited}};
  for (const auto& [name, paths] : families_) {
    if (!PathsFile::IsSameFolder(fs_, paths.front().path, paths.back().path)) {
      std::vector<DbPath>& noted = file.cf_paths[name];
      for (const DbPath& path : paths) {
        noted.emplace_back(PathsFile::Folder(fs_, path.path), path.target_size);
      }
    }
  }
  return file;
}

Status CopyFolders::Make() const {
  for (const std::string& folder : Others()) {
    const auto root = roots_.find(folder);
    const Status s =
        root != roots_.end()
            ? MakeFolder(fs_, root->second.field, root->second.folder, folder)
            : fs_->CreateDirIfMissing(folder, IOOptions(), nullptr);
    if (!s.ok()) {
      return s;
    }
  }
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
