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

struct TableProperties;

class CopyMarks {
 public:
  // The properties of a table that is, or is about to be, of the current
  // version. Tables without copies cost a look-up in them.
  void Note(uint64_t file_number, const TableProperties& properties);
  // The table left the current version.
  void Erase(uint64_t file_number);

  uint64_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  port::Mutex mutex_;
  std::unordered_map<uint64_t, uint64_t> copies_;  // protected by mutex_
  std::atomic<uint64_t> total_{0};                 // written with mutex_ held
};

}  // namespace ROCKSDB_NAMESPACE
