//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/table_locator.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <utility>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// One spelling of each folder: no double slashes, no "." and "..", and no slash
// at the end.
std::string Normal(const std::string& path) {
  const std::filesystem::path folder =
      std::filesystem::path(path).lexically_normal();
  return !folder.has_filename() && folder.has_relative_path()
             ? folder.parent_path().string()
             : folder.string();
}

}  // namespace

bool TableLocator::AreSeveral(const std::vector<DbPath>& paths) {
  return std::any_of(paths.begin(), paths.end(), [&](const DbPath& path) {
    return path.path != paths[0].path &&
           Normal(path.path) != Normal(paths[0].path);
  });
}

const TableLocator::Listing& TableLocator::Of(const std::string& path) {
  const auto [it, is_new] = listings_.try_emplace(path);
  Listing& listing = it->second;
  if (!is_new) {
    return listing;
  }
  std::vector<std::string> names;
  IOOptions io_options;
  io_options.do_not_recurse = true;
  const IOStatus s = fs_->GetChildren(path, io_options, &names, nullptr);
  listing.complete = s.ok() || s.IsNotFound() || s.IsPathNotFound();
  if (!s.ok()) {
    return listing;
  }
  for (const std::string& name : names) {
    uint64_t number = 0;
    FileType type = kTempFile;
    if (!ParseFileName(name, &number, &type)) {
      continue;
    }
    if (type == kTableFile) {
      listing.numbers.insert(number);
      newest_listed_ = std::max(newest_listed_, number);
    } else if (type == kBlobFile) {
      listing.blob_files.insert(number);
    }
  }
  return listing;
}

bool TableLocator::Exists(const std::string& path, uint64_t number) {
  const std::string name = MakeTableFileName(path, number);
  return fs_->FileExists(name, IOOptions(), nullptr).ok() ||
         fs_->FileExists(Rocks2LevelTableFileName(name), IOOptions(), nullptr)
             .ok();
}

bool TableLocator::HoldsNoTables(const std::string& path) {
  const Listing& listing = Of(path);
  return listing.complete && listing.numbers.empty();
}

TableLocator::Place TableLocator::Probe(const std::vector<DbPath>& paths,
                                        uint64_t number, uint32_t path) {
  if (Exists(paths[path].path, number)) {
    return {path, true};
  }
  for (uint32_t i = 0; i < paths.size(); i++) {
    if (i != path && Exists(paths[i].path, number)) {
      return {i, true};
    }
  }
  return {path, false};
}

bool TableLocator::HasSize(const std::string& path, uint64_t number,
                           uint64_t size) {
  uint64_t found = 0;
  return fs_->GetFileSize(MakeTableFileName(path, number), IOOptions(), &found,
                          nullptr)
             .ok() &&
         found == size;
}

bool TableLocator::HasBlobFile(const std::string& path, uint64_t number) {
  return source_ == Source::kProbes
             ? fs_->FileExists(BlobFileName(path, number), IOOptions(), nullptr)
                   .ok()
             : Of(path).blob_files.count(number) > 0;
}

std::string TableLocator::StrayBlobFile(const std::vector<DbPath>& paths,
                                        uint64_t number) {
  if (HasBlobFile(paths[0].path, number)) {
    return "";
  }
  for (const DbPath& path : paths) {
    if (HasBlobFile(path.path, number)) {
      return path.path;
    }
  }
  return "";
}

std::optional<uint32_t> TableLocator::Choose(const std::vector<DbPath>& paths,
                                             uint64_t number,
                                             const std::vector<uint32_t>& found,
                                             uint64_t size,
                                             const UniqueId64x2& id) {
  std::optional<uint32_t> readable;
  std::optional<uint32_t> of_size;
  for (const uint32_t path : found) {
    if (size > 0 && !HasSize(paths[path].path, number, size)) {
      continue;
    }
    UniqueId64x2 its_id = kNullUniqueId64x2;
    if (CanReadTable(fs_, MakeTableFileName(paths[path].path, number),
                     &its_id)) {
      if (id == kNullUniqueId64x2 || its_id == id) {
        return path;
      }
      readable = readable.value_or(path);
    } else if (size > 0) {
      of_size = of_size.value_or(path);
    }
  }
  return readable.has_value() ? readable : of_size;
}

TableLocator::Place TableLocator::Find(const std::vector<DbPath>& paths,
                                       uint64_t number, uint32_t hint,
                                       uint64_t size, const UniqueId64x2& id) {
  assert(!paths.empty());
  const auto path =
      static_cast<uint32_t>(std::min<size_t>(hint, paths.size() - 1));
  if (source_ == Source::kProbes) {
    return Probe(paths, number, path);
  }
  bool all_known = true;
  std::vector<uint32_t> found;  // the hinted one first
  for (uint32_t i = 0; i < paths.size(); i++) {
    const Listing& listing = Of(paths[i].path);
    all_known = all_known && listing.complete;
    // A folder that cannot be listed is probed.
    if (listing.complete ? listing.numbers.count(number) > 0
                         : Exists(paths[i].path, number)) {
      found.insert(i == path ? found.begin() : found.end(), i);
    }
  }
  if (found.size() > 1) {
    const auto best = Choose(paths, number, found, size, id);
    if (best.has_value()) {
      return {*best, true};
    }
  }
  if (!found.empty()) {
    // The table may have been moved since the folders were listed, if another
    // process has the DB open for writing.
    return {
        found[0] != path && Exists(paths[path].path, number) ? path : found[0],
        true};
  }
  if (!all_known) {
    return {path, true};
  }
  if (number > newest_listed_) {
    return Probe(paths, number, path);
  }
  return {path, false};
}

}  // namespace ROCKSDB_NAMESPACE
