//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The HotRAP state of one column family: its RALT, its promotion cache, and the
// jobs that promote and relocate.
//
// Lifetime: HotRapHooks creates it when a writable DB installs the first
// SuperVersion whose options have HotRAP on. It lives as long as the column
// family, active or not.
//
// Lock order: DB mutex, then the promotion cache's locks. RALT's locks are
// leaves. No lock is held while a file is read or written.

#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/db/placement/cold_fraction.h"
#include "plugin/hotrap/db/relocation/relocator.h"
#include "plugin/hotrap/db/state/hotrap_stats.h"
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
  // RALT's folder in the fast path has this name, followed by the column
  // family's id.
  static constexpr char kRaltFolderPrefix[] = "hotrap.ralt.";

  HotRapTier(DBImpl* db, ColumnFamilyData* cfd);
  ~HotRapTier();
  HotRapTier(const HotRapTier&) = delete;
  HotRapTier& operator=(const HotRapTier&) = delete;

  // Tears down, in this thread, the RALTs of the DB's dropped column families
  // that are still queued behind other DBs' RALTs. REQUIRES: DB mutex not held.
  static void TearDownNow(DBImpl* db);

  // ---- Reads: any thread ------------------------------------------------

  // FS; 0 while HotRAP is inactive.
  int first_slow_level() const {
    return first_slow_level_.load(std::memory_order_acquire);
  }
  PromotionCache& cache() { return cache_; }
  HotRapStats& stats() { return stats_; }
  // The measured cold fraction; crossing compactions report to it.
  ColdFraction& cold_fraction() { return cold_fraction_; }
  const ColdFraction& cold_fraction() const { return cold_fraction_; }
  // For the statistics property: the target in the newest version.
  void set_last_fast_target_bytes(uint64_t bytes) {
    last_fast_target_bytes_.store(bytes, std::memory_order_relaxed);
  }
  // Moves tables to the tier of their level.
  Relocator& relocator() { return relocator_; }
  // From the shape: what one compaction writes beside its inputs.
  uint64_t compaction_room_bytes() const {
    return compaction_room_bytes_.load(std::memory_order_relaxed);
  }
  bool filtered() const { return filtered_.load(std::memory_order_relaxed); }

  // Returns how many accesses a hit of a point read represents: 1 if it did
  // I/O. Otherwise cached_hit_sampling for one in that many hits, and 0 for the
  // rest. Call it once per hit, before any other work.
  uint32_t SampleHit(bool did_io) const {
    const uint32_t one_in =
        cached_hit_sampling_.load(std::memory_order_relaxed);
    if (did_io || one_in == 1) {
      return 1;
    }
    return Random::GetTLSInstance()->OneIn(static_cast<int>(one_in)) ? one_in
                                                                     : 0;
  }

  // Returns whether a record that was found in memory may be admitted. While a
  // record stays in memory, a copy on the fast tier speeds up no read, and adds
  // a file that reads must pass. So each slow hit with I/O earns one such
  // admission, and at most kMaxIoCredit are saved up.
  bool MayAdmitFromMemory() const {
    return io_credit_.load(std::memory_order_relaxed) > 0;
  }
  // Racing readers may overshoot either end a little, which is harmless.
  void OnAdmittedFromMemory() {
    io_credit_.fetch_sub(1, std::memory_order_relaxed);
  }
  void NoteSlowTierIo() {
    if (io_credit_.load(std::memory_order_relaxed) < kMaxIoCredit) {
      io_credit_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  // Records a hit of a point read. `fast`: it was on the fast tier. REQUIRES:
  // weight > 0
  void RecordAccess(const Slice& user_key, uint64_t value_bytes,
                    uint32_t weight, bool fast);

  // Schedules a promotion by flush if the cache is full. Cheap otherwise.
  void MaybeSchedulePromotion();

  // Returns whether a record of the slow tier should be promoted: RALT is open
  // and the key is hot.
  bool WorthPromoting(const Slice& user_key) const {
    Ralt* const tracker = ralt();
    return tracker != nullptr &&
           (no_hotness_check_.load(std::memory_order_relaxed) ||
            tracker->IsHot(user_key));
  }
  // The same for a cached record. While much of what is admitted has known keys
  // (NoteAdmissions), RALT need not have flushed the last access.
  bool WorthPromoting(const PromotionRecord& record) const {
    return (one_more_access_counts_.load(std::memory_order_relaxed) &&
            record.hot_with_one_more_access.load(std::memory_order_relaxed)) ||
           WorthPromoting(record.user_key);
  }

  // Returns whether the access being recorded makes the key hot.
  bool IsHotWithOneMoreAccess(const Slice& user_key) const {
    Ralt* const tracker = ralt();
    return tracker != nullptr && tracker->IsHotWithOneMoreAccess(user_key);
  }
  // Returns whether any key becomes hot with its second access.
  bool SecondAccessMakesHot() const {
    Ralt* const tracker = ralt();
    return tracker != nullptr && tracker->SecondAccessMakesHot();
  }
  // Looks at the share of records admitted from disk since the last call whose
  // keys RALT knew. If it is large, a hot set is being learned, and records
  // should not need a third read to be promoted. If it is small, reads are
  // spread over all records, and promoting what is occasionally read twice is
  // not worth it. Once the share is clearly larger than chance explains, RALT
  // is told to remember more.
  // `data_bytes` is the size of all levels.
  void NoteAdmissions(uint64_t data_bytes);

  // Keeps RALT open for callers that closing the DB does not wait for:
  // CloseRalt() waits until all pins are gone. get() returns nullptr while RALT
  // is not open.
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

  // Adds the statistics property's entries. Any thread.
  void GetStats(std::map<std::string, std::string>* values) const;

  // ---- REQUIRES: DB mutex held -------------------------------------------

  // Applies the options and the level targets. Returns whether HotRAP is
  // active.
  bool Configure(const MutableCFOptions& options);

  // In forced mode, occasionally schedules a change of the options
  // (HotRapForce).
  void SwitchIfForced();

  // Above 0 while somebody changes the slow tier without a compaction and has
  // chosen the files, but no version shows it yet. Compactions that promote
  // wait for 0 before their last check. Each change ends with a write of the
  // MANIFEST.
  int& slow_tier_changes() { return slow_tier_changes_; }
  // While it is above 0, nothing is retained or promoted by flush.
  int& level_changes() { return level_changes_; }

  // Stops the jobs: no job starts from here on, and a running one ends at its
  // next step. The caller waits until busy() is false.
  void Stop();
  // For Relocator only.
  void ScheduleRelocation();
  bool busy() const { return jobs_.load(std::memory_order_acquire) > 0; }

  // The edit that installs a promoted file, from the point where it can no
  // longer be cancelled until it is installed; else nullptr.
  const VersionEdit* promotion_edit() const { return promotion_edit_; }
  void set_promotion_edit(const VersionEdit* edit) { promotion_edit_ = edit; }

  // Flushes and closes RALT. REQUIRES: DB mutex not held, stopped, not busy.
  void CloseRalt();

  // ---- The job -----------------------------------------------------------

  DBImpl* db() const { return db_; }
  ColumnFamilyData* cfd() const { return cfd_; }
  Ralt* ralt() const { return ralt_.load(std::memory_order_acquire); }
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  uint64_t fast_budget_bytes() const {
    return fast_budget_bytes_.load(std::memory_order_relaxed);
  }
  // Bytes that a promotion leaves free, on the fast disk and under a limit on
  // space: for flushes, and for the compaction of L0 that follows.
  uint64_t spare_bytes() const {
    return spare_bytes_.load(std::memory_order_relaxed);
  }
  // Whether the last promotion found less than that.
  bool lacks_space() const {
    return lacks_space_.load(std::memory_order_relaxed);
  }
  void set_lacks_space(bool lacks) {
    lacks_space_.store(lacks, std::memory_order_relaxed);
  }
  // Prevents promotions for a while, because the DB is busy or the fast tier
  // full.
  void BackOff();

 private:
  static constexpr int kMaxIoCredit = 64;

  // A job has this object as its argument. It starts with BeginJob(), which
  // returns false if the DB is being closed and no job may run. Its last call
  // is EndJob(), which may destroy the object.
  bool BeginJob();
  void EndJob();
  static void Unschedule(void* tier);

  // All places where RALT's folder may be, since the order of paths may have
  // changed.
  static std::vector<std::string> Folders(const ColumnFamilyData& cfd);

  struct Orphan;
  static void RunTearDown(void* orphan);
  static void RunOpening(void* tier);
  static void RunPromotion(void* tier);
  static void RunRelocation(void* tier);
  static void RunSwitch(void* tier);
  void SchedulePromotion();
  void OpenRalt();
  // Writes warnings about the options to the LOG, once.
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
  // From the shape.
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
  std::atomic<bool> one_more_access_counts_{false};

  std::atomic<Ralt*> ralt_{nullptr};
  std::unique_ptr<Ralt> owned_ralt_;  // written by the job and CloseRalt only
  std::atomic<bool> ralt_open_due_{true};
  mutable port::RWMutex ralt_pins_;

  std::atomic<bool> stopped_{false};
  std::atomic<bool> promotion_scheduled_{false};
  // Used by the promotion job only, in NoteAdmissions().
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
  // Why HotRAP is inactive; empty while it is active. A string literal, so that
  // reading it needs no lock.
  std::atomic<const char*> inactive_reason_{"not set up yet"};
};

}  // namespace ROCKSDB_NAMESPACE
