//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// DeleteFilesInRanges() over promoted copies.
//
// RocksDB deletes the tables that lie in a range whole, and leaves the keys of
// all others. The copy of a record that so loses its original would stay
// readable. So before any table is deleted, those that may hold copies in the
// ranges, and are not to be deleted themselves, are rewritten without them.
//
// Where such a table is being compacted it is not waited for: the compaction
// may wait for the caller. As RocksDB leaves tables that are being compacted,
// those that such a table overlaps are left.
//
// Thread safety: one object a call, on its stack.

#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "plugin/hotrap/db/key_ranges.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class ColumnFamilyHandle;
class DBImpl;
class HotRapTier;
struct FileMetaData;

class CopyRemoval {
 public:
  // While it lives, no record is promoted by flush and none is retained.
  // REQUIRES: DB mutex held, at both ends; it is released meanwhile.
  template <typename Ranges>
  CopyRemoval(DBImpl* db, ColumnFamilyHandle* column_family,
              const Ranges& ranges, bool include_end)
      : CopyRemoval(db, column_family, include_end) {
    if (needed_) {
      for (const auto& range : ranges) {
        ranges_->Add(range.start, range.limit);
      }
      Run();
    }
  }
  ~CopyRemoval();
  CopyRemoval(const CopyRemoval&) = delete;
  CopyRemoval& operator=(const CopyRemoval&) = delete;

  // Whether a table of `level` must not be deleted, as a table above it may
  // hold copies. REQUIRES: DB mutex held since the constructor returned.
  bool Keeps(int level, const FileMetaData& file) const;

 private:
  struct Table {
    std::string name;
    int level;
    int path_id;
  };

  CopyRemoval(DBImpl* db, ColumnFamilyHandle* column_family, bool include_end);
  void Run();
  // Those to be rewritten. Notes the others as done.
  std::vector<Table> FindTables();
  // Rewrites the first one without what is in the ranges, if nobody has it now.
  Status Rewrite(const std::vector<Table>& tables);
  bool WillStay(int level, const FileMetaData& file) const;

  DBImpl* const db_;
  ColumnFamilyHandle* const column_family_;
  ColumnFamilyData* const cfd_;
  HotRapTier* const tier_;
  const bool needed_;
  const std::shared_ptr<KeyRanges> ranges_;
  // Numbers of tables that hold no copies in the ranges.
  std::unordered_set<uint64_t> done_;
  uint64_t checked_version_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
