//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keeps HOTRAP_PATHS (paths_file.h) up to date while a DB is open. A DB has no
// such file if all its tables lie in its own folder.
//
// Thread safety: see each method.

#pragma once

#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class DBImpl;
class VersionSet;
struct ImmutableDBOptions;

class KnownPaths {
 public:
  // Writes the file if it is out of date. Called after the DB was opened and
  // after column families were created. Errors are merely logged: who gave the
  // paths can give them again, and a path that a root adds was noted before
  // (PathChoice::Make()).
  // REQUIRES: DB mutex not held; no concurrent call for this DB
  // (options_mutex_).
  static void Remember(DBImpl* db);

  // A DB is about to be made in a folder that has none. Refuses if a path, or a
  // folder of HOTRAP_PATHS, holds tables, which it would delete: the DB's own
  // folder may be on a disk that is not mounted, or CURRENT be lost. A DB whose
  // only path is its own folder is not asked about.
  static Status CheckNewDB(
      const ImmutableDBOptions& db_options, const std::string& dbname,
      const std::vector<ColumnFamilyDescriptor>& column_families);

  // A DB was recovered, or is about to get a column family with `new_paths`.
  // Refuses if a path that the DB has not had before holds only tables that
  // other DBs wrote, which would be deleted as obsolete.
  // REQUIRES: DB mutex held
  static Status CheckPaths(const ImmutableDBOptions& db_options,
                           const std::string& dbname, const std::string& db_id,
                           VersionSet* versions,
                           const std::vector<DbPath>* new_paths = nullptr);
};

}  // namespace ROCKSDB_NAMESPACE
