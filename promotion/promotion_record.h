//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "db/dbformat.h"

namespace ROCKSDB_NAMESPACE {

// The newest version of a key on the slow tier, as a read found it. Immutable
// once shared, except for the flag.
struct PromotionRecord {
  std::string user_key;
  std::string value;
  // As stored on the slow tier: 0 if a compaction zeroed it.
  SequenceNumber seq = 0;
  ValueType type = kTypeValue;  // kTypeValue or kTypeWideColumnEntity
  // Sequence number of the read that found the record. Older reads must not get
  // the record: because `seq` may have been zeroed, they might see a key that
  // was written after them.
  SequenceNumber visible_from = 0;
  // Number of the version that the record was read from. A MultiGet may hold an
  // older version and still read at a later sequence number. Serving one of its
  // keys from the cache and another from its old version would tear it.
  uint64_t version_number = 0;
  // The FS of that read: the record is the newest version in the levels >= FS.
  int first_slow_level = 0;
  // Set when a read made the key hot according to RALT, but RALT has not
  // flushed that access yet.
  mutable std::atomic<bool> hot_with_one_more_access{false};

  // The "HotRAP size": key plus value, as the user wrote them.
  size_t UserBytes() const { return user_key.size() + value.size(); }
  // Memory used by the record, including the map node and the allocator's
  // overhead.
  size_t MemoryBytes() const { return UserBytes() + sizeof(*this) + 96; }
};

using PromotionRecordPtr = std::shared_ptr<const PromotionRecord>;

}  // namespace ROCKSDB_NAMESPACE
