//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "db/dbformat.h"

namespace ROCKSDB_NAMESPACE {

// The newest version of a key in the slow tier, as a read found it there.
// Immutable once shared, but for the flag.
struct PromotionRecord {
  std::string user_key;
  std::string value;
  // As stored in the slow tier: 0 where a compaction zeroed it.
  SequenceNumber seq = 0;
  ValueType type = kTypeValue;  // kTypeValue or kTypeWideColumnEntity
  // Sequence number of the read that found it. Older reads must not be served
  // with it: a zeroed `seq` would let them see a key written after them.
  SequenceNumber visible_from = 0;
  // Number of the version it was read from. A MultiGet may hold an older one
  // and yet read at a later sequence number: served from here for one key and
  // from its old version for another, it would be torn.
  uint64_t version_number = 0;
  // FS of that read: the record is the newest version in the levels >= FS.
  int first_slow_level = 0;
  // Read once more than was known when the key's hotness was last written down:
  // it is about to be hot.
  mutable std::atomic<bool> hot_once_more{false};

  // "HotRAP size": the bytes of the user's record.
  size_t UserBytes() const { return user_key.size() + value.size(); }
  // What the record costs in memory, with the map node and the allocator's
  // overhead.
  size_t MemoryBytes() const { return UserBytes() + sizeof(*this) + 96; }
};

using PromotionRecordPtr = std::shared_ptr<const PromotionRecord>;

}  // namespace ROCKSDB_NAMESPACE
