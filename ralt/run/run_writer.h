//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "file/writable_file_writer.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "plugin/hotrap/ralt/run/run_env.h"
#include "plugin/hotrap/ralt/run/run_index.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Writes one run file. Without Finish() an incomplete file remains, which the
// caller has to delete. Not thread-safe.
class RunWriter {
 public:
  // `env` must outlive the writer. No record may be newer than `written_at`.
  // `above` is the last key of the previous run in the same level, or empty.
  RunWriter(const RunEnv& env, uint64_t file_number, LogicalTime written_at,
            std::string above = std::string());

  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  Status Open();

  // Adds a record; `key_hash` is RunFilter::HashKey of its key. REQUIRES: keys
  // in ascending order.
  Status Add(const AccessRecord& record, uint64_t key_hash);

  // Writes filter, index, properties and footer, then syncs and closes the
  // file. Does not sync the folder. `below` is the first key that may be in the
  // next run of the level, or nullptr. REQUIRES: at least one record.
  Status Finish(const Slice* below = nullptr);

  uint64_t records() const { return properties_.records; }
  // Bytes of the data blocks written so far and of the one being filled.
  uint64_t data_bytes() const { return properties_.data_bytes + block_.size(); }
  // The key of the last record. REQUIRES: at least one record.
  const std::string& last_key() const { return previous_key_; }
  // After Finish(): the size of the file, and of the part after the data.
  uint64_t file_bytes() const { return file_bytes_; }
  uint64_t tail_bytes() const { return file_bytes_ - properties_.data_bytes; }

 private:
  // Returns the key that the index stores as the first key of a block.
  std::string BoundOf(const Slice& first_key) const;
  bool BlockIsFull() const;
  bool MayBeginBlock(const std::string& bound) const;
  // Replaces long bounds of the run by shorter keys.
  void ShortenBounds(const Slice* below);
  Status FlushBlock();
  Status Append(const std::string& bytes);

  const RunEnv& env_;
  const IOOptions io_;
  const std::string above_;
  std::unique_ptr<WritableFileWriter> file_;
  RunProperties properties_;
  RunIndex index_;
  std::vector<uint64_t> filter_entries_;
  uint64_t file_bytes_ = 0;

  // The block being filled.
  std::string block_;
  std::string block_bound_;
  uint64_t block_hot_bytes_ = 0;
  std::string previous_key_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
