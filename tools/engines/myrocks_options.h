//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// MyRocks' options, and its compaction filter.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/myrocks_table.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// The indexes of which records are to be dropped, by index id. As in MyRocks
// the data dictionary has them; this is its copy in memory. Thread-safe.
class DroppedIndexes {
 public:
  void Add(uint32_t index, bool secondary);
  void Remove(uint32_t index);
  bool Contains(uint32_t index, bool* secondary) const;

 private:
  mutable std::mutex mutex_;
  // Whether it is a secondary one.
  std::map<uint32_t, bool> indexes_;
};

// Rdb_compact_filter: drops records of indexes that were dropped, and records
// whose TTL has expired at the time of the oldest snapshot.
class MyRocksFilterFactory : public CompactionFilterFactory {
 public:
  explicit MyRocksFilterFactory(const DroppedIndexes* dropped)
      : dropped_(dropped) {}

  struct TtlIndex {
    uint32_t index;
    uint64_t ttl_secs;
    bool secondary;
  };

  // Before the DB is opened. Records of these indexes begin with the time of
  // writing.
  void AddTtlIndex(const TtlIndex& index) { ttl_.push_back(index); }
  // After the DB was opened, and with nullptr before it is closed.
  void SetDB(DB* db);
  // nullptr if it has no TTL.
  const TtlIndex* FindTtlIndex(uint32_t index) const;
  // The time of the oldest snapshot, or now.
  uint64_t OldestSnapshotSecs() const;
  const DroppedIndexes& dropped() const { return *dropped_; }

  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override;
  const char* Name() const override { return "Rdb_compact_filter_factory"; }

 private:
  const DroppedIndexes* const dropped_;
  std::vector<TtlIndex> ttl_;

  mutable std::mutex mutex_;
  // Protected by mutex_.
  DB* db_ = nullptr;
};

DBOptions MyRocksDBOptions(const RunConfig& config);
TransactionDBOptions MyRocksTransactionDBOptions(TxnDBWritePolicy policy);
// In the order of MyRocksFamily.
std::vector<ColumnFamilyDescriptor> MyRocksFamilies(
    const RunConfig& config, bool hotrap,
    const std::shared_ptr<CompactionFilterFactory>& filter_factory);
// The fast budget of the column family in bytes, or 0 if HotRAP is never on.
uint64_t MyRocksBudget(int family);

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
