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
};

}  // namespace ROCKSDB_NAMESPACE
