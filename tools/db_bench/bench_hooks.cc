//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/db_bench/bench_hooks.h"

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction_db.h"
#include "utilities/blob_db/blob_db.h"

namespace ROCKSDB_NAMESPACE {

namespace {

Status ParseHotRap(const std::string& hotrap, ColumnFamilyOptions* options) {
  const std::string braced =
      hotrap.front() == '{' ? hotrap : "{" + hotrap + "}";
  return GetColumnFamilyOptionsFromString(ConfigOptions(), *options,
                                          "hotrap=" + braced, options);
}

}  // namespace

void BenchHooks::AfterBenchmark(ToolHooks& hooks,
                                const std::string& benchmark) {
  if (auto* const ours = dynamic_cast<BenchHooks*>(&hooks); ours != nullptr) {
    ours->report_.Print(benchmark);
  }
}

Status BenchHooks::CheckHotRap(const std::string& hotrap) {
  ColumnFamilyOptions options;
  return hotrap.empty() ? Status::OK() : ParseHotRap(hotrap, &options);
}

Status BenchHooks::SetPaths(const std::string& name, DBOptions* options) const {
  if (tiers_.paths.empty()) {
    return Status::OK();
  }
  // "/1" for the second of several DBs (--num_multi_db).
  const std::string below =
      Slice(name).starts_with(tiers_.db) ? name.substr(tiers_.db.size()) : "";
  options->db_paths = tiers_.paths;
  for (DbPath& path : options->db_paths) {
    if (!below.empty()) {
      const Status s = options->env->CreateDirIfMissing(path.path);
      if (!s.ok()) {
        return s;
      }
      path.path += below;
    }
  }
  return Status::OK();
}

Status BenchHooks::SetHotRap(ColumnFamilyOptions* options) const {
  return tiers_.hotrap.empty() ? Status::OK()
                               : ParseHotRap(tiers_.hotrap, options);
}

template <class Opener>
Status BenchHooks::OpenTiered(const Options& options, const std::string& name,
                              Opener open) {
  Options tiered(options);
  Status s = SetPaths(name, &tiered);
  if (s.ok()) {
    s = SetHotRap(&tiered);
  }
  DB* db = nullptr;
  if (s.ok()) {
    s = open(tiered, &db);
  }
  if (s.ok()) {
    report_.Opened(name, db, {db->DefaultColumnFamily()});
  }
  return s;
}

template <class Opener>
Status BenchHooks::OpenTiered(const DBOptions& options, const std::string& name,
                              const Families& families, Handles* handles,
                              Opener open) {
  DBOptions tiered(options);
  Families tiered_families(families);
  Status s = SetPaths(name, &tiered);
  for (ColumnFamilyDescriptor& family : tiered_families) {
    if (s.ok()) {
      s = SetHotRap(&family.options);
    }
  }
  DB* db = nullptr;
  if (s.ok()) {
    s = open(tiered, tiered_families, &db);
  }
  if (s.ok()) {
    report_.Opened(name, db, *handles);
  }
  return s;
}

Status BenchHooks::Open(const Options& options, const std::string& name,
                        OpenedDB* db) {
  return OpenTiered(options, name, [&](const Options& tiered, DB** opened) {
    const Status s = DefaultHooks::Open(tiered, name, db);
    *opened = s.ok() ? &**db : nullptr;
    return s;
  });
}

Status BenchHooks::Open(const DBOptions& options, const std::string& name,
                        const Families& families, Handles* handles,
                        OpenedDB* db) {
  return OpenTiered(options, name, families, handles,
                    [&](const DBOptions& tiered,
                        const Families& tiered_families, DB** opened) {
                      const Status s = DefaultHooks::Open(
                          tiered, name, tiered_families, handles, db);
                      *opened = s.ok() ? &**db : nullptr;
                      return s;
                    });
}

Status BenchHooks::OpenForReadOnly(const Options& options,
                                   const std::string& name, OpenedDB* db,
                                   bool error_if_wal_file_exists) {
  return OpenTiered(options, name, [&](const Options& tiered, DB** opened) {
    const Status s = DefaultHooks::OpenForReadOnly(tiered, name, db,
                                                   error_if_wal_file_exists);
    *opened = s.ok() ? &**db : nullptr;
    return s;
  });
}

Status BenchHooks::OpenForReadOnly(const Options& options,
                                   const std::string& name,
                                   const Families& families, Handles* handles,
                                   OpenedDB* db) {
  return OpenTiered(options, name, families, handles,
                    [&](const DBOptions& tiered,
                        const Families& tiered_families, DB** opened) {
                      const Status s = DefaultHooks::OpenForReadOnly(
                          Options(tiered, options), name, tiered_families,
                          handles, db);
                      *opened = s.ok() ? &**db : nullptr;
                      return s;
                    });
}

Status BenchHooks::OpenTransactionDB(
    const Options& options, const TransactionDBOptions& transaction_options,
    const std::string& name, TransactionDB** db) {
  return OpenTiered(options, name, [&](const Options& tiered, DB** opened) {
    const Status s =
        DefaultHooks::OpenTransactionDB(tiered, transaction_options, name, db);
    *opened = *db;
    return s;
  });
}

Status BenchHooks::OpenTransactionDB(
    const DBOptions& options, const TransactionDBOptions& transaction_options,
    const std::string& name, const Families& families, Handles* handles,
    TransactionDB** db) {
  return OpenTiered(options, name, families, handles,
                    [&](const DBOptions& tiered,
                        const Families& tiered_families, DB** opened) {
                      const Status s = DefaultHooks::OpenTransactionDB(
                          tiered, transaction_options, name, tiered_families,
                          handles, db);
                      *opened = *db;
                      return s;
                    });
}

Status BenchHooks::OpenOptimisticTransactionDB(const Options& options,
                                               const std::string& name,
                                               OptimisticTransactionDB** db) {
  return OpenTiered(options, name, [&](const Options& tiered, DB** opened) {
    const Status s =
        DefaultHooks::OpenOptimisticTransactionDB(tiered, name, db);
    *opened = *db;
    return s;
  });
}

Status BenchHooks::OpenOptimisticTransactionDB(const DBOptions& options,
                                               const std::string& name,
                                               const Families& families,
                                               Handles* handles,
                                               OptimisticTransactionDB** db) {
  return OpenTiered(options, name, families, handles,
                    [&](const DBOptions& tiered,
                        const Families& tiered_families, DB** opened) {
                      const Status s =
                          DefaultHooks::OpenOptimisticTransactionDB(
                              tiered, name, tiered_families, handles, db);
                      *opened = *db;
                      return s;
                    });
}

Status BenchHooks::OpenAsSecondary(const Options& options,
                                   const std::string& name,
                                   const std::string& secondary_path,
                                   OpenedDB* db) {
  return OpenTiered(options, name, [&](const Options& tiered, DB** opened) {
    const Status s =
        DefaultHooks::OpenAsSecondary(tiered, name, secondary_path, db);
    *opened = s.ok() ? &**db : nullptr;
    return s;
  });
}

Status BenchHooks::OpenAsFollower(const Options& options,
                                  const std::string& name,
                                  const std::string& leader_path,
                                  std::unique_ptr<DB>* db) {
  return OpenTiered(options, name, [&](const Options& tiered, DB** opened) {
    const Status s =
        DefaultHooks::OpenAsFollower(tiered, name, leader_path, db);
    *opened = db->get();
    return s;
  });
}

Status BenchHooks::Open(const Options& options,
                        const blob_db::BlobDBOptions& blob_options,
                        const std::string& name, blob_db::BlobDB** db) {
  return OpenTiered(options, name, [&](const Options& tiered, DB** opened) {
    const Status s = DefaultHooks::Open(tiered, blob_options, name, db);
    *opened = *db;
    return s;
  });
}

}  // namespace ROCKSDB_NAMESPACE
