//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RepairDB over several paths. RocksDB's own searches db_paths only, whatever
// cf_paths say, and a table that it does not find is deleted when the DB is
// opened again. This one plans first: it searches every folder that the options
// or HOTRAP_PATHS name, and refuses before anything is touched if a folder is
// missing. With one path it is RocksDB's.
//
// The repaired MANIFEST counts paths through that one list; where a column
// family's own list differs, opening finds the tables again (table_search.h).
//
// Thread safety: none needed.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

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
  // `families` and the paths of those that are not among them.
  RepairPlan(const std::string& dbname, const DBOptions& db_options,
             const std::vector<ColumnFamilyDescriptor>& families,
             const std::vector<DbPath>& unknown_family_paths);

  // What to search. An error says what is missing.
  Status Make();

  // Whether it differs from RocksDB's plan.
  bool over_paths() const { return paths_.size() > 1; }
  // For all column families. REQUIRES: Make() was OK
  const std::vector<DbPath>& paths() const { return paths_; }

  // Of a table that lies in two folders one is used; the others go to `lost`,
  // as whatever RocksDB's repair cannot use.
  Status PutCopiesAway();

  // After RocksDB's repair: what it wrote goes to the column family's own
  // path, if the first of paths() is none.
  Status Settle();

 private:
  void Add(const std::vector<DbPath>& paths);
  Status AddKnown();
  // By the MANIFEST, as far as it can be read.
  Status CheckManifest();
  std::vector<DbPath> OwnPaths(const std::string& cf_name) const;
  Status MoveTable(const std::string& name, const std::string& from,
                   const std::string& to);
  bool HasTables(const std::string& folder);

  const std::string dbname_;
  const DBOptions db_options_;
  const std::vector<ColumnFamilyDescriptor> families_;
  const std::vector<DbPath> unknown_family_paths_;
  FileSystem* const fs_;
  // Each folder once.
  std::vector<DbPath> paths_;
  std::vector<std::string> folders_;
  // Of paths_[0].
  std::set<std::string> names_before_;
};

}  // namespace ROCKSDB_NAMESPACE
