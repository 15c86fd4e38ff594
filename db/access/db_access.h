//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The parts of DBImpl and VersionSet that HotRAP uses beside their public ones.
// A friend of both, and the only one: what is not listed here stays RocksDB's
// own business.

#pragma once

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <string>
#include <unordered_set>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "rocksdb/status.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

class CompactionState;

class DbAccess {
 public:
  explicit DbAccess(DBImpl* db) : db_(db) {}

  class Work;
  class Files;
  Work work() const;
  Files files() const;

  // Makes the next edit start a new MANIFEST, which is what follows a recovery
  // unless `reuse_manifest_on_open` is set. REQUIRES: nothing was written since
  // the recovery of `versions`.
  static void StartNewManifest(VersionSet* versions) {
    versions->descriptor_log_.reset();
  }

  // ---- Any thread, with or without the DB mutex ----------------------------

  VersionSet* versions() const { return db_->versions_.get(); }
  const ImmutableDBOptions& immutable_options() const {
    return db_->immutable_db_options_;
  }
  const FileOptions& file_options() const { return db_->file_options_; }
  const std::shared_ptr<IOTracer>& io_tracer() const { return db_->io_tracer_; }
  EventLogger* event_logger() const { return &db_->event_logger_; }
  const std::string& name() const { return db_->dbname_; }
  const std::string& db_id() const { return db_->db_id_; }
  const std::string& db_session_id() const { return db_->db_session_id_; }
  int NextJobId() const { return db_->next_job_id_.fetch_add(1); }

  // ---- REQUIRES: DB mutex held ---------------------------------------------

  const MutableDBOptions& mutable_options() const {
    return db_->mutable_db_options_;
  }
  const FileOptions& file_options_for_compaction() const {
    return db_->file_options_for_compaction_;
  }
  FSDirectory* DataDir(ColumnFamilyData* cfd, uint32_t path_id) const {
    return db_->GetDataDir(cfd, path_id);
  }
  FSDirectory* DbDir() const { return db_->directories_.GetDbDir(); }
  // Whether obsolete files stay, as while a backup copies files.
  bool deletions_disabled() const { return !db_->IsFileDeletionsEnabled(); }
  // Whether DB::Open() is over.
  bool is_open() const { return db_->opened_successfully_; }
  // False where recovery has failed.
  bool has_default_column_family() const {
    return db_->default_cf_handle_ != nullptr;
  }

 private:
  DBImpl* const db_;
};

// What runs in the background and what waits for it.
class DbAccess::Work {
 public:
  explicit Work(DBImpl* db) : db_(db) {}

  bool shutting_down() const {
    return db_->shutting_down_.load(std::memory_order_acquire);
  }

  // ---- REQUIRES: DB mutex held ---------------------------------------------

  // PauseBackgroundWork(), or what waits for compactions to end; or
  // AbortAllCompactions(), after which nothing empties L0.
  bool paused() const {
    db_->mutex()->AssertHeld();
#if ROCKSDB_MAJOR >= 11
    if (db_->compaction_aborted_.load() > 0) {
      return true;
    }
#endif
    return db_->bg_work_paused_ > 0 || db_->bg_compaction_paused_ > 0;
  }
  // After an error.
  bool background_work_stopped() const {
    db_->mutex()->AssertHeld();
    return db_->error_handler_.IsBGWorkStopped();
  }
  bool writes_wait() const {
    db_->mutex()->AssertHeld();
    return db_->write_controller_.IsStopped() ||
           db_->write_controller_.NeedsDelay();
  }
  WriteController* write_controller() const { return &db_->write_controller_; }
  bool manual_compaction_waits() const {
    db_->mutex()->AssertHeld();
    return !db_->manual_compaction_dequeue_.empty();
  }
  // The same for one that has to wait, in the column family or for the whole
  // DB.
  bool manual_compaction_waits(ColumnFamilyData* cfd) const {
    db_->mutex()->AssertHeld();
    return db_->HaveManualCompaction(cfd);
  }
  // Whether one that runs in the column family, or waits to, was cancelled.
  bool manual_compaction_canceled(const ColumnFamilyData* cfd) const {
    db_->mutex()->AssertHeld();
    return std::any_of(db_->manual_compaction_dequeue_.begin(),
                       db_->manual_compaction_dequeue_.end(),
                       [&](const auto* manual) {
                         return manual->cfd == cfd && manual->canceled.load();
                       });
  }
  // Whether an ingestion may have chosen a level and is not installed yet.
  bool ingestion_runs() const {
    db_->mutex()->AssertHeld();
    return db_->num_running_ingest_file_ > 0;
  }
  // Whether somebody writes the MANIFEST, or waits to.
  bool manifest_is_busy() const {
    db_->mutex()->AssertHeld();
    return !db_->versions_->manifest_writers_.empty();
  }

  void SignalBackgroundWork() const { db_->bg_cv_.SignalAll(); }
  // Until something is signalled.
  void AwaitBackgroundWork() const { db_->bg_cv_.Wait(); }

  // The MANIFEST could not be written, as VersionSet's io_status() says.
  void SetManifestError() const;
  // While the DB opens: after a disk was full, it will go on by itself once
  // there is room, also over the paths of `cfd`.
  void ResumeWithRoom(ColumnFamilyData* cfd) const;
  // A table is free again that compactions were kept from.
  void CompactAgain(ColumnFamilyData* cfd) const;
  // The RALTs of dropped column families that are still open.
  int orphans() const;
  void AddOrphan() const;
  void RemoveOrphan() const;

 private:
  DBImpl* const db_;
};

// Which files and versions are in use.
class DbAccess::Files {
 public:
  using PendingOutput = std::unique_ptr<std::list<uint64_t>::iterator>;

  explicit Files(DBImpl* db) : db_(db) {}

  // ---- REQUIRES: DB mutex held ---------------------------------------------

  // Files with higher numbers than the next one are not obsolete until it is
  // released.
  PendingOutput CapturePendingOutput() const {
    return std::make_unique<std::list<uint64_t>::iterator>(
        db_->CaptureCurrentFileNumberInPendingOutputs());
  }
  void ReleasePendingOutput(PendingOutput& output) const {
    db_->ReleaseFileNumberFromPendingOutputs(output);
  }

  // A file of this number that no version has is not obsolete, whatever scans
  // find. Other than a pending output it keeps no other file.
  void ShieldFromPurge(uint64_t number) const {
    db_->MarkAsGrabbedForPurge(number);
  }
  void EndShield(uint64_t number) const {
    db_->files_grabbed_for_purge_.erase(number);
  }

  void InstallSuperVersion(ColumnFamilyData* cfd,
                           SuperVersionContext* context) const {
    db_->InstallSuperVersionAndScheduleWork(cfd, context);
  }

  // ---- REQUIRES: DB mutex not held -----------------------------------------

  void ReleaseSuperVersion(SuperVersion* sv) const {
    db_->CleanupSuperVersion(sv);
  }
  void DeleteObsoleteFiles() const;
  // Deletes what a compaction has written and no version will have: from the
  // table cache too, and with the SstFileManager and the listeners told.
  // REQUIRES: the files' numbers pending
  void DeleteOutputs(int job_id, CompactionState* compaction) const;
  // By their ids, also those that were dropped while somebody refers to them.
  std::unordered_set<uint64_t> ColumnFamiliesInUse() const;

 private:
  DBImpl* const db_;
};

inline DbAccess::Work DbAccess::work() const { return Work(db_); }
inline DbAccess::Files DbAccess::files() const { return Files(db_); }

}  // namespace ROCKSDB_NAMESPACE
