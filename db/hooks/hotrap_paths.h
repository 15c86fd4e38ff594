//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For DB::Open, DestroyDB and readers of the MANIFEST: the folders that a DB
// uses, and where its tables lie.

#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "plugin/hotrap/db/paths/destroy_plan.h"
#include "plugin/hotrap/db/paths/known_paths.h"
#include "plugin/hotrap/db/paths/table_search.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct ImmutableDBOptions;

// Settles the options of column families before they are used: takes `hotrap`
// from the environment where the program has not set it
// (environment_options.h), and adds paths (path_choice.h).
//
// Thread safety: any thread; one call for a DB at a time, which the DB's
// mutexes ensure.
class HotRapOpening {
 public:
  // For a reader of the MANIFEST: the options by column family name.
  static Status Prepare(
      const ImmutableDBOptions& db_options, const std::string& dbname,
      bool read_only,
      std::unordered_map<std::string, ColumnFamilyOptions>* families);

  // For a column family that is about to be created in an open DB.
  static Status PrepareNew(const ImmutableDBOptions& db_options,
                           const std::string& dbname,
                           const std::string& cf_name,
                           ColumnFamilyOptions* options);

  // KnownPaths::CheckNewDB() with the paths that Prepare() will add, and makes
  // their folders.
  static Status CheckNewDB(
      const ImmutableDBOptions& db_options, const std::string& dbname,
      const std::vector<ColumnFamilyDescriptor>& column_families);
};

}  // namespace ROCKSDB_NAMESPACE
