//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/run/run_index.h"

#include "util/coding.h"

namespace ROCKSDB_NAMESPACE::ralt {

void RunIndex::Add(const Slice& first_key, uint64_t block_bytes,
                   uint64_t hot_bytes) {
  keys_.append(first_key.data(), first_key.size());
  key_ends_.push_back(static_cast<uint32_t>(keys_.size()));
  offsets_.push_back(offsets_.back() + block_bytes);
  hot_before_.push_back(hot_before_.back() + hot_bytes);
}

void RunIndex::EncodeTo(std::string* dst) const {
  PutVarint64(dst, blocks());
  for (size_t i = 0; i < blocks(); ++i) {
    PutLengthPrefixedSlice(dst, first_key(i));
    PutVarint64Varint64(dst, bytes(i), hot_before_[i + 1] - hot_before_[i]);
  }
}

bool RunIndex::DecodeFrom(Slice input, uint64_t data_bytes,
                          const KeyOrder& order) {
  uint64_t count;
  if (!GetVarint64(&input, &count)) {
    return false;
  }
  for (uint64_t i = 0; i < count; ++i) {
    Slice key;
    uint64_t block_bytes;
    uint64_t hot_bytes;
    if (!GetLengthPrefixedSlice(&input, &key) ||
        !GetVarint64(&input, &block_bytes) ||
        !GetVarint64(&input, &hot_bytes)) {
      return false;
    }
    if (block_bytes <= kBlockTrailerBytes ||
        block_bytes > data_bytes - offsets_.back() ||
        keys_.size() + key.size() > UINT32_MAX ||
        (i > 0 && !order.Less(first_key(i - 1), key))) {
      return false;
    }
    Add(key, block_bytes, hot_bytes);
  }
  keys_.shrink_to_fit();
  key_ends_.shrink_to_fit();
  offsets_.shrink_to_fit();
  hot_before_.shrink_to_fit();
  return count > 0 && offsets_.back() == data_bytes && input.empty();
}

size_t RunIndex::FirstBlockFrom(const Slice& key, const KeyOrder& order) const {
  size_t low = 0;
  size_t high = blocks();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (order.Less(first_key(middle), key)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t RunIndex::FindBlock(const Slice& key, const KeyOrder& order) const {
  const size_t next = FirstBlockFrom(key, order);
  if (next < blocks() && order.Compare(first_key(next), key) == 0) {
    return next;
  }
  return next == 0 ? 0 : next - 1;
}

uint64_t RunIndex::MemoryBytes() const {
  return keys_.capacity() + key_ends_.capacity() * sizeof(key_ends_[0]) +
         offsets_.capacity() * sizeof(offsets_[0]) +
         hot_before_.capacity() * sizeof(hot_before_[0]);
}

}  // namespace ROCKSDB_NAMESPACE::ralt
