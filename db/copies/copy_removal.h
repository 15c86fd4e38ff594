//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Makes DeleteFilesInRanges() safe with promoted copies.
//
// RocksDB deletes the tables that lie entirely in a range, and leaves the keys
// in all others. If the original of a record is deleted that way, its copy
// would stay readable. So before any table is deleted, tables that may hold
// copies in the ranges, and will not be deleted themselves, are rewritten
// without those copies.
//
// If such a table is being compacted, nobody waits for it, because the
// compaction may be waiting for the caller. RocksDB skips tables that are being
// compacted; likewise the tables that such a table overlaps are skipped.
//
// Thread safety: one object per call, on its stack.

#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "plugin/hotrap/db/copies/key_ranges.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class ColumnFamilyHandle;
class DBImpl;
class TierState;
struct FileMetaData;

class CopyRemoval {
 public:
  // No record is promoted by flush or retained during the lifetime of the
  // object. REQUIRES: DB mutex held, in constructor and destructor. The
  // constructor releases it while it rewrites tables.
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

  // Returns whether a table of `level` must not be deleted because a table
  // above it may hold copies. REQUIRES: DB mutex held since the constructor
  // returned.
  bool Keeps(int level, const FileMetaData& file) const;

 private:
  struct Table {
    std::string name;
    int level;
    int path_id;
  };

  CopyRemoval(DBImpl* db, ColumnFamilyHandle* column_family, bool include_end);
  void Run();
  // Returns the tables to rewrite. Adds those found to hold no copies to done_.
  std::vector<Table> FindTables();
  // Rewrites the first table, or all tables of L0 together, without the copies
  // in the ranges. Fails if a compaction has one of them.
  Status Rewrite(const std::vector<Table>& tables);
  bool WillStay(int level, const FileMetaData& file) const;

  DBImpl* const db_;
  ColumnFamilyHandle* const column_family_;
  ColumnFamilyData* const cfd_;
  TierState* const state_;
  const bool needed_;
  const std::shared_ptr<KeyRanges> ranges_;
  // Numbers of tables that hold no copies in the ranges.
  std::unordered_set<uint64_t> done_;
  uint64_t checked_version_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
