//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Runs a list of operations on a DB under one configuration. Not thread safe.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/configuration.h"
#include "plugin/hotrap/tools/metamorphic/db_view.h"
#include "plugin/hotrap/tools/metamorphic/ghost_keys.h"
#include "plugin/hotrap/tools/metamorphic/operation.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// What HotRAP did, summed up over the lives of DBs.
struct Figures {
  uint64_t flush_promoted_records = 0;
  uint64_t compaction_promoted_records = 0;
  uint64_t retained_records = 0;
  uint64_t crossing_compactions = 0;
  uint64_t promotion_cache_hits = 0;
  uint64_t ralt_resets = 0;
  uint64_t ralt_errors = 0;
  // Wrong answers that are RocksDB's own: see SplitKeysView.
  uint64_t split_key_misses = 0;

  void Add(const Figures& other);
  uint64_t MovedRecords() const {
    return flush_promoted_records + compaction_promoted_records +
           retained_records;
  }
};

class Executor {
 public:
  // In a folder of its own, which is removed first. What a configuration draws
  // by lot depends on the seed.
  Executor(const Configuration& configuration, const std::string& folder,
           uint64_t seed);
  // Removes the folder.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Status Open();
  Status Close();

  // The answer. REQUIRES: open
  std::string Run(const Operation& operation);

  // Whether `expected` is the answer but for what RocksDB gets wrong itself.
  // REQUIRES: `operation` was the last one
  bool IsRocksDBsOwn(const Operation& operation, const std::string& expected);

  // Complete once closed.
  const Figures& figures() const { return figures_; }
  const std::string& drawn() const { return setup_.drawn; }

 private:
  // What the writes come to: kPut, kPutEntity, kMerge, kDelete, kSingleDelete
  // and kDeleteRange only, SingleDelete's contract kept.
  std::vector<Operation> Resolve(const std::vector<Operation>& writes);
  Status Write(const std::vector<Operation>& resolved);
  Status WriteEach(const std::vector<Operation>& resolved);
  Status Ingest(const std::vector<Operation>& writes);
  // `empty`: nothing to write, and no file.
  Status WriteTable(int cf, const std::vector<Operation>& writes,
                    const std::string& path, bool* empty);
  // Of a read; none if it is at a snapshot that isn't there.
  std::optional<ReadOptions> OptionsOf(const Operation& operation) const;
  std::string Read(const Operation& operation);
  void OpenIterator(const Operation& operation);
  std::string Walk(const Operation& operation);
  std::string RunOperation(const Operation& operation);
  void ReleaseAll();
  void CollectFigures();

  Setup setup_;
  Figures figures_;
  // See SplitKeysView: before the last answer of an operation that asks Get.
  KeySet missed_before_;
  std::unique_ptr<DB> db_;
  TransactionDB* transaction_db_ = nullptr;  // db_, if it is one
  std::vector<ColumnFamilyHandle*> handles_;
  std::map<int, const Snapshot*> snapshots_;
  std::map<int, std::unique_ptr<Iterator>> iterators_;
  std::optional<GhostKeys> ghosts_;  // they have the last of the handles
  // Which of the keys from kSingleBegin on are there: column family and key.
  std::set<std::pair<int, int>> single_keys_;
  int tables_written_ = 0;
};

// The background threads that so many DBs at once want, and their RALTs.
void PrepareThreads(int dbs);

// Where a configuration answers otherwise than the model.
struct Difference {
  size_t index = 0;  // of the operation; their number if it is the closing
  std::string expected;
  std::string found;
  std::string drawn;  // by the configuration: Setup::drawn
};

// Runs the list from an empty DB to its end or to the first difference.
// `figures` may be nullptr.
std::optional<Difference> RunOperations(
    const Configuration& configuration, const std::string& folder,
    uint64_t seed, const std::vector<Operation>& operations,
    const std::vector<std::string>& expected, Figures* figures);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
