//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// RocksDB's own BackupEngine, under another name: BackupEngine::Open() is in
// tiered_backup_engine.cc.
//
// Thread safety: as RocksDB's BackupEngine.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "rocksdb/utilities/backup_engine.h"
#include "utilities/backup/backup_engine_impl.h"

namespace ROCKSDB_NAMESPACE {

struct StockBackups {
  // Owns what the others point to.
  std::shared_ptr<void> engine;
  BackupEngineReadOnlyBase* reader = nullptr;
  // The others are empty in an engine that only reads.
  BackupEngineAppendOnlyBase* writer = nullptr;
  std::function<IOStatus(uint32_t)> purge_old_backups;
  std::function<IOStatus(BackupID)> delete_backup;
  std::function<void(const TEST_BackupMetaSchemaOptions&)> test_set_schema;
  std::function<void(const std::shared_ptr<SystemClock>&,
                     const std::shared_ptr<SystemClock>&)>
      test_set_clocks;

  static IOStatus Open(const BackupEngineOptions& options, Env* db_env,
                       StockBackups* result);
  static IOStatus OpenReadOnly(const BackupEngineOptions& options, Env* db_env,
                               StockBackups* result);
};

}  // namespace ROCKSDB_NAMESPACE
