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
//    (SpaceReservation). While the budget is nearly used up, a crossing retains
//    half of its fast input at most (WriteBrake).
// 5. At least a fifth of the fast input of a crossing compaction goes down,
//    however hot it is, so that a fast level full of hot records does not
//    compact forever. Pinned records stay beyond that: they are at most four
//    fifths of the level's target (PinnedLifter). Once they are more, they
//    count like hot ones; and files that are nearly all pinned are picked last.

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "db/dbformat.h"
#include "plugin/hotrap/db/compaction/fast_input_range.h"
#include "plugin/hotrap/db/compaction/hotrap_crossing.h"
#include "plugin/hotrap/db/compaction/retention_budget.h"
#include "plugin/hotrap/db/state/access_tracker.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "plugin/hotrap/promotion/taken_records.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Compaction;
class CompactionState;
class FilteredPromotion;
class InstrumentedMutex;
class Ralt;
class SpaceReservation;
class TierState;

// HotRAP's part in one running compaction. RocksDB's patched code knows the
// functions of HotRapCrossing by this name, too.
class HotRapCompaction : public HotRapCrossing {
 public:
  // The compaction is about to run. Sets its `hotrap`, which stays nullptr if
  // HotRAP has no part in it, and takes the records from the promotion cache;
  // before a repeated run, `hotrap` is the object of the previous one. Also
  // sets its `hotrap_copies`, whether HotRAP is on or off. REQUIRES: DB mutex
  // not held.
  static void Begin(Compaction* compaction, SequenceNumber earliest_snapshot,
                    InstrumentedMutex* db_mutex);
  ~HotRapCompaction();
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

  // ---- For its subcompactions, from several threads -----------------------

  // The records that the compaction takes from the cache, in key order.
  const std::vector<PromotionRecordPtr>& promoted() const;
  // Whether anything may stay on the fast tier.
  bool retains() const { return retains_; }
  const FastInputRange& fast_range() const { return range_; }
  // Returns whether a record in that range stays: it is hot or pinned, and the
  // budget suffices. Counts it. `bytes` are those of key and value; `promoted`
  // is the record of the same key that the compaction takes from the cache, or
  // nullptr.
  bool Keeps(const ParsedInternalKey& ikey, uint64_t bytes,
             const PromotionRecord* promoted);

 private:
  HotRapCompaction(Compaction* compaction, TierState* state,
                   int last_fast_level);
  static std::shared_ptr<HotRapCompaction> BeginIfActive(
      Compaction* compaction, SequenceNumber earliest_snapshot);
  void AllowRetention(SequenceNumber earliest_snapshot);
  // Takes the bytes of a record from the budget.
  bool Take(AccessTracker::Keeping keeping, uint64_t bytes);
  void TakeFromCache();
  // Reserves `wanted_bytes` on the fast disk and under the user's limit, or
  // what flushes leave of that. Returns how many bytes of records may be
  // written.
  uint64_t ReserveSpace(uint64_t wanted_bytes);
  // Counts the result that is installed.
  void Count(CompactionState* state);
  // Tells, for the choice of the next files, that nearly all stays.
  void NoteFullFiles(CompactionState* state);
  // Returns whether all copies go down for the compaction filter's sake.
  bool SinksCopies() const;
  // The same of one record.
  bool SinksForFilter(const ParsedInternalKey& ikey) const;

  Compaction* const compaction_;
  TierState* const state_;
  Ralt* const ralt_;
  const bool crosses_;
  const FastInputRange range_;

  bool retains_ = false;
  // Some of the range is pinned.
  bool has_pinned_ = false;
  // Whether pinned records stay beyond the budget of hot ones.
  bool pinned_first_ = false;
  uint64_t fast_input_bytes_ = 0;  // user bytes of the inputs above FS
  RetentionBudget budget_;
  // The inputs stay until the result is installed, so the output needs room
  // beside them.
  std::unique_ptr<SpaceReservation> space_;
  std::atomic<uint64_t> retained_records_{0};
  std::atomic<uint64_t> retained_bytes_{0};
  std::atomic<uint64_t> hot_bytes_{0};     // retained or not
  std::atomic<uint64_t> pinned_bytes_{0};  // retained
  std::atomic<bool> pinned_went_down_{false};
  uint64_t estimated_hot_bytes_ = 0;
  uint64_t fast_file_bytes_ = 0;  // of the inputs above FS
  const uint64_t begin_micros_;

  // nullptr if it takes no records.
  std::unique_ptr<FilteredPromotion> filtered_;
  // Constant while the compaction runs. nullptr if it takes no records.
  std::unique_ptr<TakenRecords> taken_;
  uint64_t promoted_bytes_ = 0;
  // How often the compaction has run before.
  int earlier_runs_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
