//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdint>
#include <vector>

#include "plugin/hotrap/ralt/access/access_buffer.h"
#include "plugin/hotrap/ralt/access/key_order.h"
#include "plugin/hotrap/ralt/access/record_cursor.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Sorts sealed accesses and iterates over them, merging the accesses to one key
// into one record. Not thread-safe.
class BufferCursor : public RecordCursor {
 public:
  // `sealed` and `scoring` must outlive the cursor.
  BufferCursor(const SealedAccesses& sealed, const KeyOrder& order,
               const Scoring& scoring, LogicalTime now);

  bool Valid() const override { return start_ < accesses_.size(); }
  void SeekToFirst() override;
  void Next() override;
  const AccessRecord& record() const override { return record_; }
  // The accesses that record() is made of: the sum of their weights. REQUIRES:
  // Valid()
  uint64_t weight() const {
    uint64_t sum = 0;
    for (size_t i = start_; i < end_; ++i) {
      sum += accesses_[i].weight;
    }
    return sum;
  }
  Status status() const override { return Status::OK(); }

 private:
  struct Access {
    // The key's first bytes after the prefix that all keys share, as a number.
    // Decides most comparisons without reading the key.
    uint64_t sort_prefix;
    const char* key_data;
    uint64_t value_bytes;
    uint64_t tick;
    uint32_t key_size;
    uint32_t weight;

    Slice key() const { return Slice(key_data, key_size); }
  };

  void Collect(const SealedAccesses& sealed);
  void Sort();
  void SetSortPrefixes();
  // Merges the accesses to the key at `start` into record_.
  void FoldAt(size_t start);

  const KeyOrder order_;
  const Scoring& scoring_;
  const LogicalTime now_;
  std::vector<Access> accesses_;
  // record_ consists of the accesses [start_, end_).
  size_t start_ = 0;
  size_t end_ = 0;
  AccessRecord record_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
