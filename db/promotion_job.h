//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Promotion by flush (paper sections 3.1 and 3.4): takes the full promotion
// cache, drops what RALT calls cold and what has a newer version above the
// slow tier, and installs the rest as one file in L0.
//
// Invariant: no record enters a version by promotion while a newer version of
// its key, or a range tombstone that covers it, is in a level above the slow
// tier or in a sealed memtable that is not in that version. What is in the
// mutable memtable is read first and will be flushed to a newer L0 file.
//
//     seal          DB mutex     the SuperVersion S is referenced
//     cold? newer?  no mutex     RALT; memtables and fast levels of S
//     build         no mutex     the file, synced
//     newer again   no mutex     if a memtable was sealed since: the current
//                                SuperVersion, until none was sealed meanwhile
//     install       DB mutex     when no other edit can come between: nothing
//                                sealed since, no record's range changed;
//                                then LogAndApply
//
// A conflict takes the record out and the file is built anew. Dropping a
// record is always safe: the slow tier still has it.

#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "db/version_edit.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/promotion/taken_records.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class HotRapTier;
struct SuperVersion;

// Runs in the background, one at a time a column family. A friend of DBImpl.
class PromotionJob {
 public:
  explicit PromotionJob(HotRapTier* tier);
  ~PromotionJob();
  PromotionJob(const PromotionJob&) = delete;
  PromotionJob& operator=(const PromotionJob&) = delete;

  // REQUIRES: DB mutex not held.
  void Run();

  // Why nothing is promoted now; empty where something may be. For the
  // property. REQUIRES: DB mutex held.
  static const char* BlockedReason(HotRapTier* tier);

 private:
  // Why now is no time to promote by flush; empty if it is. REQUIRES: DB mutex
  // held.
  static const char* WhyNotNow(HotRapTier* tier);
  // Seals and references S. REQUIRES: DB mutex held.
  void Seal();

  // The steps, without the DB mutex.
  void TakeHot();
  void ReturnToCache();
  void CheckAll(SuperVersion* sv);
  // Whether records went.
  bool CheckSince();
  Status Build();
  Status Install();

  // Whether an edit of ours would come between. REQUIRES: DB mutex held.
  bool OthersAreInstalling() const;
  // The last check: OK, TryAgain if others install, if memtables were sealed
  // since the last look into them, or if ranges changed; else an error.
  // REQUIRES: DB mutex held.
  Status BeforeInstall();
  // Takes out the records whose ranges changed since S. Whether any went.
  bool DropInvalidated();
  bool AnyInvalidated() const;

  void Promote();
  void DropAll(Status reason);
  void DeleteFile();

  HotRapTier* const tier_;
  DBImpl* const db_;
  ColumnFamilyData* const cfd_;
  int first_slow_level_ = 0;

  // The candidates, in key order.
  std::vector<PromotionRecordPtr> records_;
  // All that were sealed; told what comes into force after S.
  std::unique_ptr<TakenRecords> taken_;
  // Of these changes, those that the candidates have been cleared of.
  uint64_t changes_seen_ = 0;
  // The mutable memtable at the last check: everything sealed before it has
  // been checked.
  uint64_t checked_memtable_id_ = 0;
  SuperVersion* sv_ = nullptr;
  // Keeps the file from those that look for orphans.
  std::unique_ptr<std::list<uint64_t>::iterator> pending_output_;

  FileMetaData meta_;
  VersionEdit edit_;
  bool file_exists_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
