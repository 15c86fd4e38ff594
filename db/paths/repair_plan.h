//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RepairDB over several paths. RocksDB's RepairDB searches only db_paths, even
// if cf_paths are set, and tables that it misses are deleted when the DB is
// opened again. This one plans first: it searches every folder named by the
// options or by HOTRAP_PATHS, and refuses before touching anything if a folder
// may be missing (missing_tables.h), or if there are blob files, which
// RocksDB's repair does not know. With one path it is RocksDB's RepairDB.
//
// The repaired MANIFEST numbers paths by that combined list. If the list of a
// column family differs, opening finds the tables again (table_search.h).
//
// Thread safety: none needed.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/db/paths/manifest_tables.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// RocksDB's RepairDB(): see stock_repair.cc.
Status StockRepairDB(const std::string& dbname, const DBOptions& db_options,
                     const std::vector<ColumnFamilyDescriptor>& families);
Status StockRepairDB(const std::string& dbname, const DBOptions& db_options,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     const ColumnFamilyOptions& unknown_family);
Status StockRepairDB(const std::string& dbname, const Options& options);

class RepairPlan {
 public:
  // `unknown_family_paths` are the paths of column families that are not in
  // `families`.
  RepairPlan(const std::string& dbname, const DBOptions& db_options,
             const std::vector<ColumnFamilyDescriptor>& families,
             const std::vector<DbPath>& unknown_family_paths);

  // Finds the folders to search. An error names what is missing.
  Status Make();

  // Whether RocksDB's repair must be given other paths than the caller's: all
  // of several, and no folder twice.
  bool differs() const { return paths_.size() > 1 || has_repeated_; }
  // The paths for all column families. REQUIRES: Make() returned OK.
  const std::vector<DbPath>& paths() const { return paths_; }

  // If a table is in several folders, keeps a file that can be read and has the
  // size of the MANIFEST, or else the largest one. Moves the others to `lost`,
  // like everything that RocksDB's repair cannot use.
  Status PutCopiesAway();

  // Called after RocksDB's repair: moves tables that it wrote to their column
  // family's own path, if the first of paths() is not one of them.
  Status Settle();

 private:
  void Add(const std::vector<DbPath>& paths);
  Status AddKnown();
  // Refuses if tables in the MANIFEST, as far as it can be read, suggest that a
  // path is missing.
  Status CheckManifest();
  // RocksDB's repair does not know blob files.
  Status CheckBlobFiles();
  std::vector<DbPath> OwnPaths(const std::string& cf_name) const;
  Status MoveTable(const std::string& name, const std::string& from,
                   const std::string& to);
  bool HasTables(const std::string& folder);
  bool IsSearched(const std::string& folder) const;

  const std::string dbname_;
  const DBOptions db_options_;
  std::vector<ColumnFamilyDescriptor> families_;
  const std::vector<DbPath> unknown_family_paths_;
  FileSystem* const fs_;
  // Each folder once.
  std::vector<DbPath> paths_;
  std::vector<std::string> folders_;
  ManifestTables manifest_;
  bool has_repeated_ = false;
  // Files in paths_[0] before the repair.
  std::set<std::string> names_before_;
};

}  // namespace ROCKSDB_NAMESPACE
