//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The paths of a column family, from what the program gave, from
// hotrap.slow_root and hotrap.fast_root, and from HOTRAP_PATHS:
//
// 1. Several paths that the program gave stay as they are.
// 2. To one path (cf_paths, else db_paths, else the DB's folder) a root adds
//    another one. A folder below the root that HOTRAP_PATHS names is taken
//    again, else one named after the DB is made. So the DB keeps its folders
//    where it is opened through another link or mount point.
// 3. Folders of HOTRAP_PATHS that hold tables of the MANIFEST which are on none
//    of these paths are added, so that a program finds the tables which it did
//    not tell where they are. With several paths they come before the last one,
//    to which new tables go. A reader adds all that exist, as its writer may
//    put tables there.
//
// Thread safety: external synchronization; I/O.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugin/hotrap/db/paths/manifest_tables.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class PathChoice {
 public:
  // `db_paths` may be empty. With `read_only`, roots need not exist, and
  // nothing is made.
  PathChoice(FileSystem* fs, const std::string& dbname,
             const std::vector<DbPath>& db_paths, bool read_only);
  PathChoice(const PathChoice&) = delete;
  PathChoice& operator=(const PathChoice&) = delete;

  // Returns options with the paths that their roots make, for a tool that only
  // reads; unchanged without roots.
  static ColumnFamilyOptions ForReader(FileSystem* fs,
                                       const std::string& dbname,
                                       const std::vector<DbPath>& db_paths,
                                       const std::string& cf_name,
                                       const ColumnFamilyOptions& options);

  // Returns the paths that the program gave. Never empty.
  std::vector<DbPath> Given(const ColumnFamilyOptions& options) const;

  // Sets cf_paths if they are to be others than those given. Makes nothing.
  Status Choose(const std::string& cf_name, ColumnFamilyOptions* options);

  // Makes the folders of all choices, and notes them in HOTRAP_PATHS before any
  // table is there, lest it be missed after a crash.
  Status Make();

  // The DB's folder, without symbolic links, and as the program names it.
  const std::string& DbFolder() const;
  std::string NameOfDb() const { return PathsFile::Folder(fs_, dbname_); }

 private:
  struct NewFolder {
    std::string field;
    std::string root;
    std::string folder;
  };

  Status CheckRoots(const HotRapOptions& options) const;
  Status CheckGiven(const HotRapOptions& options,
                    const std::vector<DbPath>& given) const;
  // Returns the folder below `root`, which is not below `other_root`.
  std::string FolderOf(const std::string& cf_name, const std::string& root,
                       const std::string& other_root) const;
  Status AddRoots(const std::string& cf_name, const HotRapOptions& options,
                  std::vector<DbPath>* paths);
  void AddKnown(const std::string& cf_name, std::vector<DbPath>* paths);
  // Returns whether a folder holds tables of the column family that are on none
  // of `paths`.
  bool IsNeeded(const std::string& cf_name, const std::string& folder,
                const std::vector<DbPath>& paths);
  bool Contains(const std::vector<DbPath>& paths,
                const std::string& folder) const;

  FileSystem* const fs_;
  const std::string dbname_;
  const std::vector<DbPath> db_paths_;
  const bool read_only_;
  mutable std::string db_folder_;  // once it was asked for
  // HOTRAP_PATHS of this DB, not of one that it is a copy of.
  bool is_known_ = false;
  PathsFile known_;
  // Read when it is needed.
  std::optional<ManifestTables> manifest_;
  std::vector<NewFolder> new_folders_;
  // By column family name, where a root added a path.
  std::map<std::string, std::vector<DbPath>> rooted_;
};

}  // namespace ROCKSDB_NAMESPACE
