//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/relocation/relocation_job.h"

#include <algorithm>
#include <cinttypes>
#include <limits>
#include <utility>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_picker.h"
#include "db/event_helpers.h"
#include "db/job_context.h"
#include "file/filename.h"
#include "file/read_write_util.h"
#include "file/sequence_file_reader.h"
#include "file/sst_file_manager_impl.h"
#include "file/writable_file_writer.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/access/rocksdb_compat.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr size_t kBufferBytes = 256 << 10;
// A byte in each period of a RateLimiter. For less it would wait for ever.
constexpr uint64_t kLeastBytesPerSec = 10;

IOOptions CopyOptions() {
  IOOptions options;
  options.rate_limiter_priority = Env::IO_LOW;
  options.type = IOType::kData;
  return options;
}

SstFileManagerImpl* FileManager(const ColumnFamilyData& cfd) {
  return static_cast<SstFileManagerImpl*>(
      cfd.ioptions().sst_file_manager.get());
}
}  // namespace

RelocationJob::RelocationJob(TierState* state, const RelocationTable& table,
                             uint32_t to_path_id)
    : state_(state),
      db_(state->db()),
      access_(state->db()),
      cfd_(state->cfd()),
      table_(table),
      to_path_id_(to_path_id) {}

RelocationJob::~RelocationJob() {
  assert(!holds_table());
  reader_.reset();
  writer_.reset();
  NotifyEnd(Status::Aborted("the move was abandoned"));
  if (file_exists_) {
    TableCache::Evict(cfd_->table_cache()->get_cache().get(),
                      meta_.fd.GetNumber());
    cfd_->ioptions()
        .fs->DeleteFile(ToName(), IOOptions(), nullptr)
        .PermitUncheckedError();
  }
  if (meta_.fd.GetNumber() > 0) {
    {
      InstrumentedMutexLock lock(db_->mutex());
      access_.files().EndShield(meta_.fd.GetNumber());
    }
    // Delete the moved table.
    access_.files().DeleteObsoleteFiles();
  }
}

std::string RelocationJob::ToName() const {
  return TableFileName(cfd_->ioptions().cf_paths, meta_.fd.GetNumber(),
                       to_path_id_);
}

void RelocationJob::NotifyStart() {
  job_id_ = access_.NextJobId();
  notified_start_ = true;
  EventHelpers::NotifyTableFileCreationStarted(
      cfd_->ioptions().listeners, access_.name(), cfd_->GetName(), ToName(),
      job_id_, TableFileCreationReason::kMisc);
}

void RelocationJob::NotifyEnd(const Status& status) {
  if (!notified_start_) {
    return;
  }
  notified_start_ = false;
  EventHelpers::LogAndNotifyTableFileCreationFinished(
      status.ok() ? access_.event_logger() : nullptr,
      cfd_->ioptions().listeners, access_.name(), cfd_->GetName(), ToName(),
      job_id_, meta_.fd, meta_.oldest_blob_file_number,
      status.ok() ? *properties_ : TableProperties(),
      TableFileCreationReason::kMisc, status, meta_.file_checksum,
      meta_.file_checksum_func_name);
}

bool RelocationJob::Take() {
  db_->mutex()->AssertHeld();
  Version* const current = cfd_->current();
  VersionStorageInfo* const storage = current->storage_info();
  FileMetaData* const file = storage->GetFileMetaDataByNumber(table_.number);
  if (file == nullptr || file->being_compacted ||
      storage->GetFileLocation(table_.number).GetLevel() != table_.level ||
      (table_.level == 0 &&
       !cfd_->compaction_picker()->level0_compactions_in_progress()->empty())) {
    return false;
  }
  CompactionInputFiles input;
  input.level = table_.level;
  input.files = {file};
  // Accounts for the space of the copy while both files exist.
  if (FileManager(*cfd_) != nullptr &&
      !FileManager(*cfd_)->EnoughRoomForCompaction(cfd_, {input},
                                                   Status::OK())) {
    return false;
  }
  const MutableCFOptions& options = cfd_->GetLatestMutableCFOptions();
  compaction_ = std::make_unique<Compaction>(
      storage, cfd_->ioptions(), options, access_.mutable_options(),
      std::vector<CompactionInputFiles>{input}, table_.level,
      file->fd.GetFileSize(), std::numeric_limits<uint64_t>::max(), to_path_id_,
      options.compression, options.compression_opts, file->temperature,
      /*max_subcompactions=*/1, /*grandparents=*/std::vector<FileMetaData*>(),
      /*earliest_snapshot=*/std::nullopt, /*snapshot_checker=*/nullptr,
      HOTRAP_COMPACTION_ARGS(CompactionReason::kRefitLevel, /*trim_ts=*/"",
                             /*score=*/-1, /*l0_files_overlap=*/false));
  compaction_->FinalizeInputInfo(current);
  if (table_.level == 0) {
    cfd_->compaction_picker()->RegisterCompaction(compaction_.get());
  }
  // The files to compact depend on which files are being compacted.
  storage->ComputeCompactionScore(cfd_->ioptions(),
                                  options HOTRAP_SCORE_ARGS(cfd_));

  meta_ = FileMetaData(
      access_.versions()->NewFileNumber(), to_path_id_, file->fd.GetFileSize(),
      file->smallest, file->largest, file->fd.smallest_seqno,
      file->fd.largest_seqno, file->marked_for_compaction, file->temperature,
      file->oldest_blob_file_number, file->oldest_ancester_time,
      file->file_creation_time, file->epoch_number, file->file_checksum,
      file->file_checksum_func_name, file->unique_id,
      file->compensated_range_deletion_size, file->tail_size,
      file->user_defined_timestamps_persisted HOTRAP_META_ARGS(file));
  // Keep the read statistics: the copy is read as often as the original.
  meta_.stats.num_reads_sampled.store(
      file->stats.num_reads_sampled.load(std::memory_order_relaxed),
      std::memory_order_relaxed);
  // Not a pending output: that would keep every table that becomes obsolete
  // while this one is copied, and a slow copy would fill the fast disk.
  access_.files().ShieldFromPurge(meta_.fd.GetNumber());
  left_bytes_ = file->fd.GetFileSize();
  return true;
}

void RelocationJob::Release() {
  db_->mutex()->AssertHeld();
  if (compaction_ == nullptr) {
    return;
  }
  if (FileManager(*cfd_) != nullptr) {
    FileManager(*cfd_)->OnCompactionCompletion(compaction_.get());
  }
  compaction_->ReleaseCompactionFiles(Status::OK());
  compaction_.reset();
  access_.work().SignalBackgroundWork();
}

Status RelocationJob::Open() {
  const ImmutableOptions& ioptions = cfd_->ioptions();
  FileOptions options;
  {
    InstrumentedMutexLock lock(db_->mutex());
    options = access_.file_options_for_compaction();
  }
  options.temperature = meta_.temperature;
  options.io_options = CopyOptions();
  const std::string from_name =
      TableFileName(ioptions.cf_paths, table_.number, table_.path_id);
  std::unique_ptr<FSSequentialFile> from;
  Status s = ioptions.fs->NewSequentialFile(from_name, options, &from, nullptr);
  if (!s.ok()) {
    return s;
  }
  const std::shared_ptr<IOTracer>& tracer = access_.io_tracer();
  reader_ = std::make_unique<SequentialFileReader>(std::move(from), from_name,
                                                   tracer, ioptions.listeners,
                                                   ioptions.rate_limiter.get());
  std::unique_ptr<FSWritableFile> to;
  s = NewWritableFile(ioptions.fs.get(), ToName(), &to, options);
  if (!s.ok()) {
    return s;
  }
  file_exists_ = true;
  NotifyStart();
  to->SetIOPriority(Env::IO_LOW);
  writer_ = std::make_unique<WritableFileWriter>(
      std::move(to), ToName(), options, ioptions.clock, tracer, ioptions.stats,
      Histograms::SST_WRITE_MICROS, ioptions.listeners,
      ioptions.file_checksum_gen_factory.get());
  buffer_.reset(new char[kBufferBytes]);
  return s;
}

Status RelocationJob::CopyStep(uint64_t bytes_per_sec) {
  assert(!copied());
  if (writer_ == nullptr) {
    const Status s = Open();
    if (!s.ok()) {
      return s;
    }
    TEST_SYNC_POINT("HotRap::RelocationJob::Opened");
    TEST_KILL_RANDOM("RelocationJob::Opened:0");
  }
  const auto rate = static_cast<int64_t>(
      std::clamp<uint64_t>(bytes_per_sec, kLeastBytesPerSec,
                           std::numeric_limits<int64_t>::max() / 1000000));
  if (limiter_ == nullptr) {
    limiter_.reset(NewGenericRateLimiter(rate));
  } else if (limiter_->GetBytesPerSecond() != rate) {
    limiter_->SetBytesPerSecond(rate);
  }
  const uint64_t bytes =
      std::min({left_bytes_, static_cast<uint64_t>(kBufferBytes),
                static_cast<uint64_t>(limiter_->GetSingleBurstBytes())});
  limiter_->Request(static_cast<int64_t>(bytes), Env::IO_LOW,
                    /*stats=*/nullptr, RateLimiter::OpType::kWrite);
  Slice data;
  Status s = reader_->Read(bytes, &data, buffer_.get(), Env::IO_LOW);
  if (s.ok() && data.size() != bytes) {
    s = Status::Corruption("the file is shorter than the MANIFEST says",
                           reader_->file_name());
  }
  if (s.ok()) {
    s = writer_->Append(CopyOptions(), data);
  }
  if (s.ok()) {
    left_bytes_ -= bytes;
  }
  TEST_SYNC_POINT("HotRap::RelocationJob::Copied");
  return s;
}

Status RelocationJob::SyncAndVerify() {
  assert(copied());
  Status s;
  FileOptions file_options;
  MutableCFOptions options;
  FSDirectory* directory = nullptr;
  {
    InstrumentedMutexLock lock(db_->mutex());
    file_options = access_.file_options();
    options = cfd_->GetLatestMutableCFOptions();
    directory = access_.DataDir(cfd_, to_path_id_);
  }
  if (writer_ != nullptr) {
    reader_.reset();
    s = writer_->Sync(CopyOptions(), cfd_->ioptions().use_fsync);
    if (s.ok()) {
      s = writer_->Close(CopyOptions());
    }
    if (s.ok() &&
        meta_.file_checksum_func_name == writer_->GetFileChecksumFuncName()) {
      if (meta_.file_checksum != writer_->GetFileChecksum()) {
        s = Status::Corruption("checksum mismatch in the copy", ToName());
      }
    }
    writer_.reset();
  }
  if (s.ok() && directory != nullptr) {
    s = directory->FsyncWithDirOptions(
        IOOptions(), nullptr,
        DirFsyncOptions(DirFsyncOptions::FsyncReason::kNewFileSynced));
  }
  if (s.ok()) {
    s = cfd_->table_cache()->GetTableProperties(file_options, ReadOptions(),
                                                cfd_->internal_comparator(),
                                                meta_, &properties_, options);
  }
  TEST_SYNC_POINT("HotRap::RelocationJob::Synced");
  TEST_KILL_RANDOM("RelocationJob::Synced:0");
  return s;
}

Status RelocationJob::CheckInstall() const {
  db_->mutex()->AssertHeld();
  if (state_->jobs().stopped() || access_.work().shutting_down()) {
    return Status::ShutdownInProgress();
  }
  if (!holds_table() || cfd_->IsDropped() ||
      access_.work().background_work_stopped()) {
    return Status::Aborted();
  }
  // Whoever paused background work relies on levels that do not change. An
  // ingestion that replaces a range may have chosen the table already.
  if (access_.work().paused() || access_.work().ingestion_runs() ||
      state_->fences().level_changes()) {
    return Status::TryAgain();
  }
  const auto location =
      cfd_->current()->storage_info()->GetFileLocation(table_.number);
  return location.IsValid() && location.GetLevel() == table_.level
             ? Status::OK()
             : Status::Aborted("the table is gone");
}

Status RelocationJob::Install() {
  SuperVersionContext sv_context(/*create_superversion=*/true);
  Status s;
  {
    InstrumentedMutexLock lock(db_->mutex());
    s = CheckInstall();
    if (s.ok()) {
      edit_.Clear();
      edit_.SetColumnFamily(cfd_->GetID());
      edit_.DeleteFile(table_.level, table_.number);
      edit_.AddFile(table_.level, meta_);
      edit_in_force_ = &edit_;
      TEST_SYNC_POINT("HotRap::RelocationJob::Install");
      s = access_.versions()->LogAndApply(cfd_, ReadOptions(), WriteOptions(),
                                          &edit_, db_->mutex(),
                                          access_.DbDir());
      TEST_KILL_RANDOM("RelocationJob::Installed:0");
      edit_in_force_ = nullptr;
      if (s.ok()) {
        file_exists_ = false;  // the version owns it now
        // Count under the mutex, so that whoever sees the version sees these.
        state_->stats().Count(HotRapCounter::kRelocatedTables, 1);
        state_->stats().Count(HotRapCounter::kRelocatedBytes,
                              meta_.fd.GetFileSize());
        Release();
        access_.files().InstallSuperVersion(cfd_, &sv_context);
      } else if (!access_.versions()->io_status().ok()) {
        // As after a failed flush, it is unknown whether the edit is in the
        // MANIFEST, so the file must stay.
        file_exists_ = false;
        access_.work().SetManifestError();
      }
      access_.work().SignalBackgroundWork();
    }
  }
  sv_context.Clean();
  if (!s.ok()) {
    return s;
  }
  const ImmutableOptions& ioptions = cfd_->ioptions();
  ROCKS_LOG_INFO(ioptions.logger,
                 "[%s] [JOB %d] HotRAP moved table #%" PRIu64
                 " of level %d, %" PRIu64 " bytes, to path %" PRIu32
                 " as #%" PRIu64,
                 cfd_->GetName().c_str(), job_id_, table_.number, table_.level,
                 meta_.fd.GetFileSize(), to_path_id_, meta_.fd.GetNumber());
  if (FileManager(*cfd_) != nullptr) {
    FileManager(*cfd_)->OnAddFile(ToName()).PermitUncheckedError();
  }
  NotifyEnd(s);
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
