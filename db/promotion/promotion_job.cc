//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/promotion/promotion_job.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "db/builder.h"
#include "file/filename.h"
#include "file/sst_file_manager_impl.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/copies/copies_collector.h"
#include "plugin/hotrap/db/promotion/newer_version_check.h"
#include "plugin/hotrap/db/promotion/promotion_gate.h"
#include "plugin/hotrap/db/promotion/promotion_pace.h"
#include "plugin/hotrap/db/state/space_reservation.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "plugin/hotrap/table/promotion_record_iterator.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// Another attempt is needed if, between a check and the installation, a
// memtable was sealed or a record's range changed, or while others install.
constexpr int kMaxAttempts = 8;
constexpr int kInstallPollMicros = 1000;
constexpr int kMaxInstallPolls = 1000;

size_t UserBytes(const std::vector<PromotionRecordPtr>& records) {
  size_t bytes = 0;
  for (const auto& record : records) {
    bytes += record->UserBytes();
  }
  return bytes;
}

size_t MemoryBytes(const std::vector<PromotionRecordPtr>& records) {
  size_t bytes = 0;
  for (const auto& record : records) {
    bytes += record->MemoryBytes();
  }
  return bytes;
}

uint64_t DataBytes(const VersionStorageInfo& storage) {
  uint64_t bytes = 0;
  for (int level = 0; level < storage.num_levels(); level++) {
    bytes += storage.NumLevelBytes(level);
  }
  return bytes;
}

// Removes the records for which `drops` returns true, and counts them.
template <typename Drops>
bool Remove(std::vector<PromotionRecordPtr>* records, HotRapStats* stats,
            HotRapCounter counter, const Drops& drops) {
  const auto end = std::remove_if(records->begin(), records->end(), drops);
  const size_t count = records->end() - end;
  records->erase(end, records->end());
  stats->Count(counter, count);
  return count > 0;
}
}  // namespace

PromotionJob::PromotionJob(TierState* state, PromotionPace* pace)
    : state_(state),
      pace_(pace),
      db_(state->db()),
      access_(state->db()),
      cfd_(state->cfd()) {}

PromotionJob::~PromotionJob() {
  if (sv_ == nullptr) {
    return;
  }
  access_.files().ReleaseSuperVersion(sv_);
  if (pending_output_ != nullptr) {
    InstrumentedMutexLock lock(db_->mutex());
    access_.files().ReleasePendingOutput(pending_output_);
  }
  // Delete tables that became obsolete while the job referenced S and the
  // pending output.
  access_.files().DeleteObsoleteFiles();
}

bool PromotionJob::Run(bool however_few) {
  // A file is smaller than its records in memory. The reservation is held until
  // the file itself is counted.
  const ImmutableOptions& ioptions = cfd_->ioptions();
  const uint64_t file_bytes = std::max<uint64_t>(
      state_->cache().memory_bytes(), state_->cache().capacity_bytes());
  const SpaceReservation room(ioptions.fs.get(), ioptions.cf_paths[0].path,
                              ioptions.sst_file_manager.get(), file_bytes,
                              state_->sizes().spare_bytes());
  {
    InstrumentedMutexLock lock(db_->mutex());
    // Read under the mutex, where it changes together with the cache's content.
    first_slow_level_ = state_->first_slow_level();
    const bool has_room = room.bytes() == file_bytes;
    pace_->set_lacks_space(!has_room);
    if (!has_room || *PromotionGate::WhyNotNow(state_) != '\0') {
      pace_->BackOff();
      return false;
    }
    if (!state_->cache().Full() && !however_few) {
      return true;
    }
    Seal();
  }
  TEST_SYNC_POINT("HotRap::PromotionJob::Sealed");
  TEST_KILL_RANDOM("PromotionJob::Sealed:0");
  TakeHot();
  // A small file in L0 costs as much compaction work as a large one. The
  // comparison uses memory, as the capacity does; by user bytes a full cache of
  // small records would always be too small.
  if (!however_few &&
      2 * MemoryBytes(records_) < state_->cache().capacity_bytes()) {
    ReturnToCache();
  } else {
    Promote();
  }
  // Not earlier: until the promoted file is installed, the cache serves reads.
  state_->cache().Unseal();
  return true;
}

void PromotionJob::Seal() {
  db_->mutex()->AssertHeld();
  filtered_ = std::make_unique<FilteredPromotion>(state_);
  state_->cache().Seal();
  state_->stats().Count(HotRapCounter::kSeals);
  sv_ = cfd_->GetSuperVersion()->Ref();
  taken_ = std::make_unique<TakenRecords>(state_->cache().taken());
  checked_memtable_id_ = sv_->mem->GetID();
}

void PromotionJob::TakeHot() {
  const uint64_t data_bytes = DataBytes(*sv_->current->storage_info());
  state_->tracker().NoteAdmissions(data_bytes);
  if (Ralt* const ralt = state_->ralt()) {
    ralt->SetTierSizes(state_->sizes().last_target_bytes(), data_bytes);
  }
  taken_->SetRecords(state_->cache().SealedRecords());
  records_ = taken_->records();
  Remove(&records_, &state_->stats(), HotRapCounter::kDroppedCold,
         [&](const PromotionRecordPtr& record) {
           return !state_->tracker().WorthPromoting(*record);
         });
  filtered_->DropUnkept(/*compaction=*/nullptr, &records_);
}

void PromotionJob::ReturnToCache() {
  uint64_t returned = 0;
  for (const auto& record : records_) {
    // Return() refuses the record if the slow tier has changed since S.
    if (state_->cache().Return(record, *taken_) ==
        PromotionCache::InsertResult::kInserted) {
      returned++;
    }
  }
  state_->stats().Count(HotRapCounter::kReturnedRecords, returned);
}

void PromotionJob::CheckAll(SuperVersion* sv) {
  const NewerVersionCheck check(sv, first_slow_level_);
  Remove(&records_, &state_->stats(), HotRapCounter::kDroppedNewer,
         [&](const PromotionRecordPtr& record) {
           return state_->jobs().stopped() ||
                  check.InMemtables(record->user_key) ||
                  check.InFastLevels(record->user_key);
         });
}

bool PromotionJob::CheckSince() {
  SuperVersion* sv = nullptr;
  bool all_in_memtables = false;
  {
    InstrumentedMutexLock lock(db_->mutex());
    if (cfd_->mem()->GetID() == checked_memtable_id_) {
      return false;
    }
    sv = cfd_->GetSuperVersion()->Ref();
    // Memtables are flushed oldest first. If the oldest unchecked one is still
    // there, so are the others.
    all_in_memtables =
        cfd_->imm()->GetEarliestMemTableID() <= checked_memtable_id_ &&
        !cfd_->GetMempurgeUsed();
  }
  checked_memtable_id_ = sv->mem->GetID();
  const size_t before = records_.size();
  if (all_in_memtables) {
    const NewerVersionCheck check(sv, first_slow_level_);
    Remove(&records_, &state_->stats(), HotRapCounter::kDroppedNewer,
           [&](const PromotionRecordPtr& record) {
             return check.InMemtables(record->user_key);
           });
  } else {
    CheckAll(sv);
  }
  access_.files().ReleaseSuperVersion(sv);
  return records_.size() < before;
}

bool PromotionJob::AnyInvalidated() const {
  return taken_->num_changes() != changes_seen_;
}

bool PromotionJob::DropInvalidated() {
  if (!AnyInvalidated()) {
    return false;
  }
  // Read the counter first, so that later changes are seen next time.
  changes_seen_ = taken_->num_changes();
  return Remove(&records_, &state_->stats(), HotRapCounter::kDroppedInvalidated,
                [this](const PromotionRecordPtr& record) {
                  return taken_->Overtaken(*record, /*fast_too=*/true);
                });
}

void PromotionJob::Promote() {
  {
    InstrumentedMutexLock lock(db_->mutex());
    pending_output_ = access_.files().CapturePendingOutput();
  }
  CheckAll(sv_);
  filtered_->Publish(&records_);
  Status s;
  int attempts = 0;
  do {
    if (state_->jobs().stopped()) {
      s = Status::ShutdownInProgress();
    } else {
      // Finding conflicts now saves building a file that could not be
      // installed.
      bool changed = CheckSince();
      changed = DropInvalidated() || changed;
      if (changed) {
        DeleteFile();
      }
      if (records_.empty()) {
        break;
      }
      s = file_exists_ ? Status::OK() : Build();
      if (s.ok()) {
        s = Install();
      }
    }
  } while (s.IsTryAgain() && ++attempts < kMaxAttempts);

  if (!s.ok()) {
    DropAll(s);
  }
}

Status PromotionJob::Build() {
  meta_ = FileMetaData();
  MutableCFOptions options;
  FileOptions file_options;
  FSDirectory* directory = nullptr;
  {
    InstrumentedMutexLock lock(db_->mutex());
    meta_.fd =
        FileDescriptor(access_.versions()->NewFileNumber(), /*path_id=*/0,
                       /*file_size=*/0);
    options = cfd_->GetLatestMutableCFOptions();
    file_options = access_.file_options_for_compaction();
    file_options.temperature = options.default_write_temperature;
    directory = access_.DataDir(cfd_, 0);
  }
  const ImmutableOptions& ioptions = cfd_->ioptions();
  int64_t now = 0;
  ioptions.clock->GetCurrentTime(&now).PermitUncheckedError();
  meta_.oldest_ancester_time = static_cast<uint64_t>(now);
  meta_.file_creation_time = static_cast<uint64_t>(now);
  meta_.temperature = options.default_write_temperature;

  ReadOptions read_options;
  read_options.rate_limiter_priority = Env::IO_LOW;
  WriteOptions write_options;
  write_options.rate_limiter_priority = Env::IO_LOW;
  const InternalTblPropCollFactories collectors = WithCopiesCollector(
      *cfd_->internal_tbl_prop_coll_factories(), CopiesCollectorOptions(),
      [] { return [](const ParsedInternalKey&) { return true; }; });
  const TableBuilderOptions table_options(
      ioptions, options, read_options, write_options,
      cfd_->internal_comparator(), &collectors,
      GetCompressionFlush(ioptions, options), options.compression_opts,
      cfd_->GetID(), cfd_->GetName(), /*level=*/0, /*newest_key_time=*/now,
      /*is_bottommost=*/false, TableFileCreationReason::kMisc,
      /*oldest_key_time=*/now, static_cast<uint64_t>(now), access_.db_id(),
      access_.db_session_id(),
      /*target_file_size=*/0, meta_.fd.GetNumber());
  PromotionRecordIterator iterator(&records_);
  IOStatus io_status;
  file_exists_ = true;
  Status s = BuildTable(
      access_.name(), access_.versions(), access_.immutable_options(),
      table_options, file_options, cfd_->table_cache(), &iterator,
      /*range_del_iters=*/{}, &meta_,
      /*blob_file_additions=*/nullptr, /*snapshots=*/{},
      /*earliest_snapshot=*/kMaxSequenceNumber,
      /*earliest_write_conflict_snapshot=*/kMaxSequenceNumber,
      /*job_snapshot=*/kMaxSequenceNumber, /*snapshot_checker=*/nullptr,
      options.paranoid_file_checks, /*internal_stats=*/nullptr, &io_status,
      access_.io_tracer(), BlobFileCreationReason::kFlush,
      /*seqno_to_time_mapping=*/nullptr, access_.event_logger(),
      access_.NextJobId());
  io_status.PermitUncheckedError();
  if (s.ok() && directory != nullptr) {
    s = directory->FsyncWithDirOptions(
        IOOptions(), nullptr,
        DirFsyncOptions(DirFsyncOptions::FsyncReason::kNewFileSynced));
  }
  TEST_SYNC_POINT("HotRap::PromotionJob::Built");
  TEST_KILL_RANDOM("PromotionJob::Built:0");
  return s;
}

bool PromotionJob::OthersAreInstalling() const {
  db_->mutex()->AssertHeld();
  // A waiting MANIFEST writer may include our edit in its group without
  // checking with us again. Whoever paused background work or announced an
  // ingestion relies on levels that do not change.
  return access_.work().manifest_is_busy() || access_.work().ingestion_runs() ||
         access_.work().paused();
}

Status PromotionJob::BeforeInstall() {
  db_->mutex()->AssertHeld();
  if (state_->jobs().stopped() || access_.work().shutting_down()) {
    return Status::ShutdownInProgress();
  }
  if (access_.work().background_work_stopped()) {
    return Status::Aborted("background work is stopped");
  }
  if (state_->fences().level_changes()) {
    // The caller may wait for a compaction, and that for this thread.
    return Status::Busy("a level is about to move");
  }
  if (OthersAreInstalling() || cfd_->mem()->GetID() != checked_memtable_id_ ||
      AnyInvalidated()) {
    return Status::TryAgain();
  }
  return Status::OK();
}

Status PromotionJob::Install() {
  SuperVersionContext sv_context(/*create_superversion=*/true);
  Status s;
  {
    InstrumentedMutexLock lock(db_->mutex());
    // The mutex stays held from the last check to ProcessManifestWrites().
    for (int polls = 0; polls < kMaxInstallPolls && OthersAreInstalling();
         polls++) {
      db_->mutex()->Unlock();
      cfd_->ioptions().clock->SleepForMicroseconds(kInstallPollMicros);
      db_->mutex()->Lock();
    }
    s = BeforeInstall();
    if (s.ok()) {
      // Newer than all files flushed so far, older than all later ones.
      meta_.epoch_number = cfd_->NewEpochNumber();
      edit_.Clear();
      edit_.SetColumnFamily(cfd_->GetID());
      edit_.AddFile(/*level=*/0, meta_);
      state_->fences().set_promotion_edit(&edit_);
      TEST_SYNC_POINT("HotRap::PromotionJob::Install");
      s = access_.versions()->LogAndApply(cfd_, ReadOptions(), WriteOptions(),
                                          &edit_, db_->mutex(),
                                          access_.DbDir());
      TEST_KILL_RANDOM("PromotionJob::Installed:0");
      state_->fences().set_promotion_edit(nullptr);
      access_.work().SignalBackgroundWork();
      if (s.ok()) {
        access_.files().InstallSuperVersion(cfd_, &sv_context);
      } else if (!access_.versions()->io_status().ok()) {
        // As after a failed flush, it is unknown whether the edit is in the
        // MANIFEST, so the file must stay.
        file_exists_ = false;
        access_.work().SetManifestError();
      }
    }
  }
  sv_context.Clean();
  if (!s.ok()) {
    return s;
  }
  file_exists_ = false;  // the version owns it now
  const uint64_t bytes = UserBytes(records_);
  state_->stats().Count(HotRapCounter::kPromotions);
  state_->stats().Count(HotRapCounter::kPromotedRecords, records_.size());
  state_->stats().Count(HotRapCounter::kPromotedBytes, bytes);
  state_->events().Report(HotRapPromotionInfo{cfd_->GetID(), cfd_->GetName(),
                                              records_.size(), bytes,
                                              meta_.fd.GetNumber()});
  ROCKS_LOG_INFO(cfd_->ioptions().logger,
                 "[%s] HotRAP promoted %" ROCKSDB_PRIszt " records, %" PRIu64
                 " bytes to L0 as #%" PRIu64,
                 cfd_->GetName().c_str(), records_.size(), bytes,
                 meta_.fd.GetNumber());
  auto* sst_file_manager = static_cast<SstFileManagerImpl*>(
      access_.immutable_options().sst_file_manager.get());
  if (sst_file_manager != nullptr) {
    sst_file_manager
        ->OnAddFile(TableFileName(cfd_->ioptions().cf_paths,
                                  meta_.fd.GetNumber(), meta_.fd.GetPathId()))
        .PermitUncheckedError();
  }
  return s;
}

void PromotionJob::DropAll(Status reason) {
  HotRapCounter counter = HotRapCounter::kDroppedError;
  if (reason.IsTryAgain() || reason.IsBusy()) {
    counter = HotRapCounter::kDroppedConflict;
  } else if (reason.IsShutdownInProgress() || reason.IsColumnFamilyDropped()) {
    counter = HotRapCounter::kDroppedShutdown;
  } else {
    ROCKS_LOG_WARN(
        cfd_->ioptions().logger,
        "[%s] HotRAP dropped a promotion of %" ROCKSDB_PRIszt " records: %s",
        cfd_->GetName().c_str(), records_.size(), reason.ToString().c_str());
    pace_->BackOff();
  }
  state_->stats().Count(counter, records_.size());
  records_.clear();
  DeleteFile();
}

void PromotionJob::DeleteFile() {
  if (!file_exists_) {
    return;
  }
  file_exists_ = false;
  TableCache::Evict(cfd_->table_cache()->get_cache().get(),
                    meta_.fd.GetNumber());
  // BuildTable has already removed the file if it failed.
  access_.immutable_options()
      .fs
      ->DeleteFile(TableFileName(cfd_->ioptions().cf_paths,
                                 meta_.fd.GetNumber(), meta_.fd.GetPathId()),
                   IOOptions(), nullptr)
      .PermitUncheckedError();
}

}  // namespace ROCKSDB_NAMESPACE
