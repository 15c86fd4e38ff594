//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// DestroyDB over several paths. RocksDB's DestroyDB empties the DB's folder and
// those that its caller names. This adds the folders that HOTRAP_PATHS names,
// and sees to it that no table is left without a word.
//
// A folder of HOTRAP_PATHS is the DB's if it holds a table of the MANIFEST, by
// number and size, or one that says that this DB wrote it; also if nothing says
// that another DB did. It is not if it is the folder of another DB.
//
// Thread safety: none needed.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class DestroyPlan {
 public:
  DestroyPlan(FileSystem* fs, const std::string& dbname,
              const std::vector<DbPath>& db_paths,
              const std::vector<ColumnFamilyDescriptor>& families);
  // Removes the DB's folder if HOTRAP_PATHS or another path was in RocksDB's
  // way.
  ~DestroyPlan();
  DestroyPlan(const DestroyPlan&) = delete;
  DestroyPlan& operator=(const DestroyPlan&) = delete;

  // Finds the folders. Refuses if tables are on a path that nobody names, or in
  // folders that may be another DB's. Called while the DB is locked, and before
  // anything is deleted.
  Status Make();

  void AddTo(std::set<std::string>* folders) const {
    folders->insert(folders_.begin(), folders_.end());
  }

  // Called after the tables were deleted. Removes HOTRAP_PATHS, or names a
  // folder that still has tables, or cannot be listed. Then a second attempt
  // needs the file.
  Status Finish();

 private:
  bool IsGiven(const std::string& folder) const;
  bool IsOwn(const std::string& folder) const;
  // The tables of `sizes_` in a folder.
  std::map<uint64_t, std::string> TablesOfManifest(
      const std::string& folder) const;
  std::vector<std::string> KnownFolders() const;
  void FindOwnIds();
  void FindOwnFolders();
  Status CheckMoved() const;
  // Then nobody can open what is left. RocksDB deletes the files later: it has
  // listed them, and fails if one is missing.
  Status EmptyManifests();

  FileSystem* const fs_;
  const std::string dbname_;
  // The DB's own first.
  std::vector<std::string> given_;
  size_t longest_list_;
  bool is_known_ = false;
  bool is_done_ = false;
  PathsFile known_;
  std::set<std::string> own_ids_;
  // By number, of the MANIFEST's tables that are in no folder that was given:
  // if another folder has a table of that number and size, too, it is another
  // DB's.
  std::map<uint64_t, uint64_t> sizes_;
  // Besides those that were given.
  std::vector<std::string> folders_;
};

}  // namespace ROCKSDB_NAMESPACE
