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

bool HotRapCopies::MayApply(
    const CompactionIterator::CompactionProxy* compaction,
    CompactionFilter::Decision decision, const ParsedInternalKey& ikey,
    std::vector<size_t>* level_ptrs) {
  if (decision == CompactionFilter::Decision::kKeep ||
      decision == CompactionFilter::Decision::kIOError) {
    return true;
  }
  const Compaction* const c = RealCompaction(compaction);
  return c == nullptr || c->hotrap_copies == nullptr ||
         c->hotrap_copies->MayFilter(ikey, level_ptrs);
}

void HotRapCopies::LimitSkip(
    const CompactionIterator::CompactionProxy* compaction,
    const Slice& user_key, InternalKey* skip_until) {
  const Compaction* const c = RealCompaction(compaction);
  if (c != nullptr && c->hotrap_copies != nullptr &&
      !c->hotrap_copies->MaySkip(user_key, skip_until->user_key())) {
    // The last internal key of `user_key`. (The next user key is not known,
    // whatever the comparator.)
    skip_until->Set(user_key, 0, static_cast<ValueType>(0));
  }
}

}  // namespace ROCKSDB_NAMESPACE
