//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Where RALT's folders are: "hotrap.ralt.<column family id>" in the fast path.
//
// Thread safety: any thread.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

class FileSystem;

class RaltFolders {
 public:
  // A folder has this name, followed by the column family's id.
  static constexpr char kPrefix[] = "hotrap.ralt.";

  // Returns the folder of a column family in `path`.
  static std::string In(const std::string& path, uint32_t cf_id);
  // Returns all places where the folder of a column family may be, since the
  // order of paths may have changed.
  static std::vector<std::string> InAny(const std::vector<DbPath>& paths,
                                        uint32_t cf_id);
  // Returns the folders that exist in `paths`, with the ids of their column
  // families. Skips paths that cannot be listed.
  static std::vector<std::pair<std::string, uint64_t>> List(
      const std::vector<DbPath>& paths, FileSystem* fs);

  // A folder for links to RALT's files, while a checkpoint or a backup copies
  // them. `session`: the DB's, which tells those that are in use from those
  // that a killed process has left.
  static std::string LinksIn(const std::string& path,
                             const std::string& session, uint64_t number);
  // Removes a folder of links.
  static void RemoveLinks(const std::string& folder, FileSystem* fs);
  // Removes those that earlier sessions have left in a path.
  static void RemoveLinksBefore(const std::string& path,
                                const std::string& session, FileSystem* fs);

  // For DestroyDB: removes everything with the prefix from a path.
  static void DestroyAll(const std::string& path, FileSystem* fs);
};

}  // namespace ROCKSDB_NAMESPACE
