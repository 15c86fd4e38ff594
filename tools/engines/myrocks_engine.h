//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The storage engine: a TransactionDB with a data dictionary, tables that are
// created by bulk load and dropped, and recovery.
//
// Thread safety: DB, tables and dictionary may be used from any thread while
// the engine is open.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/engines/myrocks_options.h"
#include "plugin/hotrap/tools/engines/myrocks_table.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

constexpr int kMaxThreads = 64;
constexpr int kMaxRowsOfTransaction = 4;
constexpr uint32_t kBinlogEntries = 16384;
// The tables from this number on are created and dropped all the time.
constexpr uint32_t kFirstImport = 3;

// What a thread's transaction is about to do, and whether it is decided. In a
// file that outlives the process, like MySQL's binlog.
struct TransactionState {
  enum Phase : uint32_t { kNone, kActive, kPrepared, kLogged, kPlainCommit };

  std::atomic<uint32_t> phase;
  uint32_t table;
  uint32_t rows;
  uint32_t sequence;
  struct Change {
    uint64_t row;
    uint32_t from;
    uint32_t to;
  } changes[kMaxRowsOfTransaction];
  // The numbers of transactions that were written to the binlog, at their
  // remainder.
  uint32_t binlog[kBinlogEntries];
};

class MyRocksEngine {
 public:
  MyRocksEngine(const RunConfig& config, TxnDBWritePolicy policy,
                uint64_t scale_rows, uint64_t ttl_secs);
  ~MyRocksEngine();

  // Opens the DB, finishes what a kill interrupted, and loads the tables when
  // there is nothing yet.
  void Open(bool hotrap);
  void Close();

  TransactionDB* db() const { return db_.get(); }
  ColumnFamilyHandle* handle(int family) const { return handles_[family]; }
  const std::vector<ColumnFamilyHandle*>& handles() const { return handles_; }
  const std::vector<std::unique_ptr<MyRocksTable>>& tables() const {
    return tables_;
  }
  TransactionState& transaction(int thread) { return transactions_[thread]; }
  const RunConfig& config() const { return config_; }
  TxnDBWritePolicy policy() const { return policy_; }

  // ---- DDL, one call at a time --------------------------------------------

  // Bulk-loads a table that is absent, with a new index of each kind.
  void CreateTable(MyRocksTable* table);
  // Drops a live table: marks its indexes in the dictionary, and removes their
  // records as MyRocks' drop index thread does.
  void DropTable(MyRocksTable* table);
  // Fails if a finished index has a record.
  void CheckDroppedIndexesAreEmpty();

 private:
  void OpenDB(bool hotrap);
  void AddTables(uint64_t scale_rows, uint64_t ttl_secs);
  void ResolvePrepared();
  void CheckInterrupted();
  // What a table is in the dictionary.
  void LoadDictionary();
  void WriteDictionary(const MyRocksTable& table, uint32_t state);
  void BulkLoad(MyRocksTable* table, int family, uint32_t index,
                const SecondaryIndex* secondary);
  void RemoveIndex(int family, uint32_t index);
  bool IsEmpty(int family, uint32_t index);

  const RunConfig config_;
  const TxnDBWritePolicy policy_;
  DroppedIndexes dropped_;
  const std::shared_ptr<MyRocksFilterFactory> filter_factory_;
  MappedArray<TransactionState> transactions_;
  std::vector<std::unique_ptr<MyRocksTable>> tables_;
  std::unique_ptr<TransactionDB> db_;
  std::vector<ColumnFamilyHandle*> handles_;

  std::mutex finished_mutex_;
  // Protected by finished_mutex_. Family and index.
  std::vector<std::pair<int, uint32_t>> finished_;
  uint32_t next_index_ = 0;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
