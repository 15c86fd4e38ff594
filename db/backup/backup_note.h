//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A small text file in each backup of a DB that has several folders, or whose
// hot set is in the backup: the paths that the DB had, in the format of
// HOTRAP_PATHS, and what the files of RALT are.
//
//   HOTRAP_PATHS 1
//   ...
//   ralt <name in the backup> <column family id> <name in RALT's folder>
//
// It is named like a temporary file of RocksDB's, "OPTIONS-<number>.dbtmp", so
// that a RocksDB without HotRAP restores it, and deletes it when it opens the
// DB. Unlike RALT's files it begins with OPTIONS.
//
// Thread safety: a plain value.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "plugin/hotrap/db/paths/paths_file.h"

namespace ROCKSDB_NAMESPACE {

struct BackupNote {
  struct RaltFile {
    uint32_t cf_id;
    std::string name;
  };

  PathsFile paths;
  // By name in the backup.
  std::map<std::string, RaltFile> ralt;

  // Its name without a folder.
  static std::string FileName(uint64_t number);
  static bool IsFileName(const std::string& name);

  std::string ToText() const;
  // Skips what it cannot parse, and names with a slash.
  static BackupNote FromText(const std::string& text);
};

}  // namespace ROCKSDB_NAMESPACE
