//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/copies/copy_removal.h"

#include <algorithm>

#include "file/filename.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/compaction_copies.h"
#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// Waits about a second for a table that is being compacted, and for compactions
// that are disabled or aborted.
constexpr int kMaxFailures = 100;
constexpr int kPauseMicros = 10 * 1000;

bool AbortsAll([[maybe_unused]] const Status& s) {
#if ROCKSDB_MAJOR >= 11
  return s.IsCompactionAborted();
#else
  return false;
#endif
}
}  // namespace

CopyRemoval::CopyRemoval(DBImpl* db, ColumnFamilyHandle* column_family,
                         bool include_end)
    : db_(db),
      column_family_(column_family),
      cfd_(
          static_cast_with_check<ColumnFamilyHandleImpl>(column_family)->cfd()),
      state_(cfd_->hotrap.state()),
      needed_(state_ != nullptr || CompactionCopies::MayExist(*cfd_)),
      ranges_(
          std::make_shared<KeyRanges>(cfd_->user_comparator(), include_end)) {
  db_->mutex()->AssertHeld();
  if (state_ != nullptr) {
    state_->fences().BeginLevelChange();
    while (state_->fences().promotion_edit() != nullptr) {
      DbAccess(db_).work().AwaitBackgroundWork();
    }
  }
}

CopyRemoval::~CopyRemoval() {
  if (state_ != nullptr) {
    state_->fences().EndLevelChange();
  }
  auto& to_remove = cfd_->hotrap.copies_to_remove();
  to_remove.erase(std::remove(to_remove.begin(), to_remove.end(), ranges_),
                  to_remove.end());
}

void CopyRemoval::Run() {
  // Compactions that start from here on leave the copies out, too.
  cfd_->hotrap.copies_to_remove().push_back(ranges_);
  int failures = 0;
  Status failure;
  while (failures < kMaxFailures &&
         cfd_->current()->GetVersionNumber() != checked_version_) {
    db_->mutex()->Unlock();
    std::vector<Table> tables = FindTables();
    while (!tables.empty() && failures < kMaxFailures) {
      const Status s = Rewrite(tables);
      if (!s.ok()) {
        failure = s;
        failures = s.IsAborted() || s.IsInvalidArgument() ||
                           s.IsManualCompactionPaused() || AbortsAll(s)
                       ? failures + 1
                       : kMaxFailures;
        cfd_->ioptions().clock->SleepForMicroseconds(kPauseMicros);
      }
      tables = FindTables();
    }
    db_->mutex()->Lock();
  }
  if (failures == kMaxFailures) {
    ROCKS_LOG_INFO(cfd_->ioptions().logger,
                   "[%s] HotRAP: a table with promoted copies cannot be "
                   "rewritten, so tables that it overlaps are not deleted: %s",
                   cfd_->GetName().c_str(), failure.ToString().c_str());
  }
}

bool CopyRemoval::WillStay(int level, const FileMetaData& file) const {
  return level == 0 || !ranges_->ContainsAll(file.smallest.user_key(),
                                             file.largest.user_key());
}

std::vector<CopyRemoval::Table> CopyRemoval::FindTables() {
  SuperVersion* const sv = db_->GetAndRefSuperVersion(cfd_);
  const VersionStorageInfo& storage = *sv->current->storage_info();
  std::vector<Table> tables;
  for (int level = 0; level + 1 < storage.num_non_empty_levels(); level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      if (done_.count(file->fd.GetNumber()) > 0 ||
          !ranges_->Overlap(file->smallest.user_key(),
                            file->largest.user_key())) {
        continue;
      }
      std::shared_ptr<const TableProperties> properties;
      const Status s =
          sv->current->GetTableProperties(ReadOptions(), &properties, file);
      if (s.ok() && properties != nullptr &&
          PromotedCopies::In(*properties).count() == 0) {
        done_.insert(file->fd.GetNumber());
        continue;
      }
      if (WillStay(level, *file)) {
        tables.push_back({MakeTableFileName("", file->fd.GetNumber()), level,
                          static_cast<int>(file->fd.GetPathId())});
      }
    }
  }
  checked_version_ = sv->current->GetVersionNumber();
  db_->ReturnAndCleanupSuperVersion(cfd_, sv);
  return tables;
}

bool CopyRemoval::Keeps(int level, const FileMetaData& file) const {
  db_->mutex()->AssertHeld();
  if (!needed_) {
    return false;
  }
  const VersionStorageInfo& storage = *cfd_->current()->storage_info();
  const Comparator* const ucmp = cfd_->user_comparator();
  for (int above = 0; above < level; above++) {
    for (const FileMetaData* table : storage.LevelFiles(above)) {
      if (done_.count(table->fd.GetNumber()) == 0 &&
          (WillStay(above, *table) || table->being_compacted) &&
          ucmp->Compare(table->smallest.user_key(), file.largest.user_key()) <=
              0 &&
          ucmp->Compare(file.smallest.user_key(), table->largest.user_key()) <=
              0) {
        return true;
      }
    }
  }
  return false;
}

Status CopyRemoval::Rewrite(const std::vector<Table>& tables) {
  const Table& first = tables.front();
  std::vector<std::string> inputs = {first.name};
  int output_level = first.level;
  if (first.level == 0) {
    // Tables of L0 overlap, so they are rewritten together.
    output_level = 1;
    for (size_t i = 1; i < tables.size() && tables[i].level == 0; i++) {
      inputs.push_back(tables[i].name);
    }
  }
  std::vector<std::string> outputs;
  Status s = db_->CompactFiles(CompactionOptions(), column_family_, inputs,
                               output_level, first.path_id, &outputs);
  for (const std::string& output : outputs) {
    done_.insert(TableFileNameToNumber(output));
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
