//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keeps HOTRAP_PATHS (paths_file.h) up to date while a DB is open, and lets
// DestroyDB use it. A DB has no such file if none of its column families uses
// several folders.
//
// Thread safety: see each method.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class DBImpl;
struct ImmutableDBOptions;

class KnownPaths {
 public:
  // Writes the file if it is out of date. Called after the DB was opened and
  // after column families were created. The file only improves messages and
  // tools, so that errors are merely logged.
  // REQUIRES: DB mutex not held; no concurrent call for this DB
  // (options_mutex_).
  static void Remember(DBImpl* db);

  // A DB is about to be made in a folder that has none. Refuses if one of
  // several paths holds tables, which it would delete: the DB's own folder may
  // be on a disk that is not mounted.
  static Status CheckNewDB(
      const ImmutableDBOptions& db_options, const std::string& dbname,
      const std::vector<ColumnFamilyDescriptor>& column_families);

  // Returns the folders that DestroyDB has to empty besides those that it was
  // given. Empty if the caller names several paths, or if the file was copied
  // from another place. Leaves out folders in which another DB is, or only
  // tables of other DBs are.
  static std::vector<std::string> ToDestroy(
      FileSystem* fs, const std::string& dbname,
      const std::vector<DbPath>& db_paths,
      const std::vector<ColumnFamilyDescriptor>& column_families);

  // The folders of ToDestroy() for DestroyDB, found before IDENTITY is deleted.
  // The destructor
  // removes the file once the tables in them are gone; until then a second
  // attempt needs it.
  class Destruction {
   public:
    Destruction(FileSystem* fs, const std::string& dbname,
                const std::vector<DbPath>& db_paths,
                const std::vector<ColumnFamilyDescriptor>& column_families);
    ~Destruction();
    Destruction(const Destruction&) = delete;
    Destruction& operator=(const Destruction&) = delete;

    void AddTo(std::set<std::string>* folders) const {
      folders->insert(folders_.begin(), folders_.end());
    }

   private:
    FileSystem* const fs_;
    const std::string dbname_;
    const bool is_known_;
    const std::vector<std::string> folders_;
  };
};

}  // namespace ROCKSDB_NAMESPACE
