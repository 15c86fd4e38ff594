//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/myrocks_engine.h"

#include <cstdio>
#include <set>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/myrocks_row.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant prepared_survives("prepared_transactions_survive");
Invariant atomic_after_kill("transactions_are_atomic_after_a_kill");
OperationCount recovered_commits("recovered_transactions_committed");
OperationCount recovered_rollbacks("recovered_transactions_rolled_back");

}  // namespace

MyRocksEngine::MyRocksEngine(const RunConfig& config, TxnDBWritePolicy policy,
                             uint64_t scale_rows, uint64_t ttl_secs)
    : config_(config),
      policy_(policy),
      filter_factory_(std::make_shared<MyRocksFilterFactory>(&dropped_)),
      transactions_(config.model_path() + "/transactions", kMaxThreads) {
  AddTables(scale_rows, ttl_secs);
}

MyRocksEngine::~MyRocksEngine() {
  if (db_ != nullptr) {
    Close();
  }
}

void MyRocksEngine::AddTables(uint64_t scale_rows, uint64_t ttl_secs) {
  const auto add = [&](const std::string& name, uint64_t rows,
                       size_t payload_bytes) {
    const auto number = static_cast<uint32_t>(tables_.size());
    tables_.push_back(std::make_unique<MyRocksTable>(
        name, number, config_.model_path() + "/" + name, rows));
    tables_.back()->payload_bytes = payload_bytes;
    return tables_.back().get();
  };
  // Index ids begin at 256, as in MyRocks.
  MyRocksTable* table = add("orders", scale_rows, 400);
  table->primary_index = 256;
  table->primary_family = kPrimaryFamily;
  table->secondary = {{257, kSecondaryFamily, 4, 3},
                      {258, kReverseFamily, 16, 0}};

  table = add("pairs", scale_rows / 4, 200);
  table->primary_index = 259;
  table->primary_family = kDefaultFamily;
  table->secondary = {{260, kDefaultFamily, 2, 5}};
  table->paired = true;

  // Each value is used once: the filter may already have removed the record of
  // an expired row, and a second SingleDelete would be one too many.
  table = add("sessions", scale_rows / 4, 200);
  table->primary_index = 261;
  table->primary_family = kTtlFamily;
  table->secondary = {{262, kTtlFamily, 1, 0}};
  table->ttl_secs = ttl_secs;
  filter_factory_->AddTtlIndex({261, ttl_secs, /*secondary=*/false});
  filter_factory_->AddTtlIndex({262, ttl_secs, /*secondary=*/true});

  // Created and dropped again and again, with new indexes each time.
  for (const char* name : {"import_a", "import_b"}) {
    table = add(name, scale_rows / 8, 300);
    table->primary_family = kPrimaryFamily;
    table->secondary = {{0, kSecondaryFamily, 8, 2}, {0, kReverseFamily, 2, 4}};
  }
  next_index_ = 300;
}

void MyRocksEngine::OpenDB(bool hotrap) {
  TransactionDB* db = nullptr;
  Must(TransactionDB::Open(
           MyRocksDBOptions(config_), MyRocksTransactionDBOptions(policy_),
           config_.fast_path() + "/myrocks",
           MyRocksFamilies(config_, hotrap, filter_factory_), &handles_, &db),
       "TransactionDB::Open");
  db_.reset(db);
  filter_factory_->SetDB(db);
}

void MyRocksEngine::Open(bool hotrap) {
  OpenDB(hotrap);
  LoadDictionary();
  ResolvePrepared();
  CheckInterrupted();
  for (auto& table : tables_) {
    if (table->state() == MyRocksTable::kDropping) {
      DropTable(table.get());
    }
    // The imports are created while the others are used.
    if (table->state() == MyRocksTable::kAbsent &&
        table->number < kFirstImport) {
      CreateTable(table.get());
    }
  }
}

void MyRocksEngine::Close() {
  filter_factory_->SetDB(nullptr);
  for (ColumnFamilyHandle* handle : handles_) {
    Must(db_->DestroyColumnFamilyHandle(handle), "close a column family");
  }
  handles_.clear();
  Must(db_->Close(), "close");
  db_.reset();
}

void MyRocksEngine::ResolvePrepared() {
  std::vector<Transaction*> prepared;
  db_->GetAllPreparedTransactions(&prepared);
  std::set<std::pair<uint32_t, uint32_t>> names;
  for (Transaction* transaction : prepared) {
    uint32_t thread = 0, sequence = 0;
    const bool known = sscanf(transaction->GetName().c_str(), "xid-%u-%u",
                              &thread, &sequence) == 2 &&
                       thread < kMaxThreads;
    prepared_survives.Check(
        known, [&] { return "unknown name " + transaction->GetName(); });
    names.emplace(thread, sequence);
    // MySQL commits what the binlog has, and rolls back the rest.
    if (transactions_[thread].binlog[sequence % kBinlogEntries] == sequence) {
      Must(transaction->Commit(), "commit a recovered transaction");
      recovered_commits.Add();
    } else {
      Must(transaction->Rollback(), "roll back a recovered transaction");
      recovered_rollbacks.Add();
    }
    delete transaction;
  }
  for (uint32_t thread = 0; thread < kMaxThreads; thread++) {
    const TransactionState& state = transactions_[thread];
    if (state.phase == TransactionState::kPrepared) {
      prepared_survives.Check(names.count({thread, state.sequence}) > 0, [&] {
        return "xid-" + std::to_string(thread) + "-" +
               std::to_string(state.sequence) +
               " was prepared before the kill, and is gone";
      });
    }
  }
}

void MyRocksEngine::CheckInterrupted() {
  for (uint32_t thread = 0; thread < kMaxThreads; thread++) {
    TransactionState& state = transactions_[thread];
    if (state.phase != TransactionState::kNone) {
      MyRocksTable* const table = tables_[state.table].get();
      uint32_t done = 0, undone = 0;
      std::string detail = "thread " + std::to_string(thread) + " phase " +
                           std::to_string(state.phase) + " table " +
                           table->name;
      for (uint32_t i = 0; i < state.rows; i++) {
        const auto& change = state.changes[i];
        StoredRow row;
        Must(ReadStoredRow(db_.get(), handle(table->primary_family), *table,
                           change.row, ReadOptions(), &row),
             "read a row of an interrupted transaction");
        if (!row.found && table->ttl_secs > 0) {
          // May have expired.
          continue;
        }
        if (!row.found && IsDeleted(change.from) &&
            table->model[change.row].pending > change.to) {
          // Either not yet inserted, or deleted again by a later transaction.
          continue;
        }
        // Deleted by this transaction, or by a later one.
        const bool is_done =
            row.found ? row.version >= change.to : !IsDeleted(change.from);
        (is_done ? done : undone)++;
        detail += ", row " + std::to_string(change.row) + " from " +
                  std::to_string(change.from) + " to " +
                  std::to_string(change.to) + ": " +
                  (row.found ? std::to_string(row.version) : "absent");
      }
      const bool must_be_done = state.phase == TransactionState::kLogged;
      // A plain commit was under way: done or not, but as a whole.
      const bool may_be_done =
          must_be_done || state.phase == TransactionState::kPlainCommit;
      atomic_after_kill.Check(
          (undone == 0 && may_be_done) || (done == 0 && !must_be_done),
          [&] { return detail; });
    }
    state.phase = TransactionState::kNone;
  }
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
