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

  // The compaction filter has decided about the record. Returns whether the
  // decision may be applied; not if it changes or removes what may be a copy or
  // have one above (CompactionCopies, invariant 1). `level_ptrs` is as in
  // Compaction::KeyNotExistsBeyondOutputLevel().
  static bool MayApply(const CompactionIterator::CompactionProxy* compaction,
                       CompactionFilter::Decision decision,
                       const ParsedInternalKey& ikey,
                       std::vector<size_t>* level_ptrs);

  // The filter skips all records from `user_key` to `skip_until`. If there may
  // be copies among them, only those of `user_key` are skipped, and the filter
  // is asked about the next key, too.
  static void LimitSkip(const CompactionIterator::CompactionProxy* compaction,
                        const Slice& user_key, InternalKey* skip_until);
};

}  // namespace ROCKSDB_NAMESPACE
