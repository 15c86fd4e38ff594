//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The functions that RocksDB's patched code calls, apart from reads
// (hotrap_read.h). Each call is one line of a patch; all logic is in our files.
//
// Everything here does nothing in a column family with HotRAP off.

#pragma once

#include <string>
#include <vector>

#include "db/compaction/compaction_iterator.h"
#include "rocksdb/hotrap.h"
#include "util/autovector.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class FileSystem;
class HotRapTier;
struct CompactRangeOptions;
struct IngestExternalFileArg;
class Version;
class VersionEdit;

// A friend of DBImpl. REQUIRES, unless a comment says otherwise: DB mutex held.
class HotRapHooks {
 public:
  // The column family got a new SuperVersion: at DB::Open, when it was created,
  // or later. Applies changed options.
  static void OnSuperVersionInstalled(DBImpl* db, ColumnFamilyData* cfd);

  // `next` is about to become the current version through `edits`, which may
  // include edits of other column families.
  static void BeforeVersionInstall(const autovector<VersionEdit*>& edits,
                                   Version* next);

  // Background work is being paused (bg_compaction_paused_). Waits until no
  // promotion is being installed; no further one starts until the caller is
  // done. Releases the mutex while it waits.
  static void WaitForInstalls(DBImpl* db);

  // The same for an ingestion that has announced itself
  // (num_running_ingest_file_) and will choose levels by the current version.
  // If it replaces a range, it would refuse to work beside the relocation of a
  // table of L0, which is registered as a compaction. So relocation gives its
  // table back first.
  static void BeginIngestion(DBImpl* db,
                             const std::vector<IngestExternalFileArg>& args);

  // An ingestion also reads the SuperVersion. It lags behind the current
  // version if another column family's MANIFEST writer has installed this one's
  // edit as well; the ingestion would then put a file below older data. Stock
  // RocksDB has this race, and HotRAP's edits make it more likely. Waits until
  // no SuperVersion lags, for about a second at most. Releases the mutex while
  // it waits.
  static void WaitForSuperVersions(DBImpl* db);

  // CompactFiles() is about to choose its inputs. Waits until every ingestion
  // that has chosen a level is installed, because a compaction over several
  // slow levels could lift older data above the ingested file. Also takes
  // tables back from relocation, since they could not be compacted. Releases
  // the mutex while it waits.
  static void WaitForIngestions(DBImpl* db, ColumnFamilyData* cfd);

  // The DB closes: ends HotRAP's jobs. Releases the mutex while it waits.
  static void StopJobs(DBImpl* db);

  // All background work has ended, including the compactions, which query RALT.
  // Flushes and closes RALT, and waits until the RALTs of dropped column
  // families are torn down. Releases the mutex while it waits.
  static void CloseRalt(DBImpl* db);

  // ---- For CompactionIterator, whose `compaction` may be nullptr. They need
  // no mutex ----

  // Returns whether a record of the compaction may be a promoted copy of one
  // further down. If so, a SingleDelete that cancels it must be kept to cancel
  // the original too.
  static bool MayBePromotedCopy(
      const CompactionIterator::CompactionProxy* compaction,
      const Slice& user_key, SequenceNumber seq);

  // Returns whether the compaction filter must not see the record, because it
  // may be a copy or have one above (CompactionCopies, invariant 1).
  // `level_ptrs` is as in Compaction::KeyNotExistsBeyondOutputLevel().
  static bool HidesFromFilter(
      const CompactionIterator::CompactionProxy* compaction,
      const ParsedInternalKey& ikey, std::vector<size_t>* level_ptrs);

  // Returns whether the filter must not skip all records in [start, end), for
  // the same reason.
  static bool HidesRangeFromFilter(
      const CompactionIterator::CompactionProxy* compaction, const Slice& start,
      const Slice& end);

  // While an object of this class lives, no compaction starts to promote, and
  // none that promotes starts to install. For callers that delete files of the
  // slow tier without a compaction. A result that is already being installed
  // precedes the deletion in the MANIFEST and stays valid. The constructor
  // waits only until no table is being relocated; it does not wait for
  // compactions, since one may be waiting for the caller.
  // REQUIRES: DB mutex held, in constructor and destructor.
  class NoPromotionByCompaction {
   public:
    NoPromotionByCompaction(DBImpl* db, ColumnFamilyData* cfd);
    ~NoPromotionByCompaction();
    NoPromotionByCompaction(const NoPromotionByCompaction&) = delete;
    NoPromotionByCompaction& operator=(const NoPromotionByCompaction&) = delete;

   private:
    HotRapTier* const tier_;
  };

  // While an object of this class lives, no compaction retains, if
  // `changes_level`. CompactRange will move the files of its last level to
  // another level, and the levels between must be empty.
  // REQUIRES: DB mutex not held, in constructor and destructor.
  class NoRetention {
   public:
    NoRetention(DBImpl* db, ColumnFamilyData* cfd, bool changes_level);
    ~NoRetention();
    NoRetention(const NoRetention&) = delete;
    NoRetention& operator=(const NoRetention&) = delete;

   private:
    HotRapTier* tier_ = nullptr;
  };

  // While an object of this class lives, no table is relocated, if CompactRange
  // with these options rewrites the last level by file number: it takes tables
  // that are newer than the call for its own outputs and passes over them, and
  // a relocated table is new.
  // REQUIRES: DB mutex not held, in constructor and destructor.
  class NoRelocation {
   public:
    NoRelocation(DBImpl* db, ColumnFamilyData* cfd,
                 const CompactRangeOptions& options);
    ~NoRelocation();
    NoRelocation(const NoRelocation&) = delete;
    NoRelocation& operator=(const NoRelocation&) = delete;

   private:
    HotRapTier* tier_ = nullptr;
  };

  // For DestroyDB: removes every RALT folder from a path. Needs no mutex.
  static void DestroyFolders(const std::string& path, FileSystem* fs);

 private:
  class PinnedTiers;
};

}  // namespace ROCKSDB_NAMESPACE
