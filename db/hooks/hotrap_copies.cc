//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_copies.h"

#include "db/compaction/compaction.h"
#include "plugin/hotrap/db/copies/compaction_copies.h"

namespace ROCKSDB_NAMESPACE {

namespace {

const Compaction* RealCompaction(
    const CompactionIterator::CompactionProxy* compaction) {
  return compaction != nullptr ? compaction->real_compaction() : nullptr;
}

}  // namespace

bool HotRapCopies::MayBePromotedCopy(
    const CompactionIterator::CompactionProxy* compaction,
    const Slice& user_key, SequenceNumber seq) {
  const Compaction* const c = RealCompaction(compaction);
  return c != nullptr && c->hotrap_copies != nullptr &&
         c->hotrap_copies->MayBeCopy(user_key, seq);
}

bool HotRapCopies::HidesFromFilter(
    const CompactionIterator::CompactionProxy* compaction,
    const ParsedInternalKey& ikey, std::vector<size_t>* level_ptrs) {
  const Compaction* const c = RealCompaction(compaction);
  if (c == nullptr || c->hotrap_copies == nullptr) {
    return false;
  }
  return (c->hotrap_copies->MayBeCopy(ikey.user_key, ikey.sequence) &&
          !c->KeyNotExistsBeyondOutputLevel(ikey.user_key, level_ptrs)) ||
         c->hotrap_copies->MayHaveCopyAbove(ikey.user_key, ikey.sequence);
}

bool HotRapCopies::HidesRangeFromFilter(
    const CompactionIterator::CompactionProxy* compaction, const Slice& start,
    const Slice& end) {
  const Compaction* const c = RealCompaction(compaction);
  return c != nullptr && c->hotrap_copies != nullptr &&
         c->hotrap_copies->AnyMayBeIn(start, end);
}

}  // namespace ROCKSDB_NAMESPACE
