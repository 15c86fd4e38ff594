//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keeps HotRAP's background work and RocksDB's operations from changing the
// same levels at once: RocksDB waits for HotRAP, or holds it back. Everything
// here does nothing in a column family with HotRAP off.

#pragma once

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class HotRapTier;
struct CompactRangeOptions;

class HotRapFences {
 public:
  // ---- Wait. REQUIRES: DB mutex held ----

  // Background work is being paused (bg_compaction_paused_). Waits until no
  // promotion is being installed; no further one starts until the caller is
  // done. Releases the mutex while it waits.
  static void WaitForInstalls(DBImpl* db);

  // The same for an ingestion that has announced itself
  // (num_running_ingest_file_) and will choose levels by the current version.
  // One that replaces a range would refuse to work beside the relocation of a
  // table of L0, which is registered as a compaction. So relocation gives its
  // table back first, in column families that have ever had such an ingestion.
  static void BeginIngestion(DBImpl* db);

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

  // ---- Hold back ----

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
};

}  // namespace ROCKSDB_NAMESPACE
