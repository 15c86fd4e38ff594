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
// A crossing compaction has two outputs, like RocksDB's per-key placement: the
// last fast level, on the fast path, and the output level.
//
// Invariants:
// 1. Records written to the last fast level lie in the key range of the inputs
//    above FS, which no other file of that level and no other compaction
//    overlaps.
// 2. Only the first version of a user key that the compaction emits may stay
//    fast, and only if it is a value or a wide-column entity, so that no older
//    version ends up above a newer one. Range tombstones go down. Nothing is
//    retained while a tombstone could hide a retained record from below, which
//    takes a snapshot that keeps both.
// 3. When the compaction is installed, each record that it took from the
//    promotion cache is the newest of its key on the slow tier. Other
//    compactions have disjoint ranges, ingestion places files above them, and
//    the compaction waits for whoever deletes slow files without a compaction
//    (HotRapFences::NoPromotionByCompaction). If a record became stale
//    nevertheless, the compaction discards its output and runs again,
//    internally: listeners do not notice, and it keeps its inputs. Its last run
//    takes no records.
// 4. A compaction retains and promotes no more than the fast disk has room for
//    (SpaceReservation).
// 5. At least a fifth of the fast input of a crossing compaction goes down,
//    however hot it is, so that a fast level full of hot records does not
//    compact forever.

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
class CompactionFilter;
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

  // Returns the last fast level if the compaction crosses, else
  // Compaction::kInvalidLevel.
  static int ProximalLevel(const VersionStorageInfo& storage,
                           const MutableCFOptions& options,
                           const ImmutableOptions& ioptions, int start_level,
                           int output_level);
  // Returns whether the two outputs of the compaction are HotRAP's, not those
  // of preclude_last_level_data_seconds.
  static bool Crosses(const Compaction& compaction);
  // Computes the key range of the inputs in levels up to `last_level`.
  static void RangeDownTo(int last_level,
                          const std::vector<CompactionInputFiles>& inputs,
                          const InternalKeyComparator& icmp,
                          InternalKey* smallest, InternalKey* largest);
  // Returns whether other compactions into `level` must stay clear of the range
  // of this compaction's fast output.
  static bool PlacesInto(const Compaction& compaction, int level);

  // ---- When it runs ------------------------------------------------------

  // Returns nullptr if HotRAP has no part in the compaction. Takes the records
  // from the promotion cache. If the compaction runs again, compaction->hotrap
  // is the object of its previous run. Also sets compaction->hotrap_copies,
  // whether HotRAP is on or off. REQUIRES: DB mutex not held.
  static std::shared_ptr<HotRapCompaction> Begin(Compaction* compaction,
                                                 bool snapshots_alive,
                                                 InstrumentedMutex* db_mutex);
  HotRapCompaction(const HotRapCompaction&) = delete;
  HotRapCompaction& operator=(const HotRapCompaction&) = delete;

  // Returns whether the compaction must not be given to a CompactionService:
  // only this process knows what is hot and what the promotion cache holds.
  static bool RunsHere(const Compaction& compaction);

  // Called before the result is installed. Returns true at once if `status`,
  // that of the run, is an error. Otherwise counts the result and returns true;
  // or, if a record from the cache became stale (invariant 3), deletes the
  // output and returns false: the compaction has to run again. REQUIRES: DB
  // mutex held, and after a return of true until the edit is in the queue of
  // the MANIFEST. The mutex is released while somebody changes the slow tier,
  // and for the deletion.
  static bool BeforeInstall(CompactionState* state, int job_id,
                            const Status& status);

  // The path, file name, level and compression of an output. `proximal`: of the
  // fast output.
  static uint32_t PathId(const Compaction& compaction, bool proximal);
  static std::string FileName(const Compaction& compaction, bool proximal,
                              uint64_t number, std::string other_name);
  static int Level(const Compaction& compaction, bool proximal);
  // Gives the fast output the age of the fast inputs. Records in the last level
  // may be older than any TTL, and their age would send what is retained down
  // again at once.
  static void SetAge(const Compaction& compaction, bool proximal,
                     FileMetaData* file);
  static CompressionType Compression(const Compaction& compaction,
                                     bool proximal);
  static const CompressionOptions& CompressionOpts(const Compaction& compaction,
                                                   bool proximal);
  // The property collectors of both outputs.
  static const InternalTblPropCollFactories* Collectors(
      const Compaction& compaction);

 private:
  friend class HotRapSubcompaction;

  explicit HotRapCompaction(Compaction* compaction, HotRapTier* tier);
  static std::shared_ptr<HotRapCompaction> BeginIfActive(Compaction* compaction,
                                                         bool snapshots_alive);
  void AllowRetention(bool snapshots_alive);
  void TakeFromCache();
  // Reserves `wanted_bytes` on the fast disk and under the user's limit, or
  // what flushes leave of that. Returns how many bytes of records may be
  // written.
  uint64_t ReserveSpace(uint64_t wanted_bytes);
  // The records that the compaction takes from the cache, in key order.
  const std::vector<PromotionRecordPtr>& promoted() const;
  // Counts the result that is installed.
  void Count();
  bool InRange(const Slice& user_key) const;
  bool MayBeCopy(const ParsedInternalKey& ikey) const;
  // Takes `bytes` from the budget for the fast output. Returns whether they
  // were left.
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
  // The inputs stay until the result is installed, so the output needs room
  // beside them.
  std::unique_ptr<SpaceReservation> space_;
  std::atomic<uint64_t> retained_records_{0};
  std::atomic<uint64_t> retained_bytes_{0};
  std::atomic<uint64_t> hot_bytes_{0};  // retained or not
  uint64_t estimated_hot_bytes_ = 0;

  // Constant while the compaction runs. nullptr if it takes no records.
  std::unique_ptr<TakenRecords> taken_;
  uint64_t promoted_bytes_ = 0;
  // How often the compaction has run before.
  int earlier_runs_ = 0;
};

// The view of one subcompaction. Lives on the stack of its thread.
class HotRapSubcompaction {
 public:
  HotRapSubcompaction(const Compaction& compaction,
                      const std::optional<Slice>& start,
                      const std::optional<Slice>& end);

  // Returns `files`, merged with the records from the promotion cache. The
  // result must not outlive `files` or this object.
  InternalIterator* Input(InternalIterator* files);

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
  bool IsPromoted(const ParsedInternalKey& ikey);

  HotRapCompaction* const shared_;
  const CompactionCopies* const copies_;
  // Records from the promotion cache in [start, end).
  std::vector<PromotionRecordPtr> promoted_;
  size_t next_promoted_ = 0;
  std::unique_ptr<InternalIterator> promoted_iterator_;
  std::unique_ptr<SkippingIterator> without_copies_;
  std::unique_ptr<InternalIterator> merged_;
  std::unique_ptr<CompactionFilter> operand_filter_;
  std::string last_user_key_;
  bool seen_any_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
