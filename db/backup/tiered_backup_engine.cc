//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What BackupEngine::Open() and BackupEngineReadOnly::Open() return: RocksDB's
// engine (stock_backup_engine.h), to which it shows a DB with several folders
// in such a way that its backup has all of them, and RALT's files, and which it
// has restore to several folders. For all else it is RocksDB's engine.

#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/composite_env_wrapper.h"
#include "plugin/hotrap/db/backup/checkpoint_source.h"
#include "plugin/hotrap/db/backup/copy_folders.h"
#include "plugin/hotrap/db/backup/restore_plan.h"
#include "plugin/hotrap/db/backup/restored_files.h"
#include "plugin/hotrap/db/backup/stock_backup_engine.h"
#include "rocksdb/utilities/backup_engine.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// RocksDB's engine in one of ours.
class Engine {
 public:
  Engine(const BackupEngineOptions& options, Env* db_env, StockBackups stock)
      : options_(options), db_env_(db_env), stock_(std::move(stock)) {
    if (options_.backup_env == nullptr) {
      options_.backup_env = db_env;
    }
    // Not when the backups are opened to restore one.
    options_.destroy_old_data = false;
  }
  virtual ~Engine() = default;

  const StockBackups& stock() const { return stock_; }

  // `backup` is what `info` says of it.
  IOStatus Restore(const RestoreOptions& options, const Status& info,
                   const BackupInfo& backup, BackupID id,
                   const std::string& db_dir, const std::string& wal_dir) const;

 private:
  // Restores to the folders of the plan.
  IOStatus RestoreTo(RestorePlan* plan, const RestoreOptions& options,
                     BackupID id, const std::string& wal_dir) const;

  BackupEngineOptions options_;
  Env* const db_env_;
  const StockBackups stock_;
};

RestoreOptions WithStockEngines(const RestoreOptions& options) {
  RestoreOptions result(options);
  for (BackupEngineReadOnlyBase*& other : result.alternate_dirs) {
    if (auto* const ours = dynamic_cast<Engine*>(other)) {
      other = ours->stock().reader;
    }
  }
  return result;
}

IOStatus Engine::Restore(const RestoreOptions& options, const Status& info,
                         const BackupInfo& backup, BackupID id,
                         const std::string& db_dir,
                         const std::string& wal_dir) const {
  const RestoreOptions stock_options = WithStockEngines(options);
  if (info.ok()) {
    RestorePlan plan(db_env_->GetFileSystem().get(),
                     CopyFolders::WithoutSlashAtEnd(db_dir), options_.info_log);
    const Status s = plan.Make(backup);
    if (!s.ok()) {
      return status_to_io_status(Status(s));
    }
    if (!plan.IsPlain()) {
      return RestoreTo(&plan, stock_options, id,
                       CopyFolders::WithoutSlashAtEnd(wal_dir));
    }
  }
  return stock_.reader->RestoreDBFromBackup(stock_options, id, db_dir, wal_dir);
}

IOStatus Engine::RestoreTo(RestorePlan* plan, const RestoreOptions& options,
                           BackupID id, const std::string& wal_dir) const {
  Status s = plan->Begin();
  if (s.ok()) {
    CompositeEnvWrapper env(db_env_, std::make_shared<RestoredFiles>(
                                         db_env_->GetFileSystem(), *plan));
    StockBackups backups;
    s = StockBackups::OpenReadOnly(options_, &env, &backups);
    if (s.ok()) {
      s = backups.reader->RestoreDBFromBackup(options, id, plan->db_dir(),
                                              wal_dir);
    }
  }
  if (s.ok()) {
    s = plan->Finish();
  }
  return status_to_io_status(std::move(s));
}

// What an engine that only reads and one that also writes have in common.
template <class Interface>
class Reader : public Interface, public Engine {
 public:
  using Engine::Engine;

  Status GetLatestBackupInfo(BackupInfo* backup_info,
                             bool include_file_details) const override {
    return stock().reader->GetLatestBackupInfo(backup_info,
                                               include_file_details);
  }
  Status GetBackupInfo(BackupID backup_id, BackupInfo* backup_info,
                       bool include_file_details) const override {
    return stock().reader->GetBackupInfo(backup_id, backup_info,
                                         include_file_details);
  }
  void GetBackupInfo(std::vector<BackupInfo>* backup_infos,
                     bool include_file_details) const override {
    stock().reader->GetBackupInfo(backup_infos, include_file_details);
  }
  void GetCorruptedBackups(
      std::vector<BackupID>* corrupt_backup_ids) const override {
    stock().reader->GetCorruptedBackups(corrupt_backup_ids);
  }
  using Interface::RestoreDBFromBackup;
  IOStatus RestoreDBFromBackup(const RestoreOptions& options,
                               BackupID backup_id, const std::string& db_dir,
                               const std::string& wal_dir) const override {
    ReadLock lock(&mutex_);
    BackupInfo backup;
    const Status s = stock().reader->GetBackupInfo(
        backup_id, &backup, /*include_file_details=*/true);
    return Restore(options, s, backup, backup_id, db_dir, wal_dir);
  }
  using Interface::RestoreDBFromLatestBackup;
  IOStatus RestoreDBFromLatestBackup(
      const RestoreOptions& options, const std::string& db_dir,
      const std::string& wal_dir) const override {
    ReadLock lock(&mutex_);
    BackupInfo backup;
    const Status s = stock().reader->GetLatestBackupInfo(
        &backup, /*include_file_details=*/true);
    return s.ok()
               ? Restore(options, s, backup, backup.backup_id, db_dir, wal_dir)
               : stock().reader->RestoreDBFromLatestBackup(
                     WithStockEngines(options), db_dir, wal_dir);
  }
  IOStatus VerifyBackup(BackupID backup_id,
                        bool verify_with_checksum) const override {
    return stock().reader->VerifyBackup(backup_id, verify_with_checksum);
  }

 protected:
  // RocksDB's engine has a lock, too. This one keeps a backup from being
  // deleted while RestoreTo() has opened it a second time.
  mutable port::RWMutex mutex_;
};

class ReadOnlyEngine : public Reader<BackupEngineReadOnly> {
 public:
  using Reader::Reader;
  BackupEngine* AsBackupEngine() override { return nullptr; }
};

class WritingEngine : public Reader<BackupEngine> {
 public:
  using Reader::Reader;
  BackupEngine* AsBackupEngine() override { return this; }

  using BackupEngine::CreateNewBackupWithMetadata;
  IOStatus CreateNewBackupWithMetadata(const CreateBackupOptions& options,
                                       DB* db, const std::string& app_metadata,
                                       BackupID* new_backup_id) override {
    WriteLock lock(&mutex_);
    const CheckpointSource source(db);
    return stock().writer->CreateNewBackupWithMetadata(
        options, source.db(), app_metadata, new_backup_id);
  }
  void StopBackup() override { stock().writer->StopBackup(); }
  IOStatus GarbageCollect() override {
    WriteLock lock(&mutex_);
    return stock().writer->GarbageCollect();
  }
  IOStatus PurgeOldBackups(uint32_t num_backups_to_keep) override {
    WriteLock lock(&mutex_);
    return stock().purge_old_backups(num_backups_to_keep);
  }
  IOStatus DeleteBackup(BackupID backup_id) override {
    WriteLock lock(&mutex_);
    return stock().delete_backup(backup_id);
  }
};

}  // namespace

IOStatus BackupEngine::Open(const BackupEngineOptions& options, Env* db_env,
                            BackupEngine** backup_engine_ptr) {
  StockBackups stock;
  IOStatus s = StockBackups::Open(options, db_env, &stock);
  *backup_engine_ptr =
      s.ok() ? new WritingEngine(options, db_env, std::move(stock)) : nullptr;
  return s;
}

IOStatus BackupEngineReadOnly::Open(const BackupEngineOptions& options,
                                    Env* db_env,
                                    BackupEngineReadOnly** backup_engine_ptr) {
  if (options.destroy_old_data) {
    // As RocksDB, which leaves *backup_engine_ptr alone then.
    return IOStatus::InvalidArgument(
        "Can't destroy old data with ReadOnly BackupEngine");
  }
  StockBackups stock;
  IOStatus s = StockBackups::OpenReadOnly(options, db_env, &stock);
  *backup_engine_ptr =
      s.ok() ? new ReadOnlyEngine(options, db_env, std::move(stock)) : nullptr;
  return s;
}

void TEST_SetBackupMetaSchemaOptions(
    BackupEngine* engine, const TEST_BackupMetaSchemaOptions& options) {
  dynamic_cast<Engine*>(engine)->stock().test_set_schema(options);
}

void TEST_SetDefaultRateLimitersClock(
    BackupEngine* engine,
    const std::shared_ptr<SystemClock>& backup_rate_limiter_clock,
    const std::shared_ptr<SystemClock>& restore_rate_limiter_clock) {
  dynamic_cast<Engine*>(engine)->stock().test_set_clocks(
      backup_rate_limiter_clock, restore_rate_limiter_clock);
}

}  // namespace ROCKSDB_NAMESPACE
