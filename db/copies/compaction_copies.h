//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Tells a compaction where promoted copies may be: in its inputs, among the
// records that it takes from the promotion cache, and, if there is a compaction
// filter, in the tables above its inputs or in promotions that run beside it.
//
// Invariants:
// 1. A decision of the compaction filter is not applied to a record that may be
//    a copy of one below the output level: the result would carry the
//    original's sequence number, and the original could hide it. Nor is one
//    applied to a record of which a copy may lie above, or may be on its way
//    there: the copy would hide the result. Such a record stays as it is, and
//    does not stay on the fast tier. The filter is asked again further down,
//    and in the end where the copy meets its original.
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
#include <unordered_set>
#include <vector>

#include "db/table_properties_collector.h"
#include "plugin/hotrap/db/copies/key_ranges.h"
#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "plugin/hotrap/promotion/filter_register.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "port/port.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class Compaction;
class InstrumentedMutex;
class Version;
struct FileMetaData;

class CompactionCopies {
 public:
  // Returns nullptr if no copy can matter. `promoted` are the records taken
  // from the promotion cache, in key order; they must outlive the result.
  // `previous` is the result for an earlier run of the same compaction, or
  // nullptr. Reads table properties.
  // REQUIRES: the compaction has its input properties; DB mutex not held.
  static std::shared_ptr<CompactionCopies> Find(
      const Compaction& compaction,
      const std::vector<PromotionRecordPtr>& promoted,
      const std::shared_ptr<CompactionCopies>& previous,
      InstrumentedMutex* db_mutex);
  // REQUIRES: DB mutex held, if the compaction has a filter and is installed.
  ~CompactionCopies();

  // Returns whether the column family may hold copies at all. Any thread.
  static bool MayExist(const ColumnFamilyData& cfd);

  // Returns whether the record is a copy of one below that must be left out.
  bool Removes(const ParsedInternalKey& ikey) const;
  bool removes_any() const { return !to_remove_.empty(); }

  // Returns whether a record of the input may be a copy.
  bool MayBeCopy(const Slice& user_key, SequenceNumber seq) const;

  // The compaction filter wants to change or remove the record, which is the
  // newest of its key in the compaction. Returns whether that may be done. If
  // not, Undecided() is true of the record from now on. `level_ptrs` is as in
  // Compaction::KeyNotExistsBeyondOutputLevel().
  bool MayFilter(const ParsedInternalKey& ikey,
                 std::vector<size_t>* level_ptrs) const;
  bool Undecided(const Slice& user_key, SequenceNumber seq) const;
  // The compaction filter wants to skip all records in [start, end). Returns
  // whether that may be done: no copy may be in the range.
  bool MaySkip(const Slice& start, const Slice& end) const;

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
  void FindAbove(const Version& version);
  bool MayHaveCopyAbove(const Slice& user_key, SequenceNumber seq) const;
  bool AnyMayBeIn(const Slice& start, const Slice& end) const;
  // Returns whether tables with copies that are undecided are compacted further
  // down for their sake.
  bool Sinks() const;
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
  // nullptr if there is no compaction filter, or if nothing can be promoted.
  std::unique_ptr<FilterRegister::Compaction> filtered_;
  mutable port::Mutex mutex_;
  // Hashes of the records that Undecided() is true of. Protected by mutex_.
  mutable std::unordered_set<uint64_t> undecided_;
};

}  // namespace ROCKSDB_NAMESPACE
