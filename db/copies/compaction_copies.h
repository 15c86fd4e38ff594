//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells a compaction where promoted copies may be: in its inputs, among the
// records that it takes from the promotion cache, and, if there is a compaction
// filter, in the tables above its inputs.
//
// Invariants:
// 1. The compaction filter does not see a record that may be a copy of one
//    below the output level: its result would carry the original's sequence
//    number, and the original could hide it. Nor does it see a record of which
//    a copy may lie above: the copy would hide its result. Such records reach
//    the filter once the copy has come down to its original.
// 2. A SingleDelete that meets a copy is kept, so that it removes the original
//    too.
// 3. Each output names the copies that it holds. A record that no table below
//    the output level can hold is not a copy.
//
// Thread safety: const members may be called from any thread. The object points
// into the compaction's inputs and must not outlive them.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/table_properties_collector.h"
#include "plugin/hotrap/db/copies/key_ranges.h"
#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class Compaction;
class InstrumentedMutex;
struct FileMetaData;

class CompactionCopies {
 public:
  // Returns nullptr if no copy can matter. `promoted` are the records taken
  // from the promotion cache, in key order; they must outlive the result. Reads
  // table properties.
  // REQUIRES: the compaction has its input properties; DB mutex not held.
  static std::shared_ptr<CompactionCopies> Find(
      const Compaction& compaction,
      const std::vector<PromotionRecordPtr>& promoted,
      InstrumentedMutex* db_mutex);

  // Returns whether the column family may hold copies at all. Any thread.
  static bool MayExist(const ColumnFamilyData& cfd);

  // Returns whether the record is a copy of one below that must be left out.
  bool Removes(const ParsedInternalKey& ikey) const;
  bool removes_any() const { return !to_remove_.empty(); }

  // Returns whether a record of the input may be a copy.
  bool MayBeCopy(const Slice& user_key, SequenceNumber seq) const;
  // Returns whether a copy of the record may lie above the inputs.
  bool MayHaveCopyAbove(const Slice& user_key, SequenceNumber seq) const;
  // Returns whether, for any key in [start, end), a record of the inputs may be
  // a copy of one below the output level, or a copy may lie above the inputs.
  bool AnyMayBeIn(const Slice& start, const Slice& end) const;

  // The column family's collectors, plus the one that notes the copies in each
  // output.
  const InternalTblPropCollFactories* collectors() const {
    return &collectors_;
  }

 private:
  // A table that may hold copies.
  struct Table {
    const FileMetaData* file;
    // Owns the memory that `copies` points into.
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
  std::vector<std::shared_ptr<const KeyRanges>> to_remove_;
  InternalTblPropCollFactories collectors_;
};

}  // namespace ROCKSDB_NAMESPACE
