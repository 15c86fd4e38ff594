//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Compactions at the boundary of the tiers (paper sections 3.1 and 3.5).
//
//     into the last fast level     FS-2 -> FS-1     takes hot cached records
//     crossing                     FS-1 -> FS       takes hot cached records,
//                                                   retains hot records
//
// A crossing compaction has two outputs, as RocksDB's per-key placement has
// them: the last fast level, on the fast path, and its output level.
//
// Invariants:
// 1. What goes to the last fast level lies in the range of the inputs above FS,
//    which no other file of that level and no other compaction overlaps.
// 2. Of a user key only the first version that the compaction emits goes there,
//    and only a value or a wide-column entity: no older version ends above a
//    newer one. Range tombstones go down; while they could hide a retained
//    record from below (snapshots keep both), nothing is retained.
// 3. A record taken from the promotion cache is the newest of its key in the
//    slow tier when the compaction is installed: ranges of other compactions
//    are disjoint, ingestion goes above them, and it waits for whoever deletes
//    slow files without a compaction (HotRapHooks::NoPromotionByCompaction).
//    Where one was overtaken all the same, the compaction throws away what it
//    has written and runs once more, within itself: nobody is told, and its
//    inputs stay its own. The last time it takes nothing.
// 4. What it writes to the fast disk finds room there: no more is retained and
//    promoted than is free (SpaceReservation).
// 5. At least a fifth of a crossing compaction's fast input goes down, whatever
//    is hot: a fast level full of hot records does not compact for ever.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/dbformat.h"
#include "db/table_properties_collector.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/promotion/taken_records.h"
#include "plugin/hotrap/table/skipping_iterator.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/status.h"
#include "table/internal_iterator.h"

namespace ROCKSDB_NAMESPACE {

class Compaction;
class CompactionCopies;
class CompactionIterator;
class CompactionState;
class HotRapTier;
class InstrumentedMutex;
class Ralt;
class SpaceReservation;
class VersionStorageInfo;
struct CompactionInputFiles;
struct FileMetaData;
struct ImmutableOptions;
struct MutableCFOptions;

class HotRapCompaction {
 public:
  // ---- When a compaction is planned; functions of the options ------------

  // The last fast level if the compaction crosses, else
  // Compaction::kInvalidLevel.
  static int ProximalLevel(const VersionStorageInfo& storage,
                           const MutableCFOptions& options,
                           const ImmutableOptions& ioptions, int start_level,
                           int output_level);
  // Whether the two outputs of the compaction are ours, not those of
  // preclude_last_level_data_seconds.
  static bool Crosses(const Compaction& compaction);
  // The range of the inputs down to `last_level`.
  static void RangeDownTo(int last_level,
                          const std::vector<CompactionInputFiles>& inputs,
                          const InternalKeyComparator& icmp,
                          InternalKey* smallest, InternalKey* largest);
  // Whether another compaction into `level` must stay clear of the first
  // output's range.
  static bool PlacesInto(const Compaction& compaction, int level);

  // ---- When it runs ------------------------------------------------------

  // nullptr if HotRAP has no part in it. Takes the records from the promotion
  // cache. compaction->hotrap is that of its run before, if there was one.
  // Sets compaction->hotrap_copies, too, HotRAP on or off. REQUIRES: DB mutex
  // not held.
  static std::shared_ptr<HotRapCompaction> Begin(Compaction* compaction,
                                                 bool snapshots_alive,
                                                 InstrumentedMutex* db_mutex);
  HotRapCompaction(const HotRapCompaction&) = delete;
  HotRapCompaction& operator=(const HotRapCompaction&) = delete;

  // Whether a CompactionService must not have it: what is hot, and what is in
  // the promotion cache, is known here only.
  static bool RunsHere(const Compaction& compaction);

  // The result is about to be installed, unless `status`, that of the run, is
  // an error. Counts it; or returns false if against invariant 3 a record from
  // the cache has been overtaken: then what was written is deleted, and the
  // compaction has to run again. REQUIRES: DB mutex held, and from the return
  // of true until the edit is in the queue of the MANIFEST; it is released
  // while somebody changes the slow tier, and for the deletion.
  static bool BeforeInstall(CompactionState* state, int job_id,
                            const Status& status);

  // For the first output: its path, file name, level and compression.
  static uint32_t PathId(const Compaction& compaction, bool proximal);
  static std::string FileName(const Compaction& compaction, bool proximal,
                              uint64_t number, std::string other_name);
  static int Level(const Compaction& compaction, bool proximal);
  // Its age is that of the fast inputs: what lies in the last level may be
  // older than any TTL, and would take what is retained down again at once.
  static void SetAge(const Compaction& compaction, bool proximal,
                     FileMetaData* file);
  static CompressionType Compression(const Compaction& compaction,
                                     bool proximal);
  static const CompressionOptions& CompressionOpts(const Compaction& compaction,
                                                   bool proximal);
  // What collects the properties of the outputs, either of them.
  static const InternalTblPropCollFactories* Collectors(
      const Compaction& compaction);

 private:
  friend class HotRapSubcompaction;

  explicit HotRapCompaction(Compaction* compaction, HotRapTier* tier);
  static std::shared_ptr<HotRapCompaction> BeginIfActive(Compaction* compaction,
                                                         bool snapshots_alive);
  void AllowRetention(bool snapshots_alive);
  void TakeFromCache();
  // Takes `wanted_bytes` of the fast disk, and of what the user allows, or what
  // flushes leave of it. What it returns may be written in records.
  uint64_t ReserveSpace(uint64_t wanted_bytes);
  // What it takes along.
  const std::vector<PromotionRecordPtr>& promoted() const;
  // Of the result that is installed.
  void Count();
  bool InRange(const Slice& user_key) const;
  bool MayBeCopy(const ParsedInternalKey& ikey) const;
  // Whether so many more bytes may stay fast.
  bool TakeBudget(uint64_t bytes);

  Compaction* const compaction_;
  HotRapTier* const tier_;
  Ralt* const ralt_;
  const Comparator* const ucmp_;
  const bool crosses_;

  // User keys of the inputs above FS; the upper end may be exclusive.
  InternalKey smallest_;
  InternalKey largest_;
  bool largest_is_exclusive_ = false;

  bool retains_ = false;
  uint64_t fast_input_bytes_ = 0;  // user bytes of the inputs above FS
  std::atomic<int64_t> budget_{0};
  // The inputs stay until the result is in force: what is written to the fast
  // disk needs room beside them.
  std::unique_ptr<SpaceReservation> space_;
  std::atomic<uint64_t> retained_records_{0};
  std::atomic<uint64_t> retained_bytes_{0};
  std::atomic<uint64_t> hot_bytes_{0};  // retained or not
  uint64_t estimated_hot_bytes_ = 0;

  // Constant while the compaction runs. nullptr: it takes nothing.
  std::unique_ptr<TakenRecords> taken_;
  uint64_t promoted_bytes_ = 0;
  // Times that it has run already.
  int earlier_runs_ = 0;
};

// The part that one subcompaction sees. Lives on its thread's stack.
class HotRapSubcompaction {
 public:
  HotRapSubcompaction(const Compaction& compaction,
                      const std::optional<Slice>& start,
                      const std::optional<Slice>& end);

  // `files` with the records from the promotion cache merged in. Must outlive
  // neither `files` nor this.
  InternalIterator* Input(InternalIterator* files);

  // Whether the record at which the iterator stands goes to the last fast
  // level. To be asked once a record, in the order in which they are emitted.
  bool Retain(const CompactionIterator& iterator);

  // What has been read from files, when `scanned` records were read in all.
  uint64_t FromFiles(uint64_t scanned) const;

 private:
  bool IsPromoted(const ParsedInternalKey& ikey);

  HotRapCompaction* const shared_;
  const CompactionCopies* const copies_;
  // Records of the promotion cache between start and end.
  std::vector<PromotionRecordPtr> promoted_;
  size_t next_promoted_ = 0;
  std::unique_ptr<InternalIterator> promoted_iterator_;
  std::unique_ptr<SkippingIterator> without_copies_;
  std::unique_ptr<InternalIterator> merged_;
  std::string last_user_key_;
  bool seen_any_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
