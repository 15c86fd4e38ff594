//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Runs a list of operations on a DB under one configuration. Not thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/ballast.h"
#include "plugin/hotrap/tools/metamorphic/configuration.h"
#include "plugin/hotrap/tools/metamorphic/db_view.h"
#include "plugin/hotrap/tools/metamorphic/ghost_keys.h"
#include "plugin/hotrap/tools/metamorphic/operation.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// What HotRAP did, summed over all reopenings of a DB.
struct Figures {
  uint64_t flush_promoted_records = 0;
  uint64_t compaction_promoted_records = 0;
  uint64_t retained_records = 0;
  uint64_t crossing_compactions = 0;
  // Of those promoted, by flush or by compaction: in column families with a
  // compaction filter; and what such a filter did not let through.
  uint64_t promoted_with_filter = 0;
  uint64_t dropped_filtered = 0;
  uint64_t promotion_cache_hits = 0;
  uint64_t ralt_resets = 0;
  uint64_t ralt_errors = 0;
  // How often a full fast tier slowed writes, and stopped them.
  uint64_t budget_delays = 0;
  uint64_t budget_stops = 0;
  // Wrong answers due to RocksDB's own error: see SplitKeysView.
  uint64_t split_key_misses = 0;

  void Add(const Figures& other);
  uint64_t MovedRecords() const {
    return flush_promoted_records + compaction_promoted_records +
           retained_records;
  }
};

class Executor {
 public:
  // Works in its own folder, which is removed first. The random choices of a
  // configuration depend on the seed.
  Executor(const Configuration& configuration, const std::string& folder,
           uint64_t seed);
  // Removes the folder.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Status Open();
  Status Close();

  // Returns the answer. REQUIRES: open
  std::string Run(const Operation& operation);

  // Returns whether `expected` is the answer apart from RocksDB's own error.
  // REQUIRES: `operation` was the last one.
  bool IsRocksDBsOwn(const Operation& operation, const std::string& expected);

  // Complete once closed.
  const Figures& figures() const { return figures_; }
  const std::string& drawn() const { return setup_.drawn; }

 private:
  // Reduces the writes to kPut, kPutEntity, kMerge, kDelete, kSingleDelete and
  // kDeleteRange, and keeps the contract of SingleDelete.
  std::vector<Operation> Resolve(const std::vector<Operation>& writes);
  Status Write(const std::vector<Operation>& resolved);
  Status WriteEach(const std::vector<Operation>& resolved);
  Status Ingest(const std::vector<Operation>& writes);
  // *empty tells that there was nothing to write, and so no file.
  Status WriteTable(int cf, const std::vector<Operation>& writes,
                    const std::string& path, bool* empty);
  // Returns the options of a read; none if its snapshot does not exist.
  std::optional<ReadOptions> OptionsOf(const Operation& operation) const;
  std::string Read(const Operation& operation);
  std::string ReadCopy(const Operation& operation);
  void OpenIterator(const Operation& operation);
  std::string Walk(const Operation& operation);
  std::string RunOperation(const Operation& operation);
  void ReleaseAll();
  void CollectFigures();

  Setup setup_;
  Figures figures_;
  // Keys that Get missed before the last answer of an operation that uses Get.
  // See SplitKeysView.
  KeySet missed_before_;
  std::unique_ptr<DB> db_;
  TransactionDB* transaction_db_ = nullptr;  // db_, if it is one
  std::vector<ColumnFamilyHandle*> handles_;
  std::map<int, const Snapshot*> snapshots_;
  std::map<int, std::unique_ptr<Iterator>> iterators_;
  std::optional<GhostKeys> ghosts_;  // they use the last handle
  std::optional<Ballast> ballast_;
  // Which keys from kSingleBegin on exist, as (column family, key).
  std::set<std::pair<int, int>> single_keys_;
  int tables_written_ = 0;
};

// Prepares background threads for this many concurrent DBs and their RALTs.
void PrepareThreads(int dbs);

// Where the answers of a configuration and of the model differ.
struct Difference {
  size_t index = 0;  // of the operation; their number if closing differs
  std::string expected;
  std::string found;
  std::string drawn;  // by the configuration: Setup::drawn
};

// Runs the list on an empty DB, to its end or to the first difference.
// `figures` may be nullptr.
std::optional<Difference> RunOperations(
    const Configuration& configuration, const std::string& folder,
    uint64_t seed, const std::vector<Operation>& operations,
    const std::vector<std::string>& expected, Figures* figures);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
