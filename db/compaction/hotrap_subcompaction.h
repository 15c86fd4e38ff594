//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HotRAP's part in one subcompaction: merges records from the promotion cache
// into its input, and says of each record that comes out whether it stays on
// the fast tier.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/dbformat.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/table/skipping_iterator.h"
#include "table/internal_iterator.h"

namespace ROCKSDB_NAMESPACE {

class CompactionCopies;
class CompactionFilter;
class CompactionIterator;
class HotRapCompaction;
class SubcompactionState;

// Used by the subcompaction's thread only.
class HotRapSubcompaction {
 public:
  explicit HotRapSubcompaction(const SubcompactionState& state);

  // Returns `files`, merged with the records from the promotion cache. The
  // result must not outlive this object.
  std::unique_ptr<InternalIterator> Input(
      std::unique_ptr<InternalIterator> files);

  // Returns `input` without the copies that a DeleteFilesInRanges takes along
  // (CopyRemoval). Comes after the count of blob references that are read, so
  // that the blobs of these copies become garbage. The result must not outlive
  // `input` or this object.
  InternalIterator* WithoutCopies(InternalIterator* input);

  // Returns what MergeHelper gets as the compaction filter: `filter` itself, or
  // `filter` without the right to skip promoted copies. `filter` may be nullptr
  // and must outlive this object.
  const CompactionFilter* FilterOfOperands(const CompactionFilter* filter);

  // Returns whether the iterator's current record goes to the last fast level.
  // Must be called exactly once per record, in the order of emission.
  bool Retain(const CompactionIterator& iterator);

  // Of `scanned` records read in all, returns how many came from files.
  uint64_t FromFiles(uint64_t scanned) const;

 private:
  // Returns the promoted record of the same user key, or nullptr. REQUIRES:
  // called in key order.
  const PromotionRecord* Promoted(const ParsedInternalKey& ikey);

  HotRapCompaction* const shared_;
  const CompactionCopies* const copies_;
  const InternalKeyComparator& icmp_;
  // Records from the promotion cache in [start, end).
  std::vector<PromotionRecordPtr> promoted_;
  size_t next_promoted_ = 0;
  std::unique_ptr<SkippingIterator> without_copies_;
  std::unique_ptr<CompactionFilter> operand_filter_;
  std::string last_user_key_;
  bool seen_any_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
