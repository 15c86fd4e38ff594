//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/myrocks_row.h"

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant rows_are_whole("rows_hold_what_their_version_says");
Invariant reads_equal_model("reads_by_primary_key_equal_the_model");

}  // namespace

StoredRow DecodeStoredRow(const MyRocksTable& table, uint64_t row,
                          const Status& s, const Slice& value,
                          uint64_t now_secs) {
  StoredRow result;
  if (s.ok()) {
    rows_are_whole.Check(
        table.DecodeRow(row, value, &result.version, &result.written_secs) &&
            !IsDeleted(result.version),
        [&] {
          return table.name + " row " + std::to_string(row) + " version " +
                 std::to_string(result.version) + ": " + value.ToString(true);
        });
    result.found = !table.Expired(result.written_secs, now_secs);
  }
  return result;
}

Status ReadStoredRow(DB* db, ColumnFamilyHandle* handle,
                     const MyRocksTable& table, uint64_t row,
                     const ReadOptions& options, StoredRow* result) {
  PinnableSlice value;
  const uint64_t now_secs = NowSecs();
  const Status s = db->Get(options, handle, table.PrimaryKey(row), &value);
  if (!s.ok() && !s.IsNotFound()) {
    return s;
  }
  *result = DecodeStoredRow(table, row, s, value, now_secs);
  return Status::OK();
}

RowExpectation::RowExpectation(MyRocksTable* table, uint64_t row)
    : table_(table),
      row_(row),
      written_secs_(table->model[row].written_secs.load()),
      acked_(table->model[row].acked.load()) {}

void RowExpectation::Check(const StoredRow& found, const char* how) const {
  const uint32_t pending = table_->model[row_].pending.load();
  bool holds;
  if (found.found) {
    holds = acked_ <= found.version && found.version <= pending;
  } else {
    // Deleted by one of the versions that it may have, or expired by now.
    holds = (acked_ + 7) / 8 * 8 <= pending ||
            table_->Expired(written_secs_, NowSecs());
  }
  reads_equal_model.Check(holds, [&] {
    return table_->name + " row " + std::to_string(row_) + ", " + how +
           ": found " +
           (found.found ? "version " + std::to_string(found.version)
                        : std::string("nothing")) +
           ", acknowledged " + std::to_string(acked_) + ", pending " +
           std::to_string(pending) + ", written at " +
           std::to_string(written_secs_);
  });
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
