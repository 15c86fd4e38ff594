//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The part of MyRocksClient that reads, and Step().

#include <algorithm>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/myrocks_client.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant entries_have_rows("secondary_entries_have_their_rows");
Invariant rows_have_entries("rows_have_their_secondary_entries");
Invariant pairs_are_equal("rows_written_together_are_read_together");
OperationCount gets("gets");
OperationCount multi_gets("multi_gets");
OperationCount lookups("secondary_lookups");
OperationCount secondary_scans("secondary_scans");
OperationCount primary_scans("primary_scans");

constexpr size_t kScanLength = 50;
constexpr size_t kBatch = 12;

// Reads of one statement see one state.
class StatementSnapshot {
 public:
  explicit StatementSnapshot(DB* db) : db_(db), snapshot_(db->GetSnapshot()) {}
  ~StatementSnapshot() { db_->ReleaseSnapshot(snapshot_); }

  ReadOptions Options() const {
    ReadOptions options;
    options.snapshot = snapshot_;
    return options;
  }

 private:
  DB* const db_;
  const Snapshot* const snapshot_;
};

}  // namespace

MyRocksClient::MyRocksClient(MyRocksEngine* engine, int thread, uint64_t seed,
                             uint64_t hour)
    : engine_(engine),
      thread_(static_cast<uint32_t>(thread)),
      hour_(hour),
      rng_(seed * kMaxThreads + static_cast<uint64_t>(thread)) {
  for (const auto& table : engine->tables()) {
    choosers_.push_back(std::make_unique<RowChooser>(table->rows));
  }
}

uint64_t MyRocksClient::DrawRow(const MyRocksTable& table) {
  return choosers_[table.number]->Draw(hour_, &rng_);
}

void MyRocksClient::Step() {
  const uint64_t dice = Draw(100);
  // Orders are most of it; pairs, sessions, and the two imports.
  const size_t number = dice < 64   ? 0
                        : dice < 76 ? 1
                        : dice < 88 ? 2
                        : dice < 94 ? 3
                                    : 4;
  MyRocksTable* const table = engine_->tables()[number].get();
  if (!table->Acquire()) {
    return;
  }
  if (Chance(6)) {
    Write(table);
  } else {
    Read(table);
  }
  table->Release();
}

void MyRocksClient::Read(MyRocksTable* table) {
  const uint64_t dice = Draw(100);
  if (dice < 70) {
    if (table->paired && Chance(2)) {
      ReadPair(table);
    } else {
      PointRead(table);
    }
  } else if (dice < 82) {
    BatchRead(table);
  } else if (dice < 94) {
    SecondaryLookup(table);
  } else if (dice < 97) {
    SecondaryScan(table);
  } else {
    PrimaryScan(table);
  }
}

void MyRocksClient::PointRead(MyRocksTable* table) {
  gets.Add();
  const uint64_t row = DrawRow(*table);
  const RowExpectation expectation(table, row);
  StoredRow stored;
  Must(ReadStoredRow(engine_->db(), Handle(table->primary_family), *table, row,
                     ReadOptions(), &stored),
       "Get");
  expectation.Check(stored, "Get");
}

void MyRocksClient::ReadPair(MyRocksTable* table) {
  gets.Add(2);
  const uint64_t row = DrawRow(*table) & ~uint64_t{1};
  const RowExpectation expectation(table, row);
  const StatementSnapshot snapshot(engine_->db());
  StoredRow stored[2];
  for (uint64_t i = 0; i < 2; i++) {
    Must(ReadStoredRow(engine_->db(), Handle(table->primary_family), *table,
                       row + i, snapshot.Options(), &stored[i]),
         "Get in a snapshot");
  }
  expectation.Check(stored[0], "Get in a snapshot");
  pairs_are_equal.Check(stored[0].found == stored[1].found &&
                            stored[0].version == stored[1].version,
                        [&] {
                          return "rows from " + std::to_string(row) + ": " +
                                 std::to_string(stored[0].version) + " and " +
                                 std::to_string(stored[1].version);
                        });
}

void MyRocksClient::BatchRead(MyRocksTable* table) {
  multi_gets.Add();
  std::vector<uint64_t> rows;
  std::vector<RowExpectation> expectations;
  std::vector<std::string> keys;
  while (rows.size() < kBatch) {
    rows.push_back(DrawRow(*table));
    expectations.emplace_back(table, rows.back());
    keys.push_back(table->PrimaryKey(rows.back()));
  }
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<PinnableSlice> values(kBatch);
  std::vector<Status> statuses(kBatch);
  const uint64_t now_secs = NowSecs();
  engine_->db()->MultiGet(ReadOptions(), Handle(table->primary_family), kBatch,
                          slices.data(), values.data(), statuses.data());
  for (size_t i = 0; i < kBatch; i++) {
    if (!statuses[i].IsNotFound()) {
      Must(statuses[i], "MultiGet");
    }
    expectations[i].Check(
        DecodeStoredRow(*table, rows[i], statuses[i], values[i], now_secs),
        "MultiGet");
  }
}

void MyRocksClient::SecondaryLookup(MyRocksTable* table) {
  lookups.Add();
  const uint64_t row = DrawRow(*table);
  const SecondaryIndex& index = table->secondary[Draw(table->secondary.size())];
  const StatementSnapshot snapshot(engine_->db());
  const uint64_t now_secs = NowSecs();
  // Where the value is that the row has now, or has had.
  const std::string prefix = table->SecondaryPrefix(
      index, row, std::max(1u, table->model[row].acked.load()));
  ReadOptions options = snapshot.Options();
  // The prefix extractor has 12 bytes: index and value.
  options.prefix_same_as_start = true;
  std::vector<std::string> keys;
  {
    std::unique_ptr<Iterator> it(
        engine_->db()->NewIterator(options, Handle(index.family)));
    // In the reverse order, what begins with the prefix precedes it.
    it->Seek(index.family == kReverseFamily ? prefix + std::string(8, '\xff')
                                            : prefix);
    for (; it->Valid() && it->key().starts_with(prefix); it->Next()) {
      if (!table->Expired(table->SecsOf(it->value()), now_secs)) {
        keys.push_back(it->key().ToString());
      }
    }
    Must(it->status(), "iterator over a secondary value");
  }
  CheckEntries(table, index, keys, snapshot.Options(), now_secs);

  StoredRow stored;
  Must(ReadStoredRow(engine_->db(), Handle(table->primary_family), *table, row,
                     snapshot.Options(), &stored),
       "Get in a snapshot");
  if (stored.found && !table->Expired(stored.written_secs, now_secs) &&
      table->SecondaryPrefix(index, row, stored.version) == prefix) {
    const std::string key = table->SecondaryKey(index, row, stored.version);
    rows_have_entries.Check(
        std::find(keys.begin(), keys.end(), key) != keys.end(), [&] {
          return table->name + " row " + std::to_string(row) + " version " +
                 std::to_string(stored.version) + " is not found by index " +
                 std::to_string(index.index);
        });
  }
}

void MyRocksClient::SecondaryScan(MyRocksTable* table) {
  secondary_scans.Add();
  const SecondaryIndex& index = table->secondary[Draw(table->secondary.size())];
  const StatementSnapshot snapshot(engine_->db());
  const uint64_t now_secs = NowSecs();
  const std::string start = table->SecondaryPrefix(index, DrawRow(*table), 1);
  const bool reverse = index.family == kReverseFamily;
  const std::string end =
      reverse ? IndexStart(index.index) : IndexStart(index.index + 1);
  const Slice upper_bound(end);
  ReadOptions options = snapshot.Options();
  options.total_order_seek = true;
  options.iterate_upper_bound = &upper_bound;
  std::vector<std::string> keys;
  {
    std::unique_ptr<Iterator> it(
        engine_->db()->NewIterator(options, Handle(index.family)));
    for (it->Seek(start); it->Valid() && keys.size() < kScanLength;
         it->Next()) {
      if (!table->Expired(table->SecsOf(it->value()), now_secs)) {
        keys.push_back(it->key().ToString());
      }
    }
    Must(it->status(), "scan of a secondary index");
  }
  CheckEntries(table, index, keys, snapshot.Options(), now_secs);
}

void MyRocksClient::CheckEntries(MyRocksTable* table,
                                 const SecondaryIndex& index,
                                 const std::vector<std::string>& keys,
                                 const ReadOptions& options,
                                 uint64_t now_secs) {
  if (keys.empty()) {
    return;
  }
  // As rocksdb_mrr_batch_size does: rows are read by MultiGet.
  std::vector<std::string> primary;
  for (const auto& key : keys) {
    primary.push_back(table->PrimaryKey(MyRocksTable::RowOf(key)));
  }
  const std::vector<Slice> slices(primary.begin(), primary.end());
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  engine_->db()->MultiGet(options, Handle(table->primary_family), keys.size(),
                          slices.data(), values.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); i++) {
    if (!statuses[i].IsNotFound()) {
      Must(statuses[i], "MultiGet in a snapshot");
    }
    const uint64_t row = MyRocksTable::RowOf(keys[i]);
    const StoredRow stored =
        DecodeStoredRow(*table, row, statuses[i], values[i], now_secs);
    entries_have_rows.Check(
        stored.found &&
            table->SecondaryKey(index, row, stored.version) == keys[i],
        [&] {
          return table->name + " index " + std::to_string(index.index) +
                 " has an entry for row " + std::to_string(row) + ", which " +
                 (stored.found ? "has another value in version " +
                                     std::to_string(stored.version)
                               : std::string("is not there")) +
                 "; " + statuses[i].ToString() + ", acknowledged " +
                 std::to_string(table->model[row].acked) + ", entry " +
                 Slice(keys[i]).ToString(true);
        });
  }
}

void MyRocksClient::PrimaryScan(MyRocksTable* table) {
  primary_scans.Add();
  const uint64_t first = DrawRow(*table) & ~uint64_t{1};
  const uint64_t last = std::min<uint64_t>(first + kScanLength, table->rows);
  std::vector<RowExpectation> expectations;
  for (uint64_t row = first; row < last; row++) {
    expectations.emplace_back(table, row);
  }
  const StatementSnapshot snapshot(engine_->db());
  const uint64_t now_secs = NowSecs();
  std::vector<StoredRow> found(last - first);
  const std::string end = last == table->rows
                              ? IndexStart(table->primary_index + 1)
                              : table->PrimaryKey(last);
  const Slice upper_bound(end);
  ReadOptions options = snapshot.Options();
  options.total_order_seek = true;
  options.iterate_upper_bound = &upper_bound;
  {
    std::unique_ptr<Iterator> it(
        engine_->db()->NewIterator(options, Handle(table->primary_family)));
    for (it->Seek(table->PrimaryKey(first)); it->Valid(); it->Next()) {
      const uint64_t row = MyRocksTable::RowOf(it->key());
      found[row - first] =
          DecodeStoredRow(*table, row, Status::OK(), it->value(), now_secs);
    }
    Must(it->status(), "scan of a primary index");
  }
  for (uint64_t row = first; row < last; row++) {
    const StoredRow& stored = found[row - first];
    expectations[row - first].Check(stored, "scan");
    if (stored.found && Chance(4)) {
      CheckHasEntries(table, row, stored, snapshot.Options());
    }
    if (table->paired && row % 2 == 1) {
      pairs_are_equal.Check(
          stored.found == found[row - first - 1].found &&
              stored.version == found[row - first - 1].version,
          [&] { return "scan, rows before and at " + std::to_string(row); });
    }
  }
}

void MyRocksClient::CheckHasEntries(MyRocksTable* table, uint64_t row,
                                    const StoredRow& stored,
                                    const ReadOptions& options) {
  for (const auto& index : table->secondary) {
    PinnableSlice value;
    const Status s = engine_->db()->Get(
        options, Handle(index.family),
        table->SecondaryKey(index, row, stored.version), &value);
    rows_have_entries.Check(s.ok(), [&] {
      return table->name + " row " + std::to_string(row) + " version " +
             std::to_string(stored.version) + " has no entry in index " +
             std::to_string(index.index) + ": " + s.ToString();
    });
  }
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
