//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/tool_paths.h"

#include <limits>
#include <set>

#include "file/filename.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/db/paths/root_folder.h"

namespace ROCKSDB_NAMESPACE {

namespace {

bool Exists(FileSystem* fs, const std::string& name) {
  return fs->FileExists(name, IOOptions(), /*dbg=*/nullptr).ok();
}

bool IsBelow(const DbPath& path, const std::string& root) {
  return root.empty() || IsWithin(path.path, root);
}

}  // namespace

ToolPaths ToolPaths::Find(FileSystem* fs, const std::string& db,
                          const std::vector<DbPath>& given) {
  ToolPaths result;
  PathsFile known;
  const bool is_known = !db.empty() && PathsFile::Read(fs, db, &known).ok();
  if (!given.empty()) {
    // Paths that roots make are column families' own.
    result.Give(given, known.db_paths.size() == given.size()
                           ? known.db_paths
                           : known.PathsOf(kDefaultColumnFamilyName));
  } else if (is_known) {
    result.Take(fs, db, known);
  }
  return result;
}

void ToolPaths::Give(const std::vector<DbPath>& given,
                     const std::vector<DbPath>& known) {
  given_ = true;
  db_paths_ = given;
  for (size_t i = 0; i < given.size(); i++) {
    if (given[i].target_size == 0) {
      const bool is_known = given.size() == known.size();
      // The last path may grow anyway.
      has_sizes_ &= is_known || i + 1 == given.size();
      db_paths_[i].target_size = is_known
                                     ? known[i].target_size
                                     : std::numeric_limits<uint64_t>::max();
    }
  }
}

void ToolPaths::Take(FileSystem* fs, const std::string& db,
                     const PathsFile& known) {
  if (!PathsFile::IsSameFolder(fs, known.db_folder, db)) {
    if (Exists(fs, CurrentFileName(known.db_folder))) {
      copy_of_ = known.db_folder;
      return;
    }
    moved_from_ = known.db_folder;
  }
  const auto moved = [&](std::vector<DbPath> paths) {
    for (DbPath& path : paths) {
      if (path.path == moved_from_) {
        path.path = db;
      }
    }
    return paths;
  };
  db_paths_ = moved(known.db_paths);
  for (const auto& [name, paths] : known.cf_paths) {
    cf_paths_[name] = moved(paths);
  }
}

void ToolPaths::SetOwnPaths(const std::string& cf_name,
                            ColumnFamilyOptions* options) const {
  HotRapOptions& hotrap = options->hotrap;
  if (given_) {
    if (db_paths_.size() > 1 && !IsBelow(db_paths_.back(), hotrap.slow_root)) {
      hotrap.slow_root.clear();
    }
    if (db_paths_.size() > 1 && !IsBelow(db_paths_.front(), hotrap.fast_root)) {
      hotrap.fast_root.clear();
    }
    return;
  }
  const auto own = cf_paths_.find(cf_name);
  if (own != cf_paths_.end() && !moved_from_.empty()) {
    // The roots would lead to folders of the new name.
    hotrap.slow_root.clear();
    hotrap.fast_root.clear();
  }
  if (own != cf_paths_.end() && hotrap.slow_root.empty() &&
      hotrap.fast_root.empty()) {
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

Status ToolPaths::CheckForChanges() const {
  if (moved_from_.empty()) {
    return Status::OK();
  }
  std::string flag = "--db_paths=";
  for (const DbPath& path : All()) {
    flag += (path.path == All().front().path ? "" : ",") + path.path;
  }
  return Status::InvalidArgument(
      "HOTRAP_PATHS is of a DB in " + moved_from_ +
          ", where there is none now. If it was moved here, tell so; if this "
          "is a copy and the disk of that DB is not mounted, do not, since its "
          "newer tables would be deleted",
      flag);
}

Status ToolPaths::CheckForWriting(FileSystem* fs, bool create) const {
  Status s = CheckForChanges();
  if (!s.ok()) {
    return s;
  }
  for (const DbPath& path : All()) {
    if (!create && !Exists(fs, path.path)) {
      return Status::InvalidArgument(
          "a path of the DB is missing: is its disk mounted? (" +
              std::string(given_ ? "--db_paths" : "HOTRAP_PATHS") +
              " names it; --db_paths=FAST,SLOW tells where the tables are)",
          path.path);
    }
  }
  if (!has_sizes_) {
    return Status::InvalidArgument(
        "the DB's file HOTRAP_PATHS does not say how much may be written to "
        "the first path: give --db_paths with sizes, as the program does that "
        "uses the DB",
        db_paths_.front().path + ":40G");
  }
  return s;
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
