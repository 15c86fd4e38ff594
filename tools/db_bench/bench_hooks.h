//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Opens db_bench's DBs over several paths and with HotRAP, and prints what
// HotRAP did after each benchmark. Without paths and HotRAP db_bench is
// RocksDB's.
//
// Thread safety: as db_bench calls it, from one thread.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/db_bench/tier_report.h"
#include "rocksdb/tool_hooks.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class BenchHooks : public DefaultHooks {
 public:
#if ROCKSDB_MAJOR >= 11
  using OpenedDB = std::unique_ptr<DB>;
#else
  using OpenedDB = DB*;
#endif
  using Families = std::vector<ColumnFamilyDescriptor>;
  using Handles = std::vector<ColumnFamilyHandle*>;

  // Of the first DB, whose folder is `db`. DBs in folders below `db` get
  // folders of the same names below the paths.
  struct Tiers {
    // Empty: the DB's own folder.
    std::vector<DbPath> paths;
    // The value of the option "hotrap". Empty: as the options have it.
    std::string hotrap;
    std::string db;
  };

  explicit BenchHooks(Tiers tiers) : tiers_(std::move(tiers)) {}

  // Called by db_bench after each benchmark.
  static void AfterBenchmark(ToolHooks& hooks, const std::string& benchmark);

  // Returns whether `hotrap` can be the value of the option.
  static Status CheckHotRap(const std::string& hotrap);

  Status Open(const Options& options, const std::string& name,
              OpenedDB* db) override;
  Status Open(const DBOptions& options, const std::string& name,
              const Families& families, Handles* handles,
              OpenedDB* db) override;
  Status OpenForReadOnly(const Options& options, const std::string& name,
                         OpenedDB* db, bool error_if_wal_file_exists) override;
  Status OpenForReadOnly(const Options& options, const std::string& name,
                         const Families& families, Handles* handles,
                         OpenedDB* db) override;
  Status OpenTransactionDB(const Options& options,
                           const TransactionDBOptions& transaction_options,
                           const std::string& name,
                           TransactionDB** db) override;
  Status OpenTransactionDB(const DBOptions& options,
                           const TransactionDBOptions& transaction_options,
                           const std::string& name, const Families& families,
                           Handles* handles, TransactionDB** db) override;
  Status OpenOptimisticTransactionDB(const Options& options,
                                     const std::string& name,
                                     OptimisticTransactionDB** db) override;
  Status OpenOptimisticTransactionDB(const DBOptions& options,
                                     const std::string& name,
                                     const Families& families, Handles* handles,
                                     OptimisticTransactionDB** db) override;
  Status OpenAsSecondary(const Options& options, const std::string& name,
                         const std::string& secondary_path,
                         OpenedDB* db) override;
  Status OpenAsFollower(const Options& options, const std::string& name,
                        const std::string& leader_path,
                        std::unique_ptr<DB>* db) override;
  Status Open(const Options& options,
              const blob_db::BlobDBOptions& blob_options,
              const std::string& name, blob_db::BlobDB** db) override;

 private:
  // Set the paths of the DB `name`, and HotRAP.
  Status SetPaths(const std::string& name, DBOptions* options) const;
  Status SetHotRap(ColumnFamilyOptions* options) const;

  // Sets the tiers, calls `open` with the changed options, and notes the DB.
  // `open` returns the DB, or nullptr.
  template <class Opener>
  Status OpenTiered(const Options& options, const std::string& name,
                    Opener open);
  template <class Opener>
  Status OpenTiered(const DBOptions& options, const std::string& name,
                    const Families& families, Handles* handles, Opener open);

  const Tiers tiers_;
  TierReport report_;
};

}  // namespace ROCKSDB_NAMESPACE
