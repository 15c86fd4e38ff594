//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/known_paths.h"

#include <algorithm>
#include <utility>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "file/filename.h"
#include "logging/logging.h"
#include "monitoring/instrumented_mutex.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/db/paths/table_locator.h"

namespace ROCKSDB_NAMESPACE {

namespace {

bool AreEqual(const std::vector<DbPath>& a, const std::vector<DbPath>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const DbPath& x, const DbPath& y) {
                      return x.path == y.path && x.target_size == y.target_size;
                    });
}

std::vector<DbPath> WithFolders(FileSystem* fs, std::vector<DbPath> paths) {
  for (DbPath& path : paths) {
    path.path = PathsFile::Folder(fs, path.path);
  }
  return paths;
}

// With `paranoid_checks` off, a DB opens without the folders of its tables.
bool LacksTables(DBImpl* db) {
  if (db->immutable_db_options().paranoid_checks) {
    return false;
  }
  InstrumentedMutexLock lock(db->mutex());
  TableLocator locator(db->GetFileSystem(), TableLocator::Source::kProbes);
  for (ColumnFamilyData* cfd : *db->GetVersionSet()->GetColumnFamilySet()) {
    const VersionStorageInfo& storage = *cfd->current()->storage_info();
    for (int level = 0; !cfd->IsDropped() && level < storage.num_levels();
         level++) {
      for (const FileMetaData* file : storage.LevelFiles(level)) {
        const DbPath& path = cfd->ioptions().cf_paths[file->fd.GetPathId()];
        if (!locator.Exists(path.path, file->fd.GetNumber())) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

void KnownPaths::Remember(DBImpl* db) {
  FileSystem* const fs = db->GetFileSystem();
  const std::string& dbname = db->GetName();
  const std::vector<DbPath>& db_paths = db->immutable_db_options().db_paths;
  PathsFile now;
  now.db_paths = db_paths;
  {
    InstrumentedMutexLock lock(db->mutex());
    for (const ColumnFamilyData* cfd :
         *db->GetVersionSet()->GetColumnFamilySet()) {
      const std::vector<DbPath>& paths = cfd->ioptions().cf_paths;
      if (!cfd->IsDropped() && !AreEqual(paths, db_paths)) {
        now.cf_paths[cfd->GetName()] = paths;
      }
    }
  }
  now.db_folder = PathsFile::Folder(fs, dbname);
  now.db_paths = WithFolders(fs, now.db_paths);
  for (auto& [name, paths] : now.cf_paths) {
    paths = WithFolders(fs, paths);
  }
  const std::vector<std::string> folders = now.Folders();
  const bool several = std::any_of(
      folders.begin(), folders.end(),
      [&](const std::string& folder) { return folder != now.db_folder; });
  PathsFile before;
  const bool is_right = several ? PathsFile::Read(fs, dbname, &before).ok() &&
                                      before.ToText() == now.ToText()
                                : !PathsFile::Exists(fs, dbname);
  // What is missing may lie in folders that only the old file names.
  if (is_right || LacksTables(db)) {
    return;
  }
  const Status s =
      several ? now.Write(fs, dbname) : PathsFile::Remove(fs, dbname);
  if (!s.ok()) {
    ROCKS_LOG_WARN(db->immutable_db_options().info_log, "%s: %s",
                   PathsFile::FileName(dbname).c_str(), s.ToString().c_str());
  }
}

Status KnownPaths::CheckNewDB(
    const ImmutableDBOptions& db_options, const std::string& dbname,
    const std::vector<ColumnFamilyDescriptor>& column_families) {
  std::vector<DbPath> paths = db_options.db_paths;
  for (const ColumnFamilyDescriptor& family : column_families) {
    paths.insert(paths.end(), family.options.cf_paths.begin(),
                 family.options.cf_paths.end());
  }
  if (!TableLocator::AreSeveral(paths)) {
    return Status::OK();
  }
  FileSystem* const fs = db_options.fs.get();
  for (const DbPath& path : paths) {
    const std::vector<std::string> tables = TableNames(fs, path.path);
    if (!tables.empty()) {
      return Status::InvalidArgument(
          "There is no DB in " + dbname + ", but a table is in " + path.path +
              ", which a new DB would delete: is the disk of the DB's folder "
              "mounted? (Remove the tables to make a new DB)",
          tables.front());
    }
  }
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
