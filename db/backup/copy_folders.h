//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Where a copy of a DB, a checkpoint or a restored backup, has its files: in
// its own folder, and below hotrap.checkpoint_slow_root (else slow_root) and
// fast_root in folders that are named after it. These are the folders that a DB
// gets which is opened with the same roots.
//
// Thread safety: a plain value.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/hotrap/db/paths/paths_file.h"
#include "rocksdb/file_system.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class CopyFolders {
 public:
  // As a caller may name a folder. Returns "" for the root's.
  static std::string WithoutSlashAtEnd(const std::string& folder);

  // `folder`: the copy's own, which may not exist yet.
  CopyFolders(FileSystem* fs, const std::string& folder);

  // Adds a column family. Its tables go below the roots of its options; those
  // of a path without a root to the own folder. `known` are paths that it has
  // had there: of these, one below a root is taken again. InvalidArgument if a
  // root is not there; then nothing is added.
  Status AddByRoots(const std::string& cf_name, const HotRapOptions& hotrap,
                    uint64_t fast_bytes, const std::vector<DbPath>& known = {});
  // The same with the first and the last of `paths`.
  void AddPaths(const std::string& cf_name, const std::vector<DbPath>& paths);

  // The folders of a column family; the own for one that was not added.
  std::string Fast(const std::string& cf_name) const;
  std::string Slow(const std::string& cf_name) const;

  // The copy's own folder, in its canonical form.
  const std::string& own() const { return own_; }
  // The other folders, each once.
  std::vector<std::string> Others() const;
  bool IsOwn(const std::string& folder) const {
    return PathsFile::IsSameFolder(fs_, folder, own_);
  }

  // What the copy's HOTRAP_PATHS says. REQUIRES: Others() not empty
  PathsFile ToFile() const;
  // Makes the other folders.
  Status Make() const;

 private:
  struct Root {
    std::string field;
    std::string folder;
  };

  std::string Below(const Root& root, const std::vector<DbPath>& known,
                    bool last);

  FileSystem* const fs_;
  const std::string own_;
  const std::string absolute_;
  // By name of the column family: fast, slow.
  std::map<std::string, std::vector<DbPath>> families_;
  // The roots of other folders that have one.
  std::map<std::string, Root> roots_;
};

}  // namespace ROCKSDB_NAMESPACE
