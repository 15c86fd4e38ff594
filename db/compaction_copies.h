//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What a compaction knows of promoted copies: in its inputs, among the records
// that it takes from the promotion cache, and, where there is a compaction
// filter, in the tables above its inputs.
//
// Invariants:
// 1. A record that may be a copy of one below the output level is not given to
//    the compaction filter: what the filter makes of it would have the
//    original's sequence number and could be hidden by it. Neither is a record
//    of which a copy may lie above: the copy would hide what the filter makes
//    of it. They are asked about when the copy has come down to its original.
// 2. A SingleDelete that meets a copy goes on, to end the original too.
// 3. Each output says which copies it holds. A record that no table below the
//    output level can hold is none.
//
// Thread safety: const members from any thread. Not for use without the
// compaction, whose inputs it points into.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/table_properties_collector.h"
#include "plugin/hotrap/db/key_ranges.h"
#include "plugin/hotrap/db/promoted_copies.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class Compaction;
class InstrumentedMutex;
struct FileMetaData;

class CompactionCopies {
 public:
  // nullptr where there is no copy to be mindful of. `promoted` are the records
  // taken from the promotion cache, in key order; they must outlive the result.
  // Reads properties of tables. REQUIRES: the compaction has its input
  // properties; DB mutex not held.
  static std::shared_ptr<CompactionCopies> Find(
      const Compaction& compaction,
      const std::vector<PromotionRecordPtr>& promoted,
      InstrumentedMutex* db_mutex);

  // Whether the column family may hold copies at all. Any thread.
  static bool MayExist(const ColumnFamilyData& cfd);

  // Whether the record, a copy of one below, is to be left out.
  bool Removes(const ParsedInternalKey& ikey) const;
  bool removes_any() const { return to_remove_ != nullptr; }

  // Whether the record, met in the input, may be a copy.
  bool MayBeCopy(const Slice& user_key, SequenceNumber seq) const;
  // Whether a copy of it may lie above the inputs.
  bool MayHaveCopyAbove(const Slice& user_key, SequenceNumber seq) const;
  // Whether, with a key in [start, end), any record of the inputs may be a copy
  // of one below the output level, or any copy may lie above the inputs.
  bool AnyMayBeIn(const Slice& start, const Slice& end) const;

  // The column family's, and what notes the copies of each output.
  const InternalTblPropCollFactories* collectors() const {
    return &collectors_;
  }

 private:
  // A table that may hold copies.
  struct Table {
    const FileMetaData* file;
    // Keeps what `copies` points into.
    std::shared_ptr<const TableProperties> properties;
    PromotedCopies copies;
  };
  class OutputCheck;

  CompactionCopies(const Compaction& compaction,
                   const std::vector<PromotionRecordPtr>& promoted);
  void FindInInputs();
  void FindAbove();
  void LookAt(const FileMetaData* file,
              std::shared_ptr<const TableProperties> properties,
              std::vector<Table>* tables) const;
  bool AnyHolds(const std::vector<Table>& tables, const Slice& user_key,
                SequenceNumber seq) const;
  std::vector<PromotionRecordPtr>::const_iterator FirstPromotedFrom(
      const Slice& user_key) const;
  bool AnyPromotedIn(const Slice& start, const Slice& end) const;
  bool IsPromoted(const Slice& user_key, SequenceNumber seq) const;

  const Compaction& compaction_;
  const std::vector<PromotionRecordPtr>& promoted_;
  const Comparator* const ucmp_;
  std::vector<Table> inputs_;
  std::vector<Table> above_;
  std::shared_ptr<const KeyRanges> to_remove_;
  InternalTblPropCollFactories collectors_;
};

}  // namespace ROCKSDB_NAMESPACE
