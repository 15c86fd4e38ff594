//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What RocksDB's code calls, apart from reads (hotrap_read.h). Each call is
// one line of one patch; everything behind it is ours.
//
// All of it does nothing in a column family that has HotRAP off.

#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "db/compaction/compaction_iterator.h"
#include "rocksdb/hotrap.h"
#include "util/autovector.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class CompactionState;
class DBImpl;
class EventLogger;
class FileSystem;
class FSDirectory;
class HotRapTier;
class IOTracer;
class Version;
class VersionEdit;
class VersionSet;
struct FileOptions;
struct MutableDBOptions;
struct SuperVersionContext;

// A friend of DBImpl. REQUIRES, unless said otherwise: DB mutex held.
class HotRapHooks {
 public:
  // The column family got a new SuperVersion: at DB::Open, when it is created,
  // and at every change since. Takes over changed options.
  static void OnSuperVersionInstalled(DBImpl* db, ColumnFamilyData* cfd);

  // `next` is about to become the current version through `edits`, which may
  // speak of other column families too.
  static void BeforeVersionInstall(const autovector<VersionEdit*>& edits,
                                   Version* next);

  // An ingestion has announced itself (num_running_ingest_file_) and will
  // choose levels by the current version, or background work is being paused
  // (bg_compaction_paused_): waits until no promotion is on its way into the
  // next version. None begins to be after that. Releases the mutex meanwhile.
  static void WaitForInstalls(DBImpl* db);

  // It goes by the SuperVersion too, which lags behind the current version
  // where another column family's writer of the MANIFEST has written this
  // one's edit as well: it would put a file below what is older. A race of
  // stock RocksDB, which HotRAP's edits make likelier. Waits until none lags,
  // or for a second or so. Releases the mutex meanwhile.
  static void WaitForSuperVersions(DBImpl* db);

  // CompactFiles() is about to choose its inputs: waits until no ingestion has
  // chosen a level and is not installed yet. Over several slow levels it
  // would lift what is old past that file. What is being relocated is given
  // back, it could not be compacted. Releases the mutex meanwhile.
  static void WaitForIngestions(DBImpl* db, ColumnFamilyData* cfd);

  // The DB closes: ends HotRAP's jobs. Releases the mutex meanwhile.
  static void StopJobs(DBImpl* db);

  // All background work has ended, the compactions too, which ask RALT until
  // they do: writes RALT out, and waits for those of dropped column families.
  // Releases the mutex meanwhile.
  static void CloseRalt(DBImpl* db);

  // ---- For CompactionIterator, whose `compaction` may be nullptr. They need
  // no mutex ----

  // Whether the record that the compaction meets may be a promoted copy of one
  // further down: then a SingleDelete that ends it must go on to end the
  // original too.
  static bool MayBePromotedCopy(
      const CompactionIterator::CompactionProxy* compaction,
      const Slice& user_key, SequenceNumber seq);

  // Whether the compaction filter must not be asked about the record, because
  // it may be a copy or have one above (CompactionCopies, invariant 1).
  // `level_ptrs` as in Compaction::KeyNotExistsBeyondOutputLevel().
  static bool HidesFromFilter(
      const CompactionIterator::CompactionProxy* compaction,
      const ParsedInternalKey& ikey, std::vector<size_t>* level_ptrs);

  // Whether the filter must not have all records in [start, end) skipped, for
  // the same reason.
  static bool HidesRangeFromFilter(
      const CompactionIterator::CompactionProxy* compaction, const Slice& start,
      const Slice& end);

  // While it lives, no compaction begins to promote, nor to install what it
  // promotes: somebody deletes files of the slow tier without a compaction.
  // What is being installed already comes before that in the MANIFEST, and
  // stays. No table is being relocated when it begins; that is all it waits
  // for, as a compaction may wait for its caller. REQUIRES: DB mutex held, at
  // both ends.
  class NoPromotionByCompaction {
   public:
    NoPromotionByCompaction(DBImpl* db, ColumnFamilyData* cfd);
    ~NoPromotionByCompaction();
    NoPromotionByCompaction(const NoPromotionByCompaction&) = delete;
    NoPromotionByCompaction& operator=(const NoPromotionByCompaction&) = delete;

   private:
    HotRapTier* const tier_;
  };

  // While it lives, if `changes_level`, no compaction retains: CompactRange
  // will move what has reached its last level to another one, and the levels
  // between have to be empty. REQUIRES: DB mutex not held, at both ends.
  class NoRetention {
   public:
    NoRetention(DBImpl* db, ColumnFamilyData* cfd, bool changes_level);
    ~NoRetention();
    NoRetention(const NoRetention&) = delete;
    NoRetention& operator=(const NoRetention&) = delete;

   private:
    HotRapTier* tier_ = nullptr;
  };

  // DestroyDB: removes every RALT folder from a path. Needs no mutex.
  static void DestroyFolders(const std::string& path, FileSystem* fs);

  // ---- For our own code: the parts of DBImpl that it needs ---------------

  static void SignalBackgroundWork(DBImpl* db);
  // Until something is signalled. REQUIRES: DB mutex held.
  static void AwaitBackgroundWork(DBImpl* db);
  // Whether an ingestion may have chosen a level and is not installed yet.
  // REQUIRES: DB mutex held.
  static bool IngestionRuns(const DBImpl* db);
  static int& Orphans(DBImpl* db);
  // A table is free again that compactions were kept from.
  static void CompactAgain(DBImpl* db, ColumnFamilyData* cfd);
  // Deletes what a compaction has written and no version will have: from the
  // table cache too, and with the SstFileManager and the listeners told.
  // REQUIRES: DB mutex not held, the files' numbers pending.
  static void DeleteOutputs(DBImpl* db, int job_id,
                            CompactionState* compaction);
  // By their ids, also those that were dropped while somebody refers to them.
  // REQUIRES: DB mutex not held
  static std::unordered_set<uint64_t> ColumnFamiliesInUse(DBImpl* db);
  static std::string DbId(DBImpl* db);

  // What a relocation needs of DBImpl; in relocation_job.cc.
  class DbParts {
   public:
    explicit DbParts(DBImpl* db) : db_(db) {}
    VersionSet* versions() const;
    const FileOptions& file_options() const;
    const FileOptions& file_options_for_compaction() const;
    const std::shared_ptr<IOTracer>& io_tracer() const;
    EventLogger* event_logger() const;
    const std::string& name() const;
    int NextJobId() const;
    bool shutting_down() const;
    // REQUIRES: DB mutex held
    const MutableDBOptions& mutable_options() const;
    FSDirectory* DataDir(ColumnFamilyData* cfd, uint32_t path_id) const;
    FSDirectory* DbDir() const;
    std::unique_ptr<std::list<uint64_t>::iterator> CapturePendingOutput() const;
    void ReleasePendingOutput(
        std::unique_ptr<std::list<uint64_t>::iterator>& output) const;
    bool paused() const;
    bool background_work_stopped() const;
    bool writes_wait() const;
    bool manual_compaction_waits() const;
    void InstallSuperVersion(ColumnFamilyData* cfd,
                             SuperVersionContext* context) const;
    void SetManifestError() const;
    // REQUIRES: DB mutex not held
    void DeleteObsoleteFiles() const;

   private:
    DBImpl* const db_;
  };

 private:
  class PinnedTiers;
};

}  // namespace ROCKSDB_NAMESPACE
