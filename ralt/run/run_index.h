//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The in-memory index of a run: for each block its first key, its offset, and
// the hot bytes before it.
//
// Thread safety: constant once built or decoded.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access/key_order.h"
#include "plugin/hotrap/ralt/run/format.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RunIndex {
 public:
  // Appends a block.
  void Add(const Slice& first_key, uint64_t block_bytes, uint64_t hot_bytes);

  void EncodeTo(std::string* dst) const;
  // Returns false on malformed bytes, keys out of order, or blocks that do not
  // add up to `data_bytes`.
  bool DecodeFrom(Slice input, uint64_t data_bytes, const KeyOrder& order);

  size_t blocks() const { return key_ends_.size(); }
  Slice first_key(size_t block) const {
    const uint32_t begin = block == 0 ? 0 : key_ends_[block - 1];
    return Slice(keys_.data() + begin, key_ends_[block] - begin);
  }
  // offset(blocks()) is the end of the data.
  uint64_t offset(size_t block) const { return offsets_[block]; }
  uint64_t bytes(size_t block) const {
    return offsets_[block + 1] - offsets_[block];
  }
  // Hot bytes in all blocks before this one.
  uint64_t hot_bytes_before(size_t block) const { return hot_before_[block]; }

  // Returns the block that would hold the key: the last one whose first key is
  // <= key, or 0.
  size_t FindBlock(const Slice& key, const KeyOrder& order) const;
  // Returns the first block whose first key is >= key, or blocks().
  size_t FirstBlockFrom(const Slice& key, const KeyOrder& order) const;

  uint64_t MemoryBytes() const;

 private:
  std::string keys_;
  std::vector<uint32_t> key_ends_;
  std::vector<uint64_t> offsets_{0};
  std::vector<uint64_t> hot_before_{0};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
