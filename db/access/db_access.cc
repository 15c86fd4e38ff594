//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/access/db_access.h"

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_state.h"
#include "db/job_context.h"
#include "db/table_cache.h"
#include "file/filename.h"
#include "file/sst_file_manager_impl.h"
#include "plugin/hotrap/db/access/free_space_of_paths.h"
#include "plugin/hotrap/db/access/rocksdb_compat.h"

namespace ROCKSDB_NAMESPACE {

void DbAccess::Work::SetManifestError() const {
  db_->error_handler_.SetBGError(db_->versions_->io_status(),
                                 BackgroundErrorReason::kManifestWrite);
}

// RocksDB does so over one path only, since it looks at the free space of one.
// An attempt that comes too early fails and is repeated after five seconds.
void DbAccess::Work::ResumeWithRoom(ColumnFamilyData* cfd) const {
  db_->mutex()->AssertHeld();
  assert(!db_->opened_successfully_);
  db_->error_handler_.EnableAutoRecovery();
  const std::vector<DbPath>& paths = cfd->ioptions().cf_paths;
  // Other DBs may use a manager that the program has made.
  if (paths.size() > 1 && db_->own_sfm_) {
    const ImmutableDBOptions& options = db_->immutable_db_options_;
    FreeSpaceOfPaths* const space = FreeSpaceOfPaths::Of(
        static_cast<SstFileManagerImpl*>(options.sst_file_manager.get()));
    space->AddWritten(db_->dbname_);
    space->AddWritten(options.GetWalDir());
    space->AddWritten(paths.front().path);
    space->AddSlow(paths.back().path);
  }
}

void DbAccess::Work::CompactAgain(ColumnFamilyData* cfd) const {
  db_->mutex()->AssertHeld();
  if (cfd->IsDropped()) {
    return;
  }
  VersionStorageInfo* const storage = cfd->current()->storage_info();
  storage->ComputeCompactionScore(
      cfd->ioptions(), cfd->GetLatestMutableCFOptions() HOTRAP_SCORE_ARGS(cfd));
  // The picker passed over tables of other levels because they overlap this
  // one, and would begin behind them until there is a new version.
  for (int level = 0; level < storage->num_levels(); level++) {
    storage->ResetNextCompactionIndex(level);
  }
  db_->EnqueuePendingCompaction(cfd);
  db_->MaybeScheduleFlushOrCompaction();
}

// The slot of the default column family counts them.
int DbAccess::Work::orphans() const {
  db_->mutex()->AssertHeld();
  return db_->versions_->GetColumnFamilySet()->GetDefault()->hotrap.orphans();
}

void DbAccess::Work::AddOrphan() const {
  db_->mutex()->AssertHeld();
  HotRapSlot& slot = db_->versions_->GetColumnFamilySet()->GetDefault()->hotrap;
  slot.set_orphans(slot.orphans() + 1);
}

void DbAccess::Work::RemoveOrphan() const {
  db_->mutex()->AssertHeld();
  HotRapSlot& slot = db_->versions_->GetColumnFamilySet()->GetDefault()->hotrap;
  slot.set_orphans(slot.orphans() - 1);
}

void DbAccess::Files::DeleteObsoleteFiles() const {
  JobContext job_context(DbAccess(db_).NextJobId());
  {
    InstrumentedMutexLock lock(db_->mutex());
    // Only what a version of this DB had. A full scan would delete what it
    // does not know, and a read-only DB does not know what its writer writes.
    db_->FindObsoleteFiles(&job_context, /*force=*/false,
                           /*no_full_scan=*/true);
  }
  if (job_context.HaveSomethingToDelete()) {
    db_->PurgeObsoleteFiles(job_context);
  }
  job_context.Clean();
}

void DbAccess::Files::DeleteOutputs(int job_id, CompactionState* state) const {
  const Compaction& compaction = *state->compaction;
  const std::vector<DbPath>& paths = compaction.immutable_options().cf_paths;
  const auto remove = [&](FileType type, uint64_t number, uint32_t path_id,
                          const std::string& name) {
    db_->DeleteObsoleteFileImpl(job_id, name, paths[path_id].path, type,
                                number);
  };
  for (SubcompactionState& part : state->sub_compact_states) {
    for (const CompactionOutputs::Output& output : part.GetOutputs()) {
      const FileDescriptor& fd = output.meta.fd;
      TableCache::ReleaseObsolete(
          db_->table_cache_.get(), fd.GetNumber(), /*handle=*/nullptr,
          compaction.mutable_cf_options().uncache_aggressiveness);
      remove(kTableFile, fd.GetNumber(), fd.GetPathId(),
             TableFileName(paths, fd.GetNumber(), fd.GetPathId()));
    }
    // A crossing compaction has none.
    for (const auto& blob :
         part.Outputs(/*is_proximal_level=*/false)->GetBlobFileAdditions()) {
      const uint64_t number = blob.GetBlobFileNumber();
      remove(kBlobFile, number, /*path_id=*/0,
             BlobFileName(paths.front().path, number));
    }
  }
  // Listeners are told of what is installed only.
  const_cast<TablePropertiesCollection&>(compaction.GetOutputTableProperties())
      .clear();
}

std::unordered_set<uint64_t> DbAccess::Files::ColumnFamiliesInUse() const {
  std::unordered_set<uint64_t> ids;
  InstrumentedMutexLock lock(db_->mutex());
  for (auto* cfd : *db_->versions_->GetColumnFamilySet()) {
    ids.insert(cfd->GetID());
  }
  return ids;
}

}  // namespace ROCKSDB_NAMESPACE
