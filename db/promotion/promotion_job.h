//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Promotion by flush (paper sections 3.1 and 3.4): takes the full promotion
// cache, drops records that are cold or have a newer version above the slow
// tier, and installs the rest as one file in L0.
//
// Invariant: no promoted record enters a version while a newer version of its
// key, or a range tombstone that covers it, is in a level above the slow tier
// or in a sealed memtable that is not in that version. The mutable memtable
// needs no check: reads look there first, and it will be flushed to a newer L0
// file.
//
//     seal          DB mutex     the SuperVersion S is referenced
//     cold?         no mutex     RALT; then the compaction filter, if any
//     newer?        no mutex     memtables and fast levels of S
//     publish       no mutex     with a filter: compactions no longer change
//                                these records
//     newer again   no mutex     if a memtable was sealed since: the current
//                                SuperVersion; and whose range changed
//     build         no mutex     the file, synced
//     install       DB mutex     when no other edit can come between: nothing
//                                sealed since, no record's range changed;
//                                then LogAndApply
//
// After a conflict it goes on at `newer again`, and builds the file again if
// that removed records. Dropping a record is always safe, because the slow tier
// still has it.

#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "db/version_edit.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/filtered_promotion.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/promotion/taken_records.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class PromotionPace;
class TierState;
struct SuperVersion;

// Runs in the background, at most one per column family.
class PromotionJob {
 public:
  // Both must outlive this object.
  PromotionJob(TierState* state, PromotionPace* pace);
  ~PromotionJob();
  PromotionJob(const PromotionJob&) = delete;
  PromotionJob& operator=(const PromotionJob&) = delete;

  // With `however_few`, promotes what is hot although the cache is not full, or
  // little of it is hot. Returns whether it could start. REQUIRES: DB mutex not
  // held.
  bool Run(bool however_few = false);

 private:
  // Seals the cache and references S. REQUIRES: DB mutex held.
  void Seal();

  // The steps. REQUIRES: DB mutex not held.
  void TakeHot();
  void ReturnToCache();
  void CheckAll(SuperVersion* sv);
  // Returns whether it removed records.
  bool CheckSince();
  Status Build();
  Status Install();

  // Returns whether our edit would interfere with another installation, or with
  // callers that rely on unchanged levels. REQUIRES: DB mutex held.
  bool OthersAreInstalling() const;
  // The last check. Returns OK; TryAgain if others are installing, or memtables
  // were sealed or ranges changed since the previous check; else an error.
  // REQUIRES: DB mutex held.
  Status BeforeInstall();
  // Removes the records whose ranges changed since S. Returns whether there
  // were any.
  bool DropInvalidated();
  bool AnyInvalidated() const;

  void Promote();
  void DropAll(Status reason);
  void DeleteFile();

  TierState* const state_;
  PromotionPace* const pace_;
  DBImpl* const db_;
  const DbAccess access_;
  ColumnFamilyData* const cfd_;
  int first_slow_level_ = 0;

  // From the sealing on.
  std::unique_ptr<FilteredPromotion> filtered_;
  // The candidates, in key order.
  std::vector<PromotionRecordPtr> records_;
  // All sealed records. Learns of changes that take effect after S.
  std::unique_ptr<TakenRecords> taken_;
  // taken_->num_changes() when the candidates were last cleaned of such
  // records.
  uint64_t changes_seen_ = 0;
  // The ID of the mutable memtable at the last check. All memtables before it
  // have been checked.
  uint64_t checked_memtable_id_ = 0;
  SuperVersion* sv_ = nullptr;
  // Protects the file from the deletion of obsolete files.
  std::unique_ptr<std::list<uint64_t>::iterator> pending_output_;

  FileMetaData meta_;
  VersionEdit edit_;
  bool file_exists_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
