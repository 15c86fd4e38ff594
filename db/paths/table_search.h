//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Helps a reader of the MANIFEST (VersionEditHandler): finds each table among
// the paths, and reports in the end which tables were not found. Leaves a
// column family with one path alone, unless the MANIFEST says that a table is
// on another path, or HOTRAP_PATHS that the DB has had several.
//
// Thread safety: different readers may run at once; the calls of one reader
// need external synchronization.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/version_edit.h"
#include "plugin/hotrap/db/paths/missing_tables.h"
#include "plugin/hotrap/db/paths/table_locator.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class VersionSet;

class TableSearch {
 public:
  // Properties of a VersionEditHandler.
  struct Reader {
    const void* handler;
    // Does not access the tables: a dump of the MANIFEST.
    bool skips_tables;
    // Works on a DB with missing tables.
    bool lenient;
    // Builds versions from the tables that exist...
    bool tracks_missing;
    // ... once, and the other tables are deleted.
    bool best_efforts;
  };

  // Corrects the paths of the tables that `edit` adds, before it is applied.
  static Status OnEdit(const Reader& reader, const std::string& dbname,
                       ColumnFamilyData* cfd, VersionEdit* edit);

  // Called after the last edit was applied, or reading has failed. If `status`
  // is OK and tables were not found, sets it to an error that names them and
  // the folders that were searched.
  static void OnEnd(const Reader& reader, const std::string& dbname,
                    VersionSet* versions, Status* status);

  // Returns where `file` lies, for code that only knows the first path.
  static std::string PathOf(const ColumnFamilyData* cfd,
                            const FileMetaData& file,
                            const std::string& on_first_path);

  // Returns whether an error came from OnEnd(), so that the MANIFEST is not to
  // blame.
  static bool SaysWhere(const Status& s);

 private:
  // A table of the MANIFEST.
  struct Place {
    uint32_t hint;
    bool found;
  };

  // `had_several_paths`: also look for the tables of column families that are
  // opened with one path.
  TableSearch(FileSystem* fs, TableLocator::Source source,
              bool had_several_paths)
      : fs_(fs), had_several_paths_(had_several_paths), locator_(fs, source) {}

  void Correct(ColumnFamilyData* cfd, VersionEdit* edit);
  // Returns the missing tables of column families that still exist.
  std::vector<MissingTables::OfFamily> StillMissing(VersionSet* versions);
  // Adds what a tailing reader knows from before.
  void AddCurrent(ColumnFamilyData* cfd, MissingTables::OfFamily* of);

  FileSystem* const fs_;
  const bool had_several_paths_;
  TableLocator locator_;
  // Of the first blob file that is not on the first path.
  std::string stray_blob_file_;
  // By the column family's id, and by number.
  std::map<uint32_t, std::map<uint64_t, Place>> tables_;
};

}  // namespace ROCKSDB_NAMESPACE
