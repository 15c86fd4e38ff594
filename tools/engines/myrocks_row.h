//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Reading one row by its primary key, as the server does: what has expired is
// not there.

#pragma once

#include <cstdint>
#include <string>

#include "plugin/hotrap/tools/engines/myrocks_table.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

struct StoredRow {
  bool found = false;
  uint32_t version = 0;
  uint64_t written_secs = 0;
};

// Decodes the answer of a Get or MultiGet. Fails if the value is not one of
// that row.
StoredRow DecodeStoredRow(const MyRocksTable& table, uint64_t row,
                          const Status& s, const Slice& value,
                          uint64_t now_secs);

// Errors but NotFound are returned.
Status ReadStoredRow(DB* db, ColumnFamilyHandle* handle,
                     const MyRocksTable& table, uint64_t row,
                     const ReadOptions& options, StoredRow* result);

// What the model allows a read to find. Taken before the read; Check() comes
// after it.
class RowExpectation {
 public:
  RowExpectation(MyRocksTable* table, uint64_t row);
  // Fails if the row cannot be what the read found.
  void Check(const StoredRow& found, const char* how) const;

 private:
  MyRocksTable* const table_;
  const uint64_t row_;
  // In this order: the time first, the pending version not at all.
  const uint64_t written_secs_;
  const uint32_t acked_;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
