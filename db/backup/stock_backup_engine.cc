//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Compiles RocksDB's BackupEngine under another name. CMakeLists.txt
// substitutes this file for utilities/backup/backup_engine.cc.

// Classes without data, which only the file below makes objects of.
#define BackupEngine StockBackupEngine
#define BackupEngineReadOnly StockBackupEngineReadOnly
#include "plugin/hotrap/db/backup/stock_backup_engine.h"

#include "utilities/backup/backup_engine.cc"

namespace ROCKSDB_NAMESPACE {

IOStatus StockBackups::Open(const BackupEngineOptions& options, Env* db_env,
                            StockBackups* result) {
  StockBackupEngine* opened = nullptr;
  IOStatus s = StockBackupEngine::Open(options, db_env, &opened);
  if (s.ok()) {
    const std::shared_ptr<StockBackupEngine> engine(opened);
    result->engine = engine;
    result->reader = opened;
    result->writer = opened;
    result->purge_old_backups = [opened](uint32_t num_backups_to_keep) {
      return opened->PurgeOldBackups(num_backups_to_keep);
    };
    result->delete_backup = [opened](BackupID id) {
      return opened->DeleteBackup(id);
    };
    result->test_set_schema =
        [opened](const TEST_BackupMetaSchemaOptions& schema) {
          TEST_SetBackupMetaSchemaOptions(opened, schema);
        };
    result->test_set_clocks =
        [opened](const std::shared_ptr<SystemClock>& of_backups,
                 const std::shared_ptr<SystemClock>& of_restores) {
          TEST_SetDefaultRateLimitersClock(opened, of_backups, of_restores);
        };
  }
  return s;
}

IOStatus StockBackups::OpenReadOnly(const BackupEngineOptions& options,
                                    Env* db_env, StockBackups* result) {
  StockBackupEngineReadOnly* opened = nullptr;
  IOStatus s = StockBackupEngineReadOnly::Open(options, db_env, &opened);
  if (s.ok()) {
    result->engine = std::shared_ptr<StockBackupEngineReadOnly>(opened);
    result->reader = opened;
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
