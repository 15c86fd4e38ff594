//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A copy of a DB, by a checkpoint or by a backup, that can be read.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

class CopiedDb {
 public:
  // The copy will be in `folder`, which must not exist, and a backup beside it.
  CopiedDb(const Options& options, const std::string& folder);
  // Removes the copy, wherever its tables are.
  ~CopiedDb();
  CopiedDb(const CopiedDb&) = delete;
  CopiedDb& operator=(const CopiedDb&) = delete;

  Status TakeCheckpoint(DB* db);
  Status BackUpAndRestore(DB* db);
  // Opens the copy, knowing nothing of paths and HotRAP.
  Status Open(const std::vector<std::string>& families);

  DB* db() const { return db_.get(); }
  const std::vector<ColumnFamilyHandle*>& handles() const { return handles_; }

 private:
  Options options_;
  const std::string folder_;
  std::unique_ptr<DB> db_;
  std::vector<ColumnFamilyHandle*> handles_;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
