//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// For RocksDB's Checkpoint, CheckpointEngine and BackupEngine: copies of a DB
// whose tables lie in several folders.

#pragma once

#include <cstdint>
#include <string>

#include "plugin/hotrap/db/backup/checkpoint_source.h"
#include "rocksdb/status.h"
#include "utilities/checkpoint/checkpoint_impl.h"

namespace ROCKSDB_NAMESPACE {

// What Checkpoint::Create() makes.
//
// Thread safety: any thread, as for RocksDB's Checkpoint.
class HotRapCheckpoint : public CheckpointImpl {
 public:
  // CreateCustomCheckpoint() hands each file on with its own folder, and those
  // whom it calls take files from several.
  static constexpr bool kTakesSeveralFolders = true;

  explicit HotRapCheckpoint(DB* db) : CheckpointImpl(db), db_(db) {}

  Status CreateCheckpoint(const std::string& checkpoint_dir,
                          uint64_t log_size_for_flush,
                          uint64_t* sequence_number_ptr) override {
    CheckpointSource source(db_, checkpoint_dir,
                            CheckpointSource::Links::kOrCopies);
    return CheckpointImpl(source.db())
        .CheckpointImpl::CreateCheckpoint(checkpoint_dir, log_size_for_flush,
                                          sequence_number_ptr);
  }

 private:
  DB* const db_;
};

}  // namespace ROCKSDB_NAMESPACE
