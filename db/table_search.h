//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What a reader of the MANIFEST (VersionEditHandler) asks while it reads: finds
// each table among the paths, and tells at the end which of them lie nowhere.
// A column family of one path is left alone unless a table is said to lie on
// another one.
//
// Thread safety: readers of different DBs may run at once; calls for one reader
// need external synchronization.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/version_edit.h"
#include "plugin/hotrap/db/table_locator.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class VersionSet;

class TableSearch {
 public:
  // What VersionEditHandler knows of itself.
  struct Reader {
    const void* handler;
    // The tables are not asked for: a dump.
    bool skips_tables;
    // Works on a DB that lacks tables.
    bool lenient;
    // Makes a version of the tables that are there...
    bool tracks_missing;
    // ... once, and the others are deleted.
    bool best_efforts;
  };

  // `edit` is about to be applied: corrects the paths of the tables it adds.
  static Status OnEdit(const Reader& reader, ColumnFamilyData* cfd,
                       VersionEdit* edit);

  // The last edit was applied, or reading has ended with an error. A good
  // `status` becomes one that names the tables that were not found and where
  // they were looked for.
  static void OnEnd(const Reader& reader, const std::string& dbname,
                    VersionSet* versions, Status* status);

  // Where `file` lies, for those who know the first path only.
  static std::string PathOf(const ColumnFamilyData* cfd,
                            const FileMetaData& file,
                            const std::string& on_first_path);

  // Whether an error is one of OnEnd()'s: the MANIFEST is not to blame.
  static bool SaysWhere(const Status& s);

 private:
  struct Missing {
    std::string cf_name;
    std::vector<DbPath> paths;
    // Path numbers as the MANIFEST has them, by table.
    std::map<uint64_t, uint32_t> tables;
  };

  TableSearch(FileSystem* fs, TableLocator::Source source)
      : fs_(fs), locator_(fs, source) {}

  void Correct(ColumnFamilyData* cfd, VersionEdit* edit);
  // Of column families that are still there.
  std::vector<Missing> StillMissing(VersionSet* versions);
  Status Tell(const Reader& reader, const std::string& dbname,
              const std::vector<Missing>& missing);

  FileSystem* const fs_;
  TableLocator locator_;
  // By the column family's id.
  std::map<uint32_t, std::map<uint64_t, uint32_t>> missing_;
};

}  // namespace ROCKSDB_NAMESPACE
