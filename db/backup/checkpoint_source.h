//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A DB as a checkpoint or a backup sees it: with RALT's files among its live
// files, and for a checkpoint with a file system that takes each file to the
// folder where it belongs. A DB whose files all lie in its own folder is passed
// on as it is.
//
// Thread safety: one object for each checkpoint or backup. The DB that it shows
// may be used as the DB itself.

#pragma once

#include <memory>
#include <string>

#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

class DBImpl;

class CheckpointSource {
 public:
  enum class Links {
    // LinkFile() returns NotSupported where files cannot be linked.
    kOnly,
    // LinkFile() copies a file that cannot be linked, so that RocksDB goes on
    // with links for the others.
    kOrCopies,
  };

  // For a checkpoint in `folder`.
  CheckpointSource(DB* db, const std::string& folder,
                   Links links = Links::kOnly);
  // For a backup.
  explicit CheckpointSource(DB* db);
  // Removes what was made for the time of copying.
  ~CheckpointSource();
  CheckpointSource(const CheckpointSource&) = delete;
  CheckpointSource& operator=(const CheckpointSource&) = delete;

  // Valid as long as this object. `db` itself where there is nothing to do.
  DB* db() const { return view_ == nullptr ? db_ : view_.get(); }

 private:
  DB* const db_;
  std::unique_ptr<DB> view_;
};

}  // namespace ROCKSDB_NAMESPACE
