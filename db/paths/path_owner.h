//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Whose a folder with tables is. Two DBs must not share one: each deletes the
// tables that it does not know. Their tables do not always tell them apart, as
// a copy of a DB has the id and the numbers of its original.
//
// HOTRAP_OWNER is a small text file in each path of a DB that is not the DB's
// own folder. It says where the DB is, as HOTRAP_PATHS does (paths_file.h). It
// is believed if there is a DB whose HOTRAP_PATHS names the folder; so a DB may
// be moved or removed, and the file be lost.
//
// Thread safety: plain functions.

#pragma once

#include <string>
#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class PathOwner {
 public:
  static std::string FileName(const std::string& folder);

  // Whether a folder, which is not that of the DB in `dbname`, may be a path of
  // it. InvalidArgument with `refusal` if it is another DB's own folder, which
  // has CURRENT, or a path of another DB; IOError if it cannot be asked.
  static Status Check(FileSystem* fs, const std::string& folder,
                      const std::string& dbname,
                      const std::string& refusal = "another DB's");

  // The same for all of a DB's folders, its own among them.
  static Status CheckAll(FileSystem* fs,
                         const std::vector<std::string>& folders,
                         const std::string& dbname, const std::string& refusal);

  // Notes that a folder is a path of the DB in `db_folder`, if Check() allows
  // it. Errors are ignored: the file only keeps others from mistakes.
  static void Note(FileSystem* fs, const std::string& folder,
                   const std::string& db_folder);

  static void Forget(FileSystem* fs, const std::string& folder);
};

}  // namespace ROCKSDB_NAMESPACE
