//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How many promoted copies the live tables of a column family hold, as far as
// their properties have been read. RocksDB reads them when a version gets new
// tables; with max_open_files set, not those of all tables.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "port/port.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class VersionStorageInfo;
struct FileMetaData;
struct TableProperties;

// Whether a table of a lower level overlaps the key range of `file`: only then
// can its copies have originals. Tables of L0 count as newer.
bool HasTablesBelow(const VersionStorageInfo& storage, int level,
                    const FileMetaData& file);

class CopyMarks {
 public:
  // The properties of a table that is, or is about to be, of the current
  // version. Tables without copies cost a look-up in them.
  void Note(uint64_t file_number, const TableProperties& properties);
  // The table left the current version.
  void Erase(uint64_t file_number);

  // Counts anew which copies can have originals in `storage`, which is the
  // current version's. REQUIRES: DB mutex held.
  void Recount(const VersionStorageInfo& storage);

  // The copies of all marked tables.
  uint64_t total() const { return total_.load(std::memory_order_relaxed); }
  // Those of tables with others below, as of the last Recount(). A table may
  // have been moved, unwritten, to where its copies are the only versions.
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
