//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells why tables of the MANIFEST were not found: because they lie in a folder
// that was not searched, because a path is missing, or because they are lost.
// Only lost tables may be done without. Readers of the MANIFEST and RepairDB
// ask here before they touch anything.
//
// The rules, first of those that name what is wrong with the list of paths:
// - A table's path number is beyond the end of the list.
// - A table lies in another folder that the DB has ever known: one of
//   HOTRAP_PATHS, of another column family's paths, or the DB's own.
// - HOTRAP_PATHS names more folders than the list has, one of which was not
//   searched.
// Then those that take a path for missing, as a disk that is not mounted is:
// - Of the tables that the MANIFEST has on a path, none was found.
// - A path has no table at all. This counts only if asked for, and if the list
//   is not that of HOTRAP_PATHS: with that list, path numbers are right.
//
// Thread safety: a plain value after construction.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

class MissingTables {
 public:
  struct OfFamily {
    std::string cf_name;
    // What the path numbers in the MANIFEST refer to, as far as is known.
    std::vector<DbPath> paths;
    std::vector<std::string> searched;
    // Path numbers in the MANIFEST, by table. Not empty.
    std::map<uint64_t, uint32_t> tables;
    // Path numbers in the MANIFEST of tables that were found.
    std::set<uint32_t> found_on;
  };

  // `any_path`: whether any path without tables counts.
  MissingTables(FileSystem* fs, const std::string& dbname,
                const std::vector<OfFamily>& families, bool any_path);

  // The list of paths is wrong.
  bool AreElsewhere() const { return is_list_wrong_; }
  // A path is missing.
  bool IsPathMissing() const { return !missing_paths_.empty(); }

  // Names the tables, the folders that were searched, and what is wrong.
  const std::string& message() const { return message_; }

 private:
  // Returns one of `folders` that was not searched and in which one of the
  // tables lies, or "".
  std::string FindIn(const std::vector<std::string>& folders,
                     const OfFamily& of) const;
  void AskPaths(const OfFamily& of, bool any_path);
  void AskKnown(const OfFamily& of);
  bool Contains(const std::vector<std::string>& folders,
                const std::string& folder) const;
  void AddTo(std::vector<std::string>* folders,
             const std::string& folder) const;

  FileSystem* const fs_;
  PathsFile known_;
  bool is_known_ = false;
  // HOTRAP_PATHS names the tables of the original.
  bool is_copy_ = false;
  std::vector<std::string> all_folders_;
  std::vector<std::string> elsewhere_;
  std::vector<std::string> unsearched_;
  std::vector<std::string> missing_paths_;
  bool is_list_wrong_ = false;
  std::string message_;
};

}  // namespace ROCKSDB_NAMESPACE
