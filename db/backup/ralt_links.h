//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RALT's files for a checkpoint or a backup: hard links to one state of each
// column family's RALT, in a folder beside it, for as long as copying takes.
// They have names that RocksDB gives to temporary files, so that a RocksDB
// without HotRAP restores such a backup, and deletes them when it opens the DB.
//
// Thread safety: one thread at a time.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;

class RaltLinks {
 public:
  struct File {
    std::string folder;
    std::string name;
    uint64_t bytes;
    uint32_t cf_id;
    std::string cf_name;
    // Its name in RALT's own folder.
    std::string ralt_name;
  };

  // Takes the links; leaves a RALT out of which it cannot. Waits until the
  // RALTs have flushed what they know. REQUIRES: DB mutex not held
  explicit RaltLinks(DBImpl* db);
  ~RaltLinks();
  RaltLinks(const RaltLinks&) = delete;
  RaltLinks& operator=(const RaltLinks&) = delete;

  const std::vector<File>& files() const { return files_; }

 private:
  void Take(ColumnFamilyData* cfd);

  DBImpl* const db_;
  std::vector<std::string> folders_;
  std::vector<File> files_;
};

}  // namespace ROCKSDB_NAMESPACE
