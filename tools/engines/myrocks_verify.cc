//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/myrocks_verify.h"

#include <functional>
#include <string_view>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/myrocks_row.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant nothing_lost("nothing_acknowledged_is_lost_by_a_kill");
Invariant full_equals_model("all_rows_equal_the_model");
Invariant entries_equal_rows("all_secondary_entries_equal_their_rows");
Invariant counts_equal("counts_of_indexes_equal_those_of_rows");
OperationCount verifications("full_verifications");

std::unique_ptr<Iterator> NewIndexIterator(MyRocksEngine* engine, int family,
                                           uint32_t index) {
  ReadOptions options;
  options.total_order_seek = true;
  options.fill_cache = false;
  std::unique_ptr<Iterator> it(
      engine->db()->NewIterator(options, engine->handle(family)));
  it->Seek(IndexStart(family == kReverseFamily ? index + 1 : index));
  return it;
}

// Returns what each row is, whether found or not.
std::vector<StoredRow> ReadRows(MyRocksEngine* engine,
                                const MyRocksTable& table, uint64_t now_secs) {
  std::vector<StoredRow> rows(table.rows);
  const auto it =
      NewIndexIterator(engine, table.primary_family, table.primary_index);
  for (; it->Valid() && IndexOf(it->key()) == table.primary_index; it->Next()) {
    const uint64_t row = MyRocksTable::RowOf(it->key());
    full_equals_model.Check(row < table.rows && !rows[row].found, [&] {
      return table.name + " row " + std::to_string(row) + " is there twice";
    });
    rows[row] =
        DecodeStoredRow(table, row, Status::OK(), it->value(), now_secs);
  }
  Must(it->status(), "iterator over a primary index");
  return rows;
}

void CheckRow(MyRocksTable* table, uint64_t row, const StoredRow& stored,
              bool after_kill, uint64_t now_secs) {
  RowState& model = table->model[row];
  const uint32_t acked = model.acked, pending = model.pending;
  const bool expired =
      !stored.found && table->Expired(model.written_secs, now_secs);
  const auto detail = [&] {
    return table->name + " row " + std::to_string(row) + ": " +
           (stored.found ? "version " + std::to_string(stored.version)
                         : std::string("nothing")) +
           ", acknowledged " + std::to_string(acked) + ", pending " +
           std::to_string(pending) + ", written at " +
           std::to_string(model.written_secs) + ", now " +
           std::to_string(now_secs);
  };
  if (!after_kill) {
    full_equals_model.Check(
        acked == pending && (stored.found ? stored.version == acked
                                          : IsDeleted(acked) || expired),
        detail);
    return;
  }
  const uint32_t deleted = (acked + 7) / 8 * 8;
  nothing_lost.Check(stored.found
                         ? acked <= stored.version && stored.version <= pending
                         : deleted <= pending || expired,
                     detail);
  if (stored.found) {
    model.written_secs = stored.written_secs;
  }
  // An expired row's version is not known; it counts on from the greatest.
  const uint32_t version = stored.found         ? stored.version
                           : deleted <= pending ? deleted
                                                : pending;
  model.pending = version;
  model.acked = version;
}

void CheckIndex(MyRocksEngine* engine, const MyRocksTable& table,
                const SecondaryIndex& index, const std::vector<StoredRow>& rows,
                uint64_t now_secs) {
  uint64_t expected = 0, entries = 0;
  for (const auto& row : rows) {
    expected += row.found ? 1 : 0;
  }
  const auto it = NewIndexIterator(engine, index.family, index.index);
  for (; it->Valid() && IndexOf(it->key()) == index.index; it->Next()) {
    if (table.Expired(table.SecsOf(it->value()), now_secs)) {
      continue;
    }
    entries++;
    const uint64_t row = MyRocksTable::RowOf(it->key());
    entries_equal_rows.Check(
        row < table.rows && rows[row].found &&
            it->key() == table.SecondaryKey(index, row, rows[row].version),
        [&] {
          return table.name + " index " + std::to_string(index.index) +
                 ", entry " + it->key().ToString(true) + " of row " +
                 std::to_string(row) +
                 (row < table.rows && rows[row].found
                      ? ", which has version " +
                            std::to_string(rows[row].version)
                      : ", which is not there");
        });
  }
  Must(it->status(), "iterator over a secondary index");
  counts_equal.Check(entries == expected, [&] {
    return table.name + " has " + std::to_string(expected) +
           " rows, and index " + std::to_string(index.index) + " " +
           std::to_string(entries) + " entries";
  });
}

}  // namespace

void VerifyMyRocks(MyRocksEngine* engine, bool after_kill) {
  verifications.Add();
  for (const auto& table : engine->tables()) {
    if (table->state() != MyRocksTable::kLive) {
      continue;
    }
    const uint64_t now_secs = NowSecs();
    const std::vector<StoredRow> rows = ReadRows(engine, *table, now_secs);
    for (uint64_t row = 0; row < table->rows; row++) {
      // A row may expire while all are read; not the reverse.
      CheckRow(table.get(), row, rows[row], after_kill, NowSecs());
    }
    for (const auto& index : table->secondary) {
      CheckIndex(engine, *table, index, rows, now_secs);
    }
  }
  engine->CheckDroppedIndexesAreEmpty();
}

uint64_t ContentsOf(DB* db, ColumnFamilyHandle* handle) {
  ReadOptions options;
  options.total_order_seek = true;
  options.fill_cache = false;
  std::unique_ptr<Iterator> it(db->NewIterator(options, handle));
  uint64_t sum = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const std::hash<std::string_view> hash;
    sum = sum * 31 + hash(it->key().ToStringView());
    sum = sum * 31 + hash(it->value().ToStringView());
  }
  Must(it->status(), "iterator over " + handle->GetName());
  return sum;
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
