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
// Like RALT's files it is named like a temporary file of RocksDB's, so that a
// RocksDB without HotRAP restores it, and deletes it when it opens the DB. What
// it begins with tells it from these.
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

  // Whether a file may be one, by its name without a folder and its size.
  static bool MayBe(const std::string& name, uint64_t bytes);
  // ... and is one, by its content.
  static bool Is(const std::string& text);

  std::string ToText() const;
  // Skips what it cannot parse, and names with a slash.
  static BackupNote FromText(const std::string& text);
};

}  // namespace ROCKSDB_NAMESPACE
