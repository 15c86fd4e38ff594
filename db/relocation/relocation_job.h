//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Moves one table to the tier of its level: copies the file to the other path
// under a new number, and installs one edit that deletes the old file and adds
// the copy, with all other metadata unchanged.
//
//     take      DB mutex     no compaction takes the table from here on
//     copy      no mutex     in steps; file and directory are synced
//     verify    no mutex     the copy opens, its checksum is the one on record
//     install   DB mutex     if the table is still where it was
//
// The table is marked as being compacted, but its key range is not reserved, so
// that compactions and ingestions beside it are not blocked. Only in L0, where
// RocksDB runs one compaction at a time, does it count as a compaction.
//
// Until the edit is in the MANIFEST, no version refers to the copy. If the
// process is killed, recovery deletes the file, like the output of an
// unfinished compaction.

#pragma once

#include <memory>
#include <string>

#include "db/version_edit.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/relocation/relocation_picker.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Compaction;
class SequentialFileReader;
class TierState;
class WritableFileWriter;

// Used by one thread at a time, except for what the DB mutex protects.
class RelocationJob {
 public:
  // `state` must outlive this object.
  RelocationJob(TierState* state, const RelocationTable& table,
                uint32_t to_path_id);
  // Deletes the copy if it was not installed. REQUIRES: DB mutex not held, the
  // table released.
  ~RelocationJob();
  RelocationJob(const RelocationJob&) = delete;
  RelocationJob& operator=(const RelocationJob&) = delete;

  // ---- REQUIRES: DB mutex held -------------------------------------------

  // Takes the table. Returns false if somebody else has it, it no longer
  // exists, or the SstFileManager has no room for a copy.
  bool Take();
  // Gives the table back and wakes whoever waits for it.
  void Release();
  bool holds_table() const { return compaction_ != nullptr; }
  // The edit while it is being installed, else nullptr.
  const VersionEdit* edit_in_force() const { return edit_in_force_; }

  // ---- REQUIRES: DB mutex not held, the table taken ----------------------

  // Copies the next bytes, at `bytes_per_sec`, or 10 if that is less. Takes
  // about 0.1 s at most.
  Status CopyStep(uint64_t bytes_per_sec);
  bool copied() const { return left_bytes_ == 0; }
  // REQUIRES: copied()
  Status SyncAndVerify();
  // Installs the edit. Returns TryAgain if that is not possible now. REQUIRES:
  // SyncAndVerify() returned OK.
  Status Install();

  const RelocationTable& table() const { return table_; }
  bool goes_up() const { return to_path_id_ == 0; }

 private:
  Status Open();
  Status CheckInstall() const;
  std::string ToName() const;
  // Notify listeners, as for any table that is written: of the start, then
  // exactly once of the end.
  void NotifyStart();
  void NotifyEnd(const Status& status);

  TierState* const state_;
  DBImpl* const db_;
  const DbAccess access_;
  ColumnFamilyData* const cfd_;
  const RelocationTable table_;
  const uint32_t to_path_id_;

  // Protected by the DB mutex.
  std::unique_ptr<Compaction> compaction_;
  const VersionEdit* edit_in_force_ = nullptr;

  FileMetaData meta_;
  VersionEdit edit_;
  std::unique_ptr<SequentialFileReader> reader_;
  std::unique_ptr<WritableFileWriter> writer_;
  std::unique_ptr<char[]> buffer_;
  std::unique_ptr<RateLimiter> limiter_;
  std::shared_ptr<const TableProperties> properties_;
  uint64_t left_bytes_ = 0;
  bool file_exists_ = false;
  int job_id_ = 0;  // for the events
  bool notified_start_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
