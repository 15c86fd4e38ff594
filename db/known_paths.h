//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keeps HOTRAP_PATHS (paths_file.h) right while a DB is open, and lets
// DestroyDB go by it. A DB none of whose column families has several folders
// keeps no such file.
//
// Thread safety: as said for each.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

class DBImpl;

class KnownPaths {
 public:
  // The DB was opened, or column families were created: writes the file if it
  // is out of date. Without it nothing but messages and tools gets worse, so
  // that an error goes to the LOG. REQUIRES: DB mutex not held; no other call
  // for this DB meanwhile (options_mutex_).
  static void Remember(DBImpl* db);

  // The folders that DestroyDB has to empty besides those it was told of. None
  // if its caller names several paths, or if the file comes from elsewhere.
  static std::vector<std::string> ToDestroy(
      FileSystem* fs, const std::string& dbname,
      const std::vector<DbPath>& db_paths,
      const std::vector<ColumnFamilyDescriptor>& column_families);

  // Adds the above to `folders` for DestroyDB, and removes the file once their
  // tables are gone: until then another attempt must find them.
  class Destruction {
   public:
    Destruction(FileSystem* fs, const std::string& dbname,
                const std::vector<DbPath>& db_paths,
                const std::vector<ColumnFamilyDescriptor>& column_families,
                std::set<std::string>* folders);
    ~Destruction();
    Destruction(const Destruction&) = delete;
    Destruction& operator=(const Destruction&) = delete;

   private:
    FileSystem* const fs_;
    const std::string dbname_;
    const bool is_known_;
    const std::vector<std::string> folders_;
  };
};

}  // namespace ROCKSDB_NAMESPACE
