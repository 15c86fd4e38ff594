//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/tool_paths.h"

#include <set>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/paths_file.h"

namespace ROCKSDB_NAMESPACE {

namespace {

bool Exists(FileSystem* fs, const std::string& name) {
  return fs->FileExists(name, IOOptions(), /*dbg=*/nullptr).ok();
}

}  // namespace

ToolPaths ToolPaths::Find(FileSystem* fs, const std::string& db,
                          const std::vector<DbPath>& given) {
  ToolPaths result;
  result.db_paths_ = given;
  result.given_ = !given.empty();
  PathsFile known;
  if (db.empty() || !PathsFile::Read(fs, db, &known).ok()) {
    return result;
  }
  if (!given.empty()) {
    if (given.size() == known.db_paths.size()) {
      for (size_t i = 0; i < given.size(); i++) {
        if (given[i].target_size == 0) {
          result.db_paths_[i].target_size = known.db_paths[i].target_size;
        }
      }
    }
    return result;
  }
  std::string moved_from;
  if (!PathsFile::IsSameFolder(fs, known.db_folder, db)) {
    if (Exists(fs, CurrentFileName(known.db_folder))) {
      result.copy_of_ = known.db_folder;
      return result;
    }
    moved_from = known.db_folder;
  }
  const auto moved = [&](std::vector<DbPath> paths) {
    for (DbPath& path : paths) {
      if (path.path == moved_from) {
        path.path = db;
      }
    }
    return paths;
  };
  result.db_paths_ = moved(known.db_paths);
  for (const auto& [name, paths] : known.cf_paths) {
    result.cf_paths_[name] = moved(paths);
  }
  return result;
}

void ToolPaths::SetOwnPaths(const std::string& cf_name,
                            ColumnFamilyOptions* options) const {
  const auto own = cf_paths_.find(cf_name);
  if (own != cf_paths_.end()) {
    options->cf_paths = own->second;
  }
}

void ToolPaths::Set(DBOptions* options,
                    std::vector<ColumnFamilyDescriptor>* families) const {
  options->db_paths = db_paths_;
  for (ColumnFamilyDescriptor& family : *families) {
    SetOwnPaths(family.name, &family.options);
  }
}

std::vector<DbPath> ToolPaths::All() const {
  std::vector<DbPath> all;
  std::set<std::string> folders;
  const auto add = [&](const std::vector<DbPath>& paths) {
    for (const DbPath& path : paths) {
      if (folders.insert(path.path).second) {
        all.push_back(path);
      }
    }
  };
  add(db_paths_);
  for (const auto& [name, paths] : cf_paths_) {
    add(paths);
  }
  return all;
}

Status ToolPaths::CheckForWriting(FileSystem* fs) const {
  for (const DbPath& path : All()) {
    if (!Exists(fs, path.path)) {
      return Status::InvalidArgument(
          "a path of the DB is missing: is its disk mounted? (" +
              std::string(given_ ? "--db_paths" : "HOTRAP_PATHS") +
              " names it; --db_paths=FAST,SLOW tells where the tables are)",
          path.path);
    }
  }
  if (db_paths_.size() > 1 && db_paths_.front().target_size == 0) {
    return Status::InvalidArgument(
        "the DB's file HOTRAP_PATHS does not say how much may be written to "
        "the first path: give --db_paths with sizes, as the program does that "
        "uses the DB",
        db_paths_.front().path + ":40G");
  }
  return Status::OK();
}

std::string ToolPaths::Hint(FileSystem* fs) const {
  if (!copy_of_.empty()) {
    return "HOTRAP_PATHS is of the DB in " + copy_of_ +
           ", of which this is a copy: --db_paths=FAST,SLOW tells where its "
           "own tables are";
  }
  for (const DbPath& path : All()) {
    if (!Exists(fs, path.path)) {
      return (given_ ? "--db_paths" : "HOTRAP_PATHS") +
             std::string(" names a folder that is missing, ") + path.path +
             ": --db_paths=FAST,SLOW tells where the tables are";
    }
  }
  return "";
}

}  // namespace ROCKSDB_NAMESPACE
