//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HOTRAP_PATHS is a small text file in the DB's folder. It records the paths of
// the DB's tables, from the options that the DB was last opened with. Tools use
// it, and opening a DB does: to find tables on paths that nobody gave
// (path_choice.h), and to tell missing tables from lost ones. A DB whose only
// path is its own folder has no such file.
// Stock RocksDB leaves the file alone, because its name is not one of
// RocksDB's.
//
//   HOTRAP_PATHS 1
//   db <folder>
//   paths <target size>:<folder> ...
//   cf <name> <target size>:<folder> ...
//   left <folder>
//   id <id of the DB>
//
// A column family has a `cf` line if its cf_paths differ from db_paths. Bytes
// of names that would break a line are written as %XX. DestroyDB writes `id`
// lines. Readers skip lines of other kinds, so that later versions may add
// some.
//
// Thread safety: a plain value.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct PathsFile {
  // The DB's folder when the file was written. Tells the original from a copy
  // in another place, which names the tables of the original.
  std::string db_folder;
  std::vector<DbPath> db_paths;
  // By column family name.
  std::map<std::string, std::vector<DbPath>> cf_paths;
  // Folders of dropped column families in which there were tables. A crash may
  // have kept these from being deleted. Only DestroyDB asks for them.
  std::set<std::string> left;
  // What tables of this DB call it. Only after DestroyDB has begun.
  std::set<std::string> db_ids;

  static std::string FileName(const std::string& dbname);

  // Returns whether there is a file, or the remainder of one after a crash.
  static bool Exists(FileSystem* fs, const std::string& dbname);

  // Returns NotFound if there is no file. Skips what it cannot parse.
  static Status Read(FileSystem* fs, const std::string& dbname,
                     PathsFile* result);

  // Writes atomically: a crash leaves the old content or the new.
  Status Write(FileSystem* fs, const std::string& dbname) const;
  // The same with a file of another name.
  Status WriteTo(FileSystem* fs, const std::string& in_folder,
                 const std::string& name) const;

  // Returns OK if there is no file.
  static Status Remove(FileSystem* fs, const std::string& dbname);
  static Status RemoveFrom(FileSystem* fs, const std::string& name);

  std::string ToText() const;
  static PathsFile FromText(const std::string& text);

  // Returns the paths of a column family.
  const std::vector<DbPath>& PathsOf(const std::string& cf_name) const;

  // Returns the folders of all paths, each once, those of db_paths first.
  std::vector<std::string> Folders() const;

  // Returns the canonical form of a path, so that equal folders are equal
  // strings.
  static std::string Folder(FileSystem* fs, const std::string& path);
  // Returns whether two paths name one folder, also through a link.
  static bool IsSameFolder(FileSystem* fs, const std::string& a,
                           const std::string& b);
  // Returns the folders of `paths`, each once, in order.
  static std::vector<std::string> Folders(FileSystem* fs,
                                          const std::vector<DbPath>& paths);
};

}  // namespace ROCKSDB_NAMESPACE
