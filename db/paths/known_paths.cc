//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/paths/known_paths.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "file/filename.h"
#include "logging/logging.h"
#include "monitoring/instrumented_mutex.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/paths/path_owner.h"
#include "plugin/hotrap/db/paths/paths_file.h"
#include "plugin/hotrap/db/paths/table_files.h"
#include "plugin/hotrap/db/paths/table_locator.h"
#include "plugin/hotrap/db/state/ralt_folders.h"

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

Status CheckNewPath(FileSystem* fs, const std::string& dbname,
                    const std::string& folder) {
  return PathOwner::Check(
      fs, folder, dbname,
      "A path that " + dbname +
          " has not had before is another DB's, whose tables would be deleted; "
          "give each DB a folder of its own");
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

// The folders of HOTRAP_PATHS, unless it was copied from another place.
std::vector<std::string> KnownFolders(FileSystem* fs,
                                      const std::string& dbname) {
  PathsFile known;
  return PathsFile::Read(fs, dbname, &known).ok() &&
                 PathsFile::IsSameFolder(fs, known.db_folder, dbname)
             ? known.Folders()
             : std::vector<std::string>();
}

std::set<std::string> FoldersOfTables(FileSystem* fs, VersionSet* versions) {
  std::set<std::string> folders;
  for (ColumnFamilyData* cfd : *versions->GetColumnFamilySet()) {
    const VersionStorageInfo& storage = *cfd->current()->storage_info();
    std::set<uint32_t> used;
    for (int level = 0; level < storage.num_levels(); level++) {
      for (const FileMetaData* file : storage.LevelFiles(level)) {
        used.insert(file->fd.GetPathId());
      }
    }
    for (const uint32_t path : used) {
      folders.insert(
          PathsFile::Folder(fs, cfd->ioptions().cf_paths[path].path));
    }
  }
  return folders;
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
      if (cfd->IsDropped()) {
        for (const DbPath& path : paths) {
          now.left.insert(PathsFile::Folder(fs, path.path));
        }
      } else if (!AreEqual(paths, db_paths)) {
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
  PathsFile before;
  const bool is_known = PathsFile::Read(fs, dbname, &before).ok();
  if (is_known && PathsFile::IsSameFolder(fs, before.db_folder, dbname)) {
    now.left.insert(before.left.begin(), before.left.end());
  }
  for (auto left = now.left.begin(); left != now.left.end();) {
    const bool is_path =
        *left == now.db_folder ||
        std::find(folders.begin(), folders.end(), *left) != folders.end();
    left = is_path || TableNames(fs, *left).empty() ? now.left.erase(left)
                                                    : std::next(left);
  }
  const bool several =
      !now.left.empty() || std::any_of(folders.begin(), folders.end(),
                                       [&](const std::string& folder) {
                                         return folder != now.db_folder;
                                       });
  const bool is_right = several ? is_known && before.ToText() == now.ToText()
                                : !PathsFile::Exists(fs, dbname);
  // What is missing may lie in folders that only the old file names.
  if (!is_right && LacksTables(db)) {
    return;
  }
  for (const std::string& folder : folders) {
    if (folder != now.db_folder) {
      PathOwner::Note(fs, folder, now.db_folder);
    }
  }
  if (is_right) {
    return;
  }
  if (is_known && PathsFile::IsSameFolder(fs, before.db_folder, dbname)) {
    // Nobody would find RALT in a folder that is forgotten. Another DB may have
    // the folder by now.
    for (const std::string& folder : before.Folders()) {
      if (now.left.count(folder) == 0 && folder != now.db_folder &&
          std::find(folders.begin(), folders.end(), folder) == folders.end() &&
          TableNames(fs, folder).empty() &&
          PathOwner::Check(fs, folder, dbname).ok()) {
        RaltFolders::DestroyAll(folder, fs);
        PathOwner::Forget(fs, folder);
      }
    }
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
  FileSystem* const fs = db_options.fs.get();
  std::vector<std::string> folders = KnownFolders(fs, dbname);
  for (const DbPath& path : db_options.db_paths) {
    folders.push_back(path.path);
  }
  for (const ColumnFamilyDescriptor& family : column_families) {
    for (const DbPath& path : family.options.cf_paths) {
      folders.push_back(path.path);
    }
  }
  if (std::all_of(folders.begin(), folders.end(),
                  [&](const std::string& folder) {
                    return PathsFile::IsSameFolder(fs, folder, dbname);
                  })) {
    return Status::OK();
  }
  for (const std::string& folder : folders) {
    if (!PathsFile::IsSameFolder(fs, folder, dbname)) {
      const Status s = CheckNewPath(fs, dbname, folder);
      if (!s.ok()) {
        return s;
      }
    }
    const std::vector<std::string> tables = TableNames(fs, folder);
    if (!tables.empty()) {
      return Status::InvalidArgument(
          "There is no DB in " + dbname + ", but a table is in " + folder +
              ", which a new DB would delete: is the disk of the DB's folder "
              "mounted? (Remove the tables to make a new DB)",
          tables.front());
    }
  }
  return Status::OK();
}

Status KnownPaths::CheckPaths(const ImmutableDBOptions& db_options,
                              const std::string& dbname,
                              const std::string& db_id, VersionSet* versions,
                              const std::vector<DbPath>* new_paths) {
  FileSystem* const fs = db_options.fs.get();
  std::set<std::string> folders;
  const auto add = [&](const std::vector<DbPath>& paths) {
    for (const DbPath& path : paths) {
      folders.insert(PathsFile::Folder(fs, path.path));
    }
  };
  if (new_paths != nullptr) {
    add(*new_paths);
  } else {
    for (ColumnFamilyData* cfd : *versions->GetColumnFamilySet()) {
      add(cfd->ioptions().cf_paths);
    }
  }
  folders.erase(PathsFile::Folder(fs, dbname));
  if (folders.empty()) {
    return Status::OK();
  }
  if (new_paths == nullptr) {
    // A backup is restored by the path numbers of the MANIFEST, so write one
    // that has those that were found (reuse_manifest_on_open).
    DbAccess::StartNewManifest(versions);
  }
  std::vector<std::string> known = KnownFolders(fs, dbname);
  known.push_back(dbname);
  const auto is_known = [&](const std::string& folder) {
    return std::any_of(known.begin(), known.end(),
                       [&](const std::string& other) {
                         return PathsFile::IsSameFolder(fs, folder, other);
                       });
  };
  // Also if tables with our numbers are there: this DB may be a copy of that
  // one.
  for (const std::string& folder : folders) {
    const Status s =
        is_known(folder) ? Status::OK() : CheckNewPath(fs, dbname, folder);
    if (!s.ok()) {
      return s;
    }
  }
  const std::set<std::string> with_tables = FoldersOfTables(fs, versions);
  known.insert(known.end(), with_tables.begin(), with_tables.end());
  for (const std::string& folder : folders) {
    if (is_known(folder)) {
      continue;
    }
    const std::set<std::string> ids = DbIdsOfTables(fs, TablesIn(fs, folder));
    if (ids.empty()) {
      continue;
    }
    // A repaired or copied DB has another id than its older tables.
    std::set<std::string> own_ids = OwnDbIds(fs, dbname);
    own_ids.insert(db_id);
    for (const std::string& own : with_tables) {
      own_ids.merge(DbIdsOfTables(fs, TablesIn(fs, own)));
    }
    if (std::none_of(ids.begin(), ids.end(), [&](const std::string& id) {
          return own_ids.count(id) > 0;
        })) {
      return Status::InvalidArgument(
          "A path that " + dbname +
              " has not had before holds tables of another DB, which would be "
              "deleted (give each DB a folder of its own, or remove them)",
          folder);
    }
  }
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
