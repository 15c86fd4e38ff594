//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HotRAP of one column family: its RALT, its promotion cache and the job that
// promotes.
//
// Life: made by HotRapHooks when HotRAP is switched on, at the first
// SuperVersion of a writable DB that says so; stays until the column family
// goes, active or not.
//
// Lock order: DB mutex, then the promotion cache's locks. RALT's locks are
// leaves. No lock is held while a file is read or written.

#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/db/cold_fraction.h"
#include "plugin/hotrap/db/hotrap_stats.h"
#include "plugin/hotrap/db/relocator.h"
#include "plugin/hotrap/promotion/promotion_cache.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "port/port.h"
#include "rocksdb/hotrap.h"
#include "util/mutexlock.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class VersionEdit;
struct MutableCFOptions;

class HotRapTier {
 public:
  // RALT's folder in the fast path is called this and the column family's id.
  static constexpr char kRaltFolderPrefix[] = "hotrap.ralt.";

  HotRapTier(DBImpl* db, ColumnFamilyData* cfd);
  ~HotRapTier();
  HotRapTier(const HotRapTier&) = delete;
  HotRapTier& operator=(const HotRapTier&) = delete;

  // Tears down in this thread what dropped column families of the DB have left,
  // where it waits for other DBs' RALTs. REQUIRES: DB mutex not held.
  static void TearDownNow(DBImpl* db);

  // ---- Reads: any thread ------------------------------------------------

  // FS, constant while the level targets are.
  int first_slow_level() const {
    return first_slow_level_.load(std::memory_order_acquire);
  }
  PromotionCache& cache() { return cache_; }
  HotRapStats& stats() { return stats_; }
  // How much crossing compactions retain; they report to it.
  ColdFraction& cold_fraction() { return cold_fraction_; }
  const ColdFraction& cold_fraction() const { return cold_fraction_; }
  // For the property: as it is for the newest version.
  void set_last_fast_target_bytes(uint64_t bytes) {
    last_fast_target_bytes_.store(bytes, std::memory_order_relaxed);
  }
  // Moves tables to the tier of their level.
  Relocator& relocator() { return relocator_; }
  // Of the shape: what one compaction writes beside its inputs.
  uint64_t compaction_room_bytes() const {
    return compaction_room_bytes_.load(std::memory_order_relaxed);
  }
  bool filtered() const { return filtered_.load(std::memory_order_relaxed); }

  // How many accesses a point read's hit stands for: 1 if it did I/O, else
  // cached_hit_sampling for one in so many, and 0 for the others. To be asked
  // once a hit, before anything is done for it.
  uint32_t SampleHit(bool did_io) const {
    const uint32_t one_in =
        cached_hit_sampling_.load(std::memory_order_relaxed);
    if (did_io || one_in == 1) {
      return 1;
    }
    return Random::GetTLSInstance()->OneIn(static_cast<int>(one_in)) ? one_in
                                                                     : 0;
  }

  // Whether a record that was found in memory may be admitted. A copy on the
  // fast tier speeds no read up while the record stays in memory, and makes
  // reads pass one more file. So such records get in only as fast as hits of
  // the slow tier do I/O: one for each, of the last few.
  bool MayAdmitFromMemory() const {
    return io_credit_.load(std::memory_order_relaxed) > 0;
  }
  // Readers that race may pass either end a little: no harm.
  void OnAdmittedFromMemory() {
    io_credit_.fetch_sub(1, std::memory_order_relaxed);
  }
  void OnSlowHitWithIo() {
    if (io_credit_.load(std::memory_order_relaxed) < kMaxIoCredit) {
      io_credit_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  // Notes a point read's hit; `fast`: on the fast tier. REQUIRES: weight > 0
  void RecordAccess(const Slice& user_key, uint64_t value_bytes,
                    uint32_t weight, bool fast);

  // After an insertion: has the job scheduled if the cache is full. Cheap
  // otherwise.
  void MaybeSchedulePromotion();

  // Whether a record of the slow tier is to be promoted: RALT is open and calls
  // it hot.
  bool WorthPromoting(const Slice& user_key) const {
    Ralt* const tracker = ralt();
    return tracker != nullptr &&
           (no_hotness_check_.load(std::memory_order_relaxed) ||
            tracker->IsHot(user_key));
  }
  // Likewise of one that is cached, for which RALT need not have flushed its
  // last access while there is much to promote.
  bool WorthPromoting(const PromotionRecord& record) const {
    return (hot_once_more_counts_.load(std::memory_order_relaxed) &&
            record.hot_once_more.load(std::memory_order_relaxed)) ||
           WorthPromoting(record.user_key);
  }

  // Whether the access that is being recorded makes the key hot.
  bool IsHotOnceMore(const Slice& user_key) const {
    Ralt* const tracker = ralt();
    return tracker != nullptr && tracker->IsHotOnceMore(user_key);
  }
  // Whether it makes hot whatever was accessed before.
  bool TwoAccessesAreEnough() const {
    Ralt* const tracker = ralt();
    return tracker != nullptr && tracker->TwoAccessesAreEnough();
  }
  // Of the records that were admitted from the disk since the last time, RALT
  // knew a part.
  // Where it is large, a hot set is being learnt, and each record would have to
  // be read a third time to be promoted. Where it is small, reads are spread
  // over all records, and what is read twice now and then is not worth it.
  // RALT is told to remember more from the moment on at which the part is more
  // than chance would make it.
  // `data_bytes`: of all levels.
  void NoteAdmissions(uint64_t data_bytes);

  // Counts in the property and in the ticker that goes with it.
  void Count(HotRapCounter counter, uint64_t n);

  // RALT for somebody whom nobody waits for at close: CloseRalt() waits for
  // the pins. get() is nullptr while RALT is not open.
  class RaltPin {
   public:
    explicit RaltPin(const HotRapTier& tier)
        : lock_(&tier.ralt_pins_), ralt_(tier.ralt()) {}
    const Ralt* get() const { return ralt_; }

   private:
    ReadLock lock_;
    const Ralt* const ralt_;
  };

  // Empty while HotRAP is active.
  const char* inactive_reason() const {
    return inactive_reason_.load(std::memory_order_relaxed);
  }

  // The property. Any thread.
  void GetStats(std::map<std::string, std::string>* values) const;

  // ---- REQUIRES: DB mutex held -------------------------------------------

  // Takes over options and level targets. Returns whether HotRAP is active.
  bool Configure(const MutableCFOptions& options);

  // Has tests change the options, now and then.
  void SwitchIfForced();

  // Above 0: somebody changes the slow tier without a compaction, and has
  // chosen what, but no version says so yet. Compactions that promote wait for
  // it before their last look. Ends with a write of the MANIFEST.
  int& slow_tier_changes() { return slow_tier_changes_; }
  // Nothing is retained or promoted by flush while it is above 0.
  int& level_changes() { return level_changes_; }

  // Stops the jobs: none starts from here on, one that runs ends at its next
  // step. The caller waits for busy() to end.
  void Stop();
  // For relocator().
  void ScheduleRelocation();
  bool busy() const { return jobs_.load(std::memory_order_acquire) > 0; }

  // The edit that installs a promoted file, from when it can no longer be
  // called back until it is in force; else nullptr.
  const VersionEdit* promotion_edit() const { return promotion_edit_; }
  void set_promotion_edit(const VersionEdit* edit) { promotion_edit_ = edit; }

  // REQUIRES: DB mutex not held, stopped, not busy. Writes RALT out.
  void CloseRalt();

  // ---- The job -----------------------------------------------------------

  DBImpl* db() const { return db_; }
  ColumnFamilyData* cfd() const { return cfd_; }
  Ralt* ralt() const { return ralt_.load(std::memory_order_acquire); }
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  uint64_t fast_budget_bytes() const {
    return fast_budget_bytes_.load(std::memory_order_relaxed);
  }
  // What stays free beside a promotion, under a limit on space and on the fast
  // disk: for flushes and for the compaction of L0 that follows.
  uint64_t spare_bytes() const {
    return spare_bytes_.load(std::memory_order_relaxed);
  }
  // Whether the last attempt to promote found less.
  bool lacks_space() const {
    return lacks_space_.load(std::memory_order_relaxed);
  }
  void set_lacks_space(bool lacks) {
    lacks_space_.store(lacks, std::memory_order_relaxed);
  }
  // No attempt to promote for a while: the DB is busy, or the fast tier full.
  void BackOff();

 private:
  static constexpr int kMaxIoCredit = 64;

  // A job takes this for its argument, and its last call is EndJob(), which
  // may destroy it. False: the DB is being closed, there must be no job.
  bool BeginJob();
  void EndJob();
  static void Unschedule(void* tier);

  // Where RALT's folder may be: paths may have changed their order.
  static std::vector<std::string> Folders(const ColumnFamilyData& cfd);

  struct Orphan;
  static void RunTearDown(void* orphan);
  static void RunOpening(void* tier);
  static void RunPromotion(void* tier);
  static void RunRelocation(void* tier);
  static void RunSwitch(void* tier);
  void SchedulePromotion();
  void OpenRalt();
  // To the LOG, once.
  void WarnOfOptions();
  void RemoveFoldersLeftBehind();
  static std::string RaltPath(const std::string& path,
                              const ColumnFamilyData& cfd);

  DBImpl* const db_;
  ColumnFamilyData* const cfd_;
  PromotionCache cache_;
  HotRapStats stats_;
  ColdFraction cold_fraction_;
  Relocator relocator_;

  std::atomic<int> first_slow_level_{0};
  // Of the shape.
  std::atomic<uint64_t> fast_budget_bytes_{0};
  std::atomic<uint64_t> spare_bytes_{0};
  std::atomic<bool> lacks_space_{false};
  std::atomic<uint64_t> compaction_room_bytes_{0};
  std::atomic<uint64_t> last_fast_target_bytes_{0};
  std::atomic<uint32_t> cached_hit_sampling_{1};
  std::atomic<int> io_credit_{0};
  std::atomic<bool> filtered_{false};
  std::atomic<bool> no_hotness_check_{false};
  std::atomic<bool> no_tracking_{false};
  std::atomic<bool> hot_once_more_counts_{false};

  std::atomic<Ralt*> ralt_{nullptr};
  std::unique_ptr<Ralt> owned_ralt_;  // written by the job and CloseRalt only
  std::atomic<bool> ralt_open_due_{true};
  mutable port::RWMutex ralt_pins_;

  std::atomic<bool> stopped_{false};
  std::atomic<bool> promotion_scheduled_{false};
  // Of the job, for NoteAdmissions().
  uint64_t admissions_noted_ = 0;
  uint64_t known_admissions_noted_ = 0;
  double recent_known_share_ = 0;
  std::atomic<int> jobs_{0};
  std::atomic<uint64_t> not_before_micros_{0};

  // Protected by the DB mutex.
  HotRapOptions options_;
  const VersionEdit* promotion_edit_ = nullptr;
  int slow_tier_changes_ = 0;
  int level_changes_ = 0;
  // Why HotRAP is inactive; empty while it is active. A literal, so that the
  // property needs no lock.
  std::atomic<const char*> inactive_reason_{"not set up yet"};
};

}  // namespace ROCKSDB_NAMESPACE
