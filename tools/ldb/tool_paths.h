//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Where a tool finds the tables of a DB: the folders that the user names, or
// those of HOTRAP_PATHS (paths_file.h), or the DB's own.
//
// Thread safety: a plain value.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct PathsFile;

class ToolPaths {
 public:
  // Finds the paths of the DB in the folder `db`. `given` is a list of paths
  // for all column families, or empty; paths in it without a size get that of
  // HOTRAP_PATHS, if that has as many, or else no limit. The file is not used
  // in a copy of a DB: it names the tables of the original. Where the original
  // is gone, the DB seems to have been moved, and its own folder stands for the
  // old one.
  static ToolPaths Find(FileSystem* fs, const std::string& db,
                        const std::vector<DbPath>& given);

  // Without paths, a DB has its own folder only, as in stock RocksDB.
  const std::vector<DbPath>& db_paths() const { return db_paths_; }
  // By --db_paths, not by HOTRAP_PATHS.
  bool given() const { return given_; }
  bool several() const { return db_paths_.size() > 1 || !cf_paths_.empty(); }

  // Sets cf_paths of a column family that has paths of its own. With
  // hotrap.slow_root or fast_root the library finds them. Such a root is
  // dropped if it contradicts the paths that the user gives.
  void SetOwnPaths(const std::string& cf_name,
                   ColumnFamilyOptions* options) const;
  // Sets the paths of a DB and of its column families.
  void Set(DBOptions* options,
           std::vector<ColumnFamilyDescriptor>* families) const;

  // Returns all folders, each once, as paths for every column family. Tables
  // are found in any of them.
  std::vector<DbPath> All() const;

  // Returns an error if the DB must not be changed like this: it seems to have
  // been moved, but may be an old copy of a DB whose disk is not mounted, of
  // which newer tables would be deleted.
  Status CheckForChanges() const;

  // The same before the DB is opened for writing, or made, if `create`. Also if
  // a folder is missing, which opening would make, or if it is not known how
  // much may be written to the first path.
  Status CheckForWriting(FileSystem* fs, bool create = false) const;

  // What to tell if the DB cannot be opened. Empty if nothing helps.
  std::string Hint(FileSystem* fs) const;

 private:
  // Sets the paths that the user gives; `known` are those of the file.
  void Give(const std::vector<DbPath>& given, const std::vector<DbPath>& known);
  // Sets the paths of the file.
  void Take(FileSystem* fs, const std::string& db, const PathsFile& known);

  std::vector<DbPath> db_paths_;
  std::map<std::string, std::vector<DbPath>> cf_paths_;
  bool given_ = false;
  bool has_sizes_ = true;
  // The folder of the original if the DB is a copy.
  std::string copy_of_;
  // The folder that the DB had before, if it seems to have been moved.
  std::string moved_from_;
};

}  // namespace ROCKSDB_NAMESPACE
