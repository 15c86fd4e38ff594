//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A finished run file, open for reading, with its filter and index in memory.
//
// Thread safety: constant after Open, and thus safe for concurrent use.

#pragma once

#include <memory>
#include <string>

#include "file/random_access_file_reader.h"
#include "plugin/hotrap/ralt/access/record_cursor.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "plugin/hotrap/ralt/run/run_env.h"
#include "plugin/hotrap/ralt/run/run_filter.h"
#include "plugin/hotrap/ralt/run/run_index.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RunFile {
 public:
  // Reads the file's tail in one read. Returns Corruption if the file is
  // damaged, or is not the one that was written as `number` for this store.
  static Status Open(const RunEnv& env, uint64_t number, uint64_t file_bytes,
                     uint64_t tail_bytes, std::shared_ptr<RunFile>* file);

  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  uint64_t number() const { return properties_.file_number; }
  uint64_t file_bytes() const { return file_bytes_; }
  uint64_t tail_bytes() const { return file_bytes_ - properties_.data_bytes; }
  const RunProperties& properties() const { return properties_; }
  const RunIndex& index() const { return index_; }
  const RunFilter& filter() const { return filter_; }
  // Memory of the index and of the bounds.
  uint64_t IndexMemoryBytes() const {
    return index_.MemoryBytes() + properties_.smallest.capacity() +
           properties_.largest.capacity();
  }
  const RunEnv& env() const { return env_; }
  const std::string& name() const { return reader_->file_name(); }

  // Returns the hot bytes in [begin, end). Counts half of a block that the
  // range cuts, because a file of the DB may span only a few blocks. Adds to
  // *error the bytes by which the result may be wrong in either direction.
  uint64_t HotBytes(const Slice& begin, const Slice& end,
                    uint64_t* error) const;

  // Reads `bytes` bytes at `offset`. *result points into *scratch.
  Status Read(uint64_t offset, uint64_t bytes, Slice* result,
              std::string* scratch) const;

 private:
  RunFile(const RunEnv& env, std::unique_ptr<RandomAccessFileReader> reader,
          uint64_t file_bytes)
      : env_(env), reader_(std::move(reader)), file_bytes_(file_bytes) {}

  Status LoadTail(uint64_t tail_bytes);
  // Returns the hot bytes of keys below `key`, as HotBytes() counts them.
  uint64_t HotBytesBelow(const Slice& key, uint64_t* error) const;

  const RunEnv& env_;
  const std::unique_ptr<RandomAccessFileReader> reader_;
  const uint64_t file_bytes_;
  RunProperties properties_;
  RunIndex index_;
  RunFilter filter_;
};

// Iterates over one run, reading many blocks at a time. Not thread-safe.
class RunCursor : public RecordCursor {
 public:
  // `readahead_bytes` is how much one read fetches, at least one block.
  RunCursor(std::shared_ptr<const RunFile> file, uint64_t readahead_bytes)
      : file_(std::move(file)), readahead_bytes_(readahead_bytes) {}

  bool Valid() const override { return valid_; }
  void SeekToFirst() override;
  // Moves to the first record with a key >= target.
  void Seek(const Slice& target);
  void Next() override;
  const AccessRecord& record() const override { return record_; }
  Status status() const override { return status_; }

 private:
  // Makes the block current, and reads it if it was not read ahead.
  bool EnterBlock(size_t block);
  bool ReadFrom(size_t block);
  void Fail(const Status& s);

  const std::shared_ptr<const RunFile> file_;
  const uint64_t readahead_bytes_;
  // The bytes of blocks [read_begin_, read_end_).
  std::string scratch_;
  Slice read_;
  size_t read_begin_ = 0;
  size_t read_end_ = 0;

  // The current block, and the rest of it that is not decoded yet.
  size_t block_ = 0;
  Slice rest_;
  std::string key_;
  AccessRecord record_;
  bool valid_ = false;
  Status status_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
