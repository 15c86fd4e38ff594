//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/copied_db.h"

#include "file/file_util.h"
#include "rocksdb/utilities/backup_engine.h"
#include "rocksdb/utilities/checkpoint.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

CopiedDb::CopiedDb(const Options& options, const std::string& folder)
    : options_(options), folder_(folder) {
  options_.create_if_missing = false;
  options_.create_missing_column_families = false;
  options_.db_paths.clear();
  options_.cf_paths.clear();
  options_.hotrap = HotRapOptions();
  options_.listeners.clear();
  options_.row_cache = nullptr;
}

CopiedDb::~CopiedDb() {
  for (ColumnFamilyHandle* const handle : handles_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  db_.reset();
  // Not with the DB's Env, which may fail.
  options_.env = Env::Default();
  DestroyDB(folder_, options_).PermitUncheckedError();
  DestroyDir(options_.env, folder_ + ".backup").PermitUncheckedError();
}

Status CopiedDb::TakeCheckpoint(DB* db) {
  Checkpoint* created = nullptr;
  const Status s = Checkpoint::Create(db, &created);
  const std::unique_ptr<Checkpoint> checkpoint(created);
  return s.ok() ? checkpoint->CreateCheckpoint(folder_) : s;
}

Status CopiedDb::BackUpAndRestore(DB* db) {
  BackupEngine* opened = nullptr;
  Status s = BackupEngine::Open(
      Env::Default(), BackupEngineOptions(folder_ + ".backup"), &opened);
  const std::unique_ptr<BackupEngine> engine(opened);
  if (s.ok()) {
    s = engine->CreateNewBackup(db, /*flush_before_backup=*/true);
  }
  return s.ok() ? engine->RestoreDBFromLatestBackup(folder_, folder_) : s;
}

Status CopiedDb::Open(const std::vector<std::string>& families) {
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : families) {
    descriptors.emplace_back(name, options_);
  }
  return DB::OpenForReadOnly(options_, folder_, descriptors, &handles_, &db_);
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
