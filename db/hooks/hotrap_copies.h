//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells CompactionIterator where promoted copies break its assumption that an
// internal key occurs once. Its `compaction` may be nullptr. Needs no mutex.
// Works whether HotRAP is on or off: tables may hold copies from before.

#pragma once

#include <vector>

#include "db/compaction/compaction_iterator.h"

namespace ROCKSDB_NAMESPACE {

class HotRapCopies {
 public:
  // Returns whether a record of the compaction may be a promoted copy of one
  // further down. If so, a SingleDelete that cancels it must be kept to cancel
  // the original too.
  static bool MayBePromotedCopy(
      const CompactionIterator::CompactionProxy* compaction,
      const Slice& user_key, SequenceNumber seq);

  // Returns whether the compaction filter must not see the record, because it
  // may be a copy or have one above (CompactionCopies, invariant 1).
  // `level_ptrs` is as in Compaction::KeyNotExistsBeyondOutputLevel().
  static bool HidesFromFilter(
      const CompactionIterator::CompactionProxy* compaction,
      const ParsedInternalKey& ikey, std::vector<size_t>* level_ptrs);

  // Returns whether the filter must not skip all records in [start, end), for
  // the same reason.
  static bool HidesRangeFromFilter(
      const CompactionIterator::CompactionProxy* compaction, const Slice& start,
      const Slice& end);
};

}  // namespace ROCKSDB_NAMESPACE
