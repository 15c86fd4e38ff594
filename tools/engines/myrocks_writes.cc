//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The part of MyRocksClient that writes.

#include <algorithm>
#include <set>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/myrocks_client.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant locked_equals_model("locked_reads_equal_the_model");
Invariant locks_hold("locks_hold");
OperationCount commits("plain_commits");
OperationCount two_phase("two_phase_commits");
OperationCount rollbacks("rollbacks");
OperationCount conflicts("conflicts");
OperationCount single_deletes("single_deletes");
OperationCount row_deletes("row_deletes");

// Rows that expire this soon are left alone: their entries must be there when
// the commit removes them.
constexpr uint64_t kTtlMarginSecs = 3;

template <typename T>
void Raise(std::atomic<T>* value, T to) {
  T now = value->load();
  while (now < to && !value->compare_exchange_weak(now, to)) {
  }
}

}  // namespace

std::vector<uint64_t> MyRocksClient::DrawRowsToWrite(
    const MyRocksTable& table) {
  std::set<uint64_t> rows;
  if (table.paired) {
    const uint64_t row = DrawRow(table) & ~uint64_t{1};
    rows = {row, row + 1};
  } else {
    for (uint64_t n = 1 + Draw(kMaxRowsOfTransaction); n > 0; n--) {
      // Half of the writes go anywhere.
      rows.insert(Chance(2) ? DrawRow(table) : Draw(table.rows));
    }
  }
  std::vector<uint64_t> result(rows.begin(), rows.end());
  if (Chance(10)) {
    // Deadlocks become possible.
    std::shuffle(result.begin(), result.end(), rng_);
  }
  return result;
}

bool MyRocksClient::Lock(MyRocksTable* table, Transaction* transaction,
                         uint64_t row, LockedRow* locked) {
  PinnableSlice value;
  ReadOptions options;
  options.snapshot = transaction->GetSnapshot();
  const Status s = transaction->GetForUpdate(
      options, Handle(table->primary_family), table->PrimaryKey(row), &value);
  if (s.IsBusy() || s.IsTimedOut() || s.IsTryAgain()) {
    return false;
  }
  if (!s.IsNotFound()) {
    Must(s, "GetForUpdate");
  }
  const uint64_t now_secs = NowSecs();
  const StoredRow stored = DecodeStoredRow(*table, row, s, value, now_secs);
  RowState& model = table->model[row];
  // Nobody else writes the row while it is locked.
  const uint32_t pending = model.pending;
  const bool expired =
      !stored.found && table->Expired(model.written_secs, now_secs);
  locked_equals_model.Check(
      stored.found ? stored.version == pending : IsDeleted(pending) || expired,
      [&] {
        return table->name + " row " + std::to_string(row) + ": " +
               (stored.found ? "version " + std::to_string(stored.version)
                             : std::string("nothing")) +
               ", pending " + std::to_string(pending);
      });
  locked->row = row;
  locked->found = stored.found;
  locked->from = pending;
  locked->to = pending + 1;
  locked->written_secs = stored.written_secs;
  if (expired && IsDeleted(locked->to)) {
    // There is nothing to delete.
    locked->to++;
  }
  return !stored.found ||
         !table->Expired(stored.written_secs, now_secs + kTtlMarginSecs);
}

void MyRocksClient::ProbeLock(MyRocksTable* table, uint64_t row) {
  TransactionOptions options;
  options.lock_timeout = 0;
  std::unique_ptr<Transaction> other(
      engine_->db()->BeginTransaction(WriteOptions(), options));
  PinnableSlice value;
  const Status s =
      other->GetForUpdate(ReadOptions(), Handle(table->primary_family),
                          table->PrimaryKey(row), &value);
  locks_hold.Check(s.IsTimedOut() || s.IsBusy(), [&] {
    return table->name + " row " + std::to_string(row) +
           " is locked, and another transaction got: " + s.ToString();
  });
  Must(other->Rollback(), "rollback");
}

void MyRocksClient::Change(MyRocksTable* table, Transaction* transaction,
                           const LockedRow& locked, uint64_t now_secs) {
  ColumnFamilyHandle* const primary = Handle(table->primary_family);
  const std::string key = table->PrimaryKey(locked.row);
  if (IsDeleted(locked.to)) {
    row_deletes.Add();
    Must(transaction->Delete(primary, key), "Delete");
  } else {
    Must(transaction->Put(primary, key,
                          table->RowValue(locked.row, locked.to, now_secs)),
         "Put");
  }
  // ha_rocksdb::update_write_sk() and delete_row(): secondary keys are written
  // without locks, the row's lock protects them.
  for (const auto& index : table->secondary) {
    const bool had = locked.found;
    const bool has = !IsDeleted(locked.to);
    const std::string old_key =
        table->SecondaryKey(index, locked.row, locked.from);
    const std::string new_key =
        table->SecondaryKey(index, locked.row, locked.to);
    if (had && has && old_key == new_key && table->ttl_secs == 0) {
      continue;
    }
    if (had) {
      single_deletes.Add();
      Must(transaction->SingleDeleteUntracked(Handle(index.family), old_key),
           "SingleDelete");
    }
    if (has) {
      Must(transaction->PutUntracked(Handle(index.family), new_key,
                                     table->SecondaryValue(now_secs)),
           "Put");
    }
  }
}

void MyRocksClient::RollBack(MyRocksTable* table, Transaction* transaction,
                             const std::vector<LockedRow>& locked) {
  // While the locks are still held.
  for (const auto& row : locked) {
    table->model[row.row].pending = row.from;
  }
  engine_->transaction(static_cast<int>(thread_)).phase =
      TransactionState::kNone;
  Must(transaction->Rollback(), "rollback");
  rollbacks.Add();
}

void MyRocksClient::Write(MyRocksTable* table) {
  TransactionState& state = engine_->transaction(static_cast<int>(thread_));
  state.phase = TransactionState::kNone;
  const std::vector<uint64_t> rows = DrawRowsToWrite(*table);
  const bool with_binlog = Chance(2);
  WriteOptions write_options;
  // rocksdb_flush_log_at_trx_commit=1.
  write_options.sync = engine_->config().sync;
  TransactionOptions options;
  // rocksdb_deadlock_detect; without it, deadlocks end by rocksdb_lock_wait_
  // timeout, which is one second.
  options.deadlock_detect = true;
  // Repeatable read; otherwise read committed.
  options.set_snapshot = Chance(2);
  std::unique_ptr<Transaction> transaction(
      engine_->db()->BeginTransaction(write_options, options));
  state.sequence++;
  if (with_binlog) {
    Must(transaction->SetName("xid-" + std::to_string(thread_) + "-" +
                              std::to_string(state.sequence)),
         "SetName");
  }
  std::vector<LockedRow> locked;
  for (const uint64_t row : rows) {
    LockedRow one;
    if (!Lock(table, transaction.get(), row, &one)) {
      conflicts.Add();
      Must(transaction->Rollback(), "rollback");
      return;
    }
    locked.push_back(one);
  }
  if (Chance(50)) {
    ProbeLock(table, rows.front());
  }
  const uint64_t now_secs = NowSecs();
  if (Chance(20)) {
    // A statement that fails: MyRocks sets a savepoint before each.
    transaction->SetSavePoint();
    LockedRow wrong = locked.front();
    wrong.to += 8;
    Change(table, transaction.get(), wrong, now_secs);
    Must(transaction->RollbackToSavePoint(), "RollbackToSavePoint");
  }

  state.table = table->number;
  state.rows = static_cast<uint32_t>(locked.size());
  for (size_t i = 0; i < locked.size(); i++) {
    state.changes[i] = {locked[i].row, locked[i].from, locked[i].to};
  }
  state.phase = TransactionState::kActive;
  for (const auto& row : locked) {
    table->model[row.row].pending = row.to;
    Change(table, transaction.get(), row, now_secs);
  }
  if (Chance(40)) {
    RollBack(table, transaction.get(), locked);
    return;
  }
  if (with_binlog) {
    Must(transaction->Prepare(), "Prepare");
    state.phase = TransactionState::kPrepared;
    if (Chance(40)) {
      state.phase = TransactionState::kActive;
      RollBack(table, transaction.get(), locked);
      return;
    }
    // The transaction is decided once the binlog has it.
    state.binlog[state.sequence % kBinlogEntries] = state.sequence;
    state.phase = TransactionState::kLogged;
    // rocksdb_commit_by_xid() need not sync: the binlog is.
    transaction->GetWriteOptions()->sync = false;
    Must(transaction->Commit(), "Commit of a prepared transaction");
    two_phase.Add();
  } else {
    state.phase = TransactionState::kPlainCommit;
    Must(transaction->Commit(), "Commit");
    commits.Add();
  }
  for (const auto& row : locked) {
    if (table->ttl_secs > 0 && !IsDeleted(row.to)) {
      Raise(&table->model[row.row].written_secs, now_secs);
    }
    Raise(&table->model[row.row].acked, row.to);
  }
  state.phase = TransactionState::kNone;
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
