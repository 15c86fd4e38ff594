//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What remains of a dropped column family's RALT until it is torn down: RALT
// itself, if it was open, and its folders.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class FileSystem;
class Logger;
class Ralt;

class RaltOrphan {
 public:
  // `ralt` may be nullptr.
  RaltOrphan(DBImpl* db, const ColumnFamilyData& cfd,
             std::unique_ptr<Ralt> ralt);
  ~RaltOrphan();
  RaltOrphan(const RaltOrphan&) = delete;
  RaltOrphan& operator=(const RaltOrphan&) = delete;

  // Closes RALT and removes its folders.
  void TearDown();
  // The same in RALT's thread, and then destroys the orphan. Closing the DB
  // waits for that (DbAccess::Work::orphans()). REQUIRES: DB mutex held.
  static void TearDownLater(std::unique_ptr<RaltOrphan> orphan);

  // Tears down, in this thread, the orphans of the DB that are still queued
  // behind other DBs' RALTs. REQUIRES: DB mutex not held.
  static void TearDownNow(DBImpl* db);

 private:
  static void Run(void* orphan);

  DBImpl* const db_;
  std::unique_ptr<Ralt> ralt_;
  const std::vector<std::string> folders_;
  const std::string cf_name_;
  const std::shared_ptr<FileSystem> fs_;
  Logger* const info_log_;
};

}  // namespace ROCKSDB_NAMESPACE
