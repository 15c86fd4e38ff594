//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/buffer_cursor.h"

#include <algorithm>
#include <cassert>

#include "util/coding.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
uint64_t BigEndianPrefix(const Slice& key, size_t skip) {
  uint64_t prefix = 0;
  const size_t end = std::min(key.size(), skip + sizeof(prefix));
  for (size_t i = skip; i < end; ++i) {
    prefix |= static_cast<uint64_t>(static_cast<unsigned char>(key[i]))
              << (8 * (sizeof(prefix) - 1 - (i - skip)));
  }
  return prefix;
}
}  // namespace

BufferCursor::BufferCursor(const SealedAccesses& sealed, const KeyOrder& order,
                           const Scoring& scoring, LogicalTime now)
    : order_(order), scoring_(scoring), now_(now) {
  Collect(sealed);
  Sort();
}

void BufferCursor::Collect(const SealedAccesses& sealed) {
  accesses_.reserve(sealed.accesses);
  for (const AccessChunk& chunk : sealed.chunks) {
    const char* p = chunk.data.get();
    const char* const limit = p + chunk.used;
    while (p < limit) {
      Access access;
      uint64_t tick_offset = 0;
      // This is our own memory, so the encoding cannot be malformed.
      p = GetVarint32Ptr(p, limit, &access.key_size);
      p = GetVarint32Ptr(p, limit, &access.weight);
      p = GetVarint64Ptr(p, limit, &access.value_bytes);
      p = GetVarint64Ptr(p, limit, &tick_offset);
      access.tick = chunk.base_tick + tick_offset;
      access.key_data = p;
      access.sort_prefix = 0;
      p += access.key_size;
      accesses_.push_back(access);
    }
  }
}

void BufferCursor::SetSortPrefixes() {
  const Slice first = accesses_.front().key();
  size_t shared = first.size();
  for (const Access& access : accesses_) {
    const Slice key = access.key();
    shared = Slice(first.data(), shared).difference_offset(key);
  }
  for (Access& access : accesses_) {
    access.sort_prefix = BigEndianPrefix(access.key(), shared);
  }
}

void BufferCursor::Sort() {
  // Only a bytewise order agrees with the order of prefixes.
  if (order_.is_bytewise() && !accesses_.empty()) {
    SetSortPrefixes();
  }
  std::sort(accesses_.begin(), accesses_.end(),
            [this](const Access& a, const Access& b) {
              if (a.sort_prefix != b.sort_prefix) {
                return a.sort_prefix < b.sort_prefix;
              }
              const int order = order_.Compare(a.key(), b.key());
              return order != 0 ? order < 0 : a.tick < b.tick;
            });
}

void BufferCursor::SeekToFirst() { FoldAt(0); }

void BufferCursor::Next() {
  assert(Valid());
  FoldAt(end_);
}

void BufferCursor::FoldAt(size_t start) {
  start_ = start;
  end_ = start;
  if (start >= accesses_.size()) {
    return;
  }
  const Access& first = accesses_[start];
  record_ = AccessRecord();
  record_.key = first.key();
  record_.value_bytes = first.value_bytes;
  scoring_.SetFirstAccess({first.tick, now_.period}, first.weight, &record_);
  for (end_ = start + 1; end_ < accesses_.size(); ++end_) {
    const Access& next = accesses_[end_];
    // Keys with different bytes may be equal for the comparator.
    if (next.sort_prefix != first.sort_prefix ||
        order_.Compare(next.key(), record_.key) != 0) {
      break;
    }
    AccessRecord repeat;
    repeat.key = record_.key;
    repeat.value_bytes = next.value_bytes;
    scoring_.SetFirstAccess({next.tick, now_.period}, next.weight, &repeat);
    scoring_.Merge(now_, repeat, &record_);
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
