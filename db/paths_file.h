//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HOTRAP_PATHS, a small text file in the DB's folder: where the DB's tables lie
// by the options it was last opened with. Messages and tools go by it, opening
// never does. A DB of one path has none, and stock RocksDB leaves it alone: by
// its name it is no file of RocksDB's.
//
//   HOTRAP_PATHS 1
//   db <folder>
//   paths <target size>:<folder> ...
//   cf <name> <target size>:<folder> ...
//
// A `cf` line is there where cf_paths differ from db_paths. Bytes of names that
// would disturb a line are written as %XX. Lines of other kinds are skipped, so
// that a later version may add some.
//
// Thread safety: a plain value.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct PathsFile {
  // The DB's folder when the file was written: a copy of it elsewhere speaks of
  // the tables of the original.
  std::string db_folder;
  std::vector<DbPath> db_paths;
  // By column family.
  std::map<std::string, std::vector<DbPath>> cf_paths;

  static std::string FileName(const std::string& dbname);

  // Also if there is no more than what a crash left of one.
  static bool Exists(FileSystem* fs, const std::string& dbname);

  // NotFound if there is none. What cannot be understood is left out.
  static Status Read(FileSystem* fs, const std::string& dbname,
                     PathsFile* result);

  // At once: a crash leaves the old content or the new.
  Status Write(FileSystem* fs, const std::string& dbname) const;

  // OK if there is none.
  static Status Remove(FileSystem* fs, const std::string& dbname);

  std::string ToText() const;
  static PathsFile FromText(const std::string& text);

  // Of a column family.
  const std::vector<DbPath>& PathsOf(const std::string& cf_name) const;

  // All folders, each once: those of db_paths first.
  std::vector<std::string> Folders() const;

  // In one form, so that equal ones are the same string.
  static std::string Folder(FileSystem* fs, const std::string& path);
  // Each once, in their order.
  static std::vector<std::string> Folders(FileSystem* fs,
                                          const std::vector<DbPath>& paths);
};

}  // namespace ROCKSDB_NAMESPACE
