//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Where the files of a backup go when it is restored. Tables of paths other
// than the first go to the slow folder, RALT's files to RALT's folder on the
// fast path, all else to the DB's folder. The folders are, in this order,
//
// 1. those of ROCKSDB_HOTRAP, if it has options for the DB: the roots' folders,
//    or with enabled=false one folder for all;
// 2. those of the roots in the backup's OPTIONS file, as far as they are there;
// 3. those that the DB in the folder has, or had when the backup was made of
//    it, by its HOTRAP_PATHS;
// 4. the DB's folder for all.
//
// Thread safety: none needed.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/hotrap/db/backup/backup_note.h"
#include "plugin/hotrap/db/backup/copy_folders.h"
#include "plugin/hotrap/db/paths/manifest_tables.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/backup_engine.h"

namespace ROCKSDB_NAMESPACE {

class RestorePlan {
 public:
  // `db_dir` has no slash at its end.
  RestorePlan(FileSystem* db_fs, const std::string& db_dir, Logger* info_log);

  // Finds the folders. `backup` has file details. InvalidArgument if a folder
  // holds tables of another DB, which would be deleted. A backup that cannot be
  // read goes to one folder.
  Status Make(const BackupInfo& backup);

  // Everything goes to the DB's folder, and its files lie nowhere else.
  bool IsPlain() const;

  // Makes the folders, removes what is in the way, and writes HOTRAP_PATHS.
  Status Begin();
  // All files are there.
  Status Finish();

  const std::string& db_dir() const { return db_dir_; }
  // The places of files that do not go to the DB's folder, by name.
  const std::map<std::string, std::string>& places() const { return places_; }
  // Other folders that have, or will have, tables of the DB.
  const std::vector<std::string>& others() const { return others_; }

 private:
  void ReadNote(const BackupInfo& backup, FileSystem* fs);
  void ChooseFolders(const BackupInfo& backup);
  void PlaceFiles(const BackupInfo& backup);
  Status CheckOthers(const BackupInfo& backup, FileSystem* fs) const;
  // The options of the column family in the environment, or those of the
  // backup.
  HotRapOptions OptionsOf(const std::string& cf_name,
                          const HotRapOptions& in_backup, bool* one_folder);

  FileSystem* const fs_;
  const std::string db_dir_;
  Logger* const info_log_;
  CopyFolders folders_;
  BackupNote note_;
  std::string note_name_;
  ManifestTables manifest_;
  // HOTRAP_PATHS of the DB that is in the folder.
  bool is_known_ = false;
  PathsFile known_;
  std::map<std::string, std::string> places_;
  std::vector<std::string> others_;
  std::vector<std::string> ralt_folders_;
};

}  // namespace ROCKSDB_NAMESPACE
