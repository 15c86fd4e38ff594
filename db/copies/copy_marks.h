//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Counts the promoted copies in the live tables of a column family, as far as
// the tables' properties have been read. RocksDB reads them when tables are
// added to a version, but not for all tables if max_open_files is set.
//
// Thread safety: every method may be called from any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "port/port.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class VersionStorageInfo;
struct FileMetaData;
struct ImmutableOptions;
struct TableProperties;

// Returns whether a table of a deeper level overlaps the key range of `file`;
// only then can its copies have originals. Among L0 tables, none counts as
// deeper than another.
bool HasTablesBelow(const VersionStorageInfo& storage, int level,
                    const FileMetaData& file);

// Returns whether the column family has a compaction filter.
bool HasFilter(const ImmutableOptions& ioptions);

class CopyMarks {
 public:
  // Notes the properties of a table that is about to enter the current version.
  // Costs one lookup in the properties if the table has no copies.
  void Note(const TableProperties& properties, const FileMetaData& file);
  // Called when `storage` has become that of the current version, by whatever
  // kind of DB. Forgets the tables that are not in it, and counts the copies
  // that can have originals in it. REQUIRES: DB mutex held.
  void OnVersion(const VersionStorageInfo& storage);

  // The number of copies in all noted tables.
  uint64_t total() const { return total_.load(std::memory_order_relaxed); }
  // The number of copies in tables with overlapping tables below, as of the
  // current version. A trivial move may have brought a table to a level where
  // its copies are the only versions.
  uint64_t with_originals() const {
    return with_originals_.load(std::memory_order_relaxed);
  }

 private:
  port::Mutex mutex_;
  std::unordered_map<uint64_t, uint64_t> copies_;  // protected by mutex_
  // Written with mutex_ held.
  std::atomic<uint64_t> total_{0};
  std::atomic<uint64_t> with_originals_{0};
};

}  // namespace ROCKSDB_NAMESPACE
