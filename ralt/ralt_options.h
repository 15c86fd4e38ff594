//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/hotrap/ralt/ralt_space.h"
#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/status.h"
#include "rocksdb/system_clock.h"

namespace ROCKSDB_NAMESPACE {

// RALT's initial cap on its physical bytes (paper section 4.1).
inline uint64_t DefaultRaltPhysicalLimit(uint64_t fast_budget_bytes) {
  return fast_budget_bytes / 100 * 15;
}

// A number that may change while others read it.
template <typename T>
class Live {
 public:
  Live(T value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  Live(const Live& other) : value_(other.get()) {}
  Live& operator=(const Live& other) { return *this = other.get(); }
  Live& operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  T get() const { return value_.load(std::memory_order_relaxed); }
  operator T() const { return get(); }  // NOLINT(google-explicit-constructor)

 private:
  std::atomic<T> value_;
};

// What may change while a Ralt is open; see RaltOptions.
struct RaltCaps {
  uint64_t fast_budget_bytes = 0;
  uint64_t buffer_bytes = 0;
  bool auto_tune = true;

  bool operator==(const RaltCaps& rhs) const {
    return fast_budget_bytes == rhs.fast_budget_bytes &&
           buffer_bytes == rhs.buffer_bytes && auto_tune == rhs.auto_tune;
  }
};

// The placement, limits and tuning of a Ralt. Of an open Ralt only RaltCaps
// change (Ralt::SetCaps), and what is Live because it follows from them.
// "HotRAP bytes" are key + value bytes of the user's records; "physical bytes"
// are bytes of RALT's own files. Section numbers refer to the HotRAP paper,
// whose constants are the defaults.
struct RaltOptions {
  // ---- Location and environment -----------------------------------------

  // RALT's own folder, on the fast tier. Created if missing. Everything in it
  // belongs to RALT.
  std::string path;

  // Never null.
  Env* env = Env::Default();

  // Used for all files. nullptr means env's file system.
  std::shared_ptr<FileSystem> fs;

  // nullptr means env's clock.
  SystemClock* clock = nullptr;

  // May be nullptr.
  Logger* info_log = nullptr;

  // Charged for background reads and writes, at IO_LOW. May be nullptr.
  std::shared_ptr<RateLimiter> rate_limiter;

  // Learns of RALT's files, and is asked for room before RALT writes. May be
  // nullptr.
  std::shared_ptr<RaltSpace> space;

  bool use_direct_reads = false;
  bool use_direct_io_for_writes = false;

  // Order of the user keys.
  const Comparator* comparator = BytewiseComparator();

  // The stamp in the manifest. A folder with another stamp is foreign, and its
  // contents are deleted. The name is for human readers only.
  std::string db_id;
  uint32_t cf_id = 0;
  std::string cf_name;

  // ---- Limits ------------------------------------------------------------

  // Size of the fast tier for this column family. Limits below that are 0 are
  // derived from it. Must be > 0.
  Live<uint64_t> fast_budget_bytes = 0;

  // Initial cap on the HotRAP bytes of hot records (section 4.1). Auto-tuning
  // changes it.
  // Default: 0, which means 50 % of fast_budget_bytes.
  Live<uint64_t> hot_set_limit_bytes = 0;

  // Initial cap on RALT's physical bytes, including what a merge writes beside
  // its inputs (section 4.1). Auto-tuning changes the part that records may
  // take, and raises the cap if they need more.
  // Default: 0, which means 15 % of fast_budget_bytes, but at least 32 KiB,
  // because a run, its copy and two manifests need some room whatever the
  // budget.
  Live<uint64_t> physical_limit_bytes = 0;

  // ---- Scores (section 3.2) ----------------------------------------------

  // Factor by which scores decay in each time slice, in (0, 1).
  double alpha = 0.999;

  // A time slice ends each time this fraction of the hot set limit has been
  // accessed.
  double slice_fraction = 0.001;

  // ---- Eviction (section 3.2) --------------------------------------------

  // Fraction of a limit that an eviction frees if stable records fill the
  // limit. Otherwise it frees half of what stable records leave, but with a
  // fixed limit at most this fraction of the limit.
  double eviction_fraction = 0.1;

  // Number of points drawn to estimate a score threshold.
  uint32_t eviction_samples = 10000;

  // ---- Auto-tuning (section 3.7, Algorithm 1) ----------------------------

  // If false, the two limits keep their initial values.
  Live<bool> auto_tune = true;

  // Cap of a record's counter.
  double counter_max = 5;

  // What an access adds to the counter.
  double counter_step = 2.6;

  // Every counter falls by one each time this many HotRAP bytes have been
  // accessed (the paper's R).
  // Default: 0, which means fast_budget_bytes.
  uint64_t counter_period_bytes = 0;

  // Bounds of the hot set limit (L_hs, R_hs) as fractions of fast_budget_bytes.
  double hot_set_min_fraction = 0.05;
  double hot_set_max_fraction = 0.70;

  // Target size of the level that keeps hot records, which bounds the hot set
  // limit, too: at kMaxHotShare of it. Crossings could free nothing in a level
  // that is all hot.
  // Default: 0, not known.
  Live<uint64_t> hot_level_bytes = 0;
  static constexpr double kMaxHotShare = 0.85;

  // Room for records that are not stable yet (D_hs), as a fraction of R_hs.
  double unstable_fraction = 0.05;

  // ---- Memory and files --------------------------------------------------

  // Cap on the memory of all access buffers together, including sealed ones.
  // Accesses beyond it are dropped and counted.
  uint64_t buffer_bytes = 64ull << 20;

  // The buffers are sealed and flushed once they use this much memory ...
  // Default: 0, which means a quarter of buffer_bytes (16 MiB), but at most
  // what a flush may write: FlushShare() of physical_limit_bytes.
  uint64_t seal_bytes = 0;

  // ... or once they hold accesses to this many HotRAP bytes. With a small fast
  // tier, 16 MiB of accesses would be many times the hot set, and IsHot() only
  // knows what has been flushed. Accesses of weight > 1 do not count: they are
  // to records in memory, whose hotness is not urgent.
  // Default: 0, which means 5 % of fast_budget_bytes.
  uint64_t seal_accessed_bytes = 0;

  // Bits per key of the Bloom filters.
  double bloom_bits_per_key = 14;

  // Size ratio of neighbouring levels.
  uint32_t level_ratio = 10;

  // Number of runs in level 0 that starts a merge into level 1, if they bring
  // few new keys; otherwise the first run starts one. More runs make accesses
  // cheaper, but keys become hot later after their second access.
  uint32_t level0_runs = 8;

  // Size at which data blocks are cut. HotBytes() is wrong by up to half a
  // block at each end of a range, and the index takes about 42 bytes of memory
  // per block. At most 8 KiB.
  uint32_t block_bytes = 3 << 10;

  // Size at which a level's files are cut. It is also the size of a merge's
  // steps, and thus the room that a merge needs.
  // Default: 0, which means 1/16 of physical_limit_bytes, clamped between 256
  // KiB (or 1/8 of the limit if that is less) and 16 MiB. If that gives more
  // than 512 files, it is 1/512 of the limit, because all files stay open.
  Live<uint64_t> file_bytes = 0;

  // Open() reads the filters and indexes of all runs itself if their total size
  // is at most this. Otherwise the background job reads them, and nothing is
  // hot until then.
  uint64_t inline_load_bytes = 16 << 20;

  // How long tracking stays off after an I/O error.
  uint64_t retry_after_error_secs = 10;

  // Computes the defaults that depend on other fields, then validates every
  // field. InvalidArgument names the invalid one.
  Status Sanitize();

  // Takes new caps over, and computes anew what follows from them; but not
  // counter_period_bytes, since records' counters are in its periods.
  // REQUIRES: sanitized.
  void SetCaps(const RaltCaps& caps);

  // The upper bound of the hot set limit.
  uint64_t MaxHotSetBytes() const;
  // Returns `bytes`, clamped to the bounds of the hot set limit.
  uint64_t InHotSetBounds(double bytes) const;

  // Returns the part of a physical limit that merged records may take. The rest
  // is for flushed runs that wait for a merge, and for what a merge writes
  // before its inputs are deleted.
  static uint64_t RecordShare(uint64_t physical_limit) {
    return physical_limit / 8 * 5;
  }
  // Returns the share of a physical limit for one flush. A flush may write more
  // if the next one still has its share.
  static uint64_t FlushShare(uint64_t physical_limit) {
    return physical_limit / 8;
  }
  // Keys longer than this are not tracked. A flush must have room for two of
  // them; or for several, if the comparator may not shorten keys, so that a
  // run's bounds are as long as its keys.
  uint64_t MaxKeyBytes() const {
    return FlushShare(physical_limit_bytes) /
           (comparator == BytewiseComparator() ? 2 : 32);
  }

  // Returns `bytes`, clamped to the bounds of the limit on merged records.
  uint64_t InRecordBounds(double bytes) const;
  // Returns the physical bytes that a hot set that is being learned may take
  // beyond the limit on merged records: those of the largest hot set, by the
  // ratio of the two sums over all records.
  uint64_t RoomToLearn(uint64_t tracked_bytes, uint64_t physical_bytes) const;
  // Returns the tuned limit on merged records, plus `room_to_learn` while a hot
  // set is being learned, which may raise it at most to its initial value.
  uint64_t RecordLimit(uint64_t tuned_bytes, uint64_t room_to_learn) const;
  // Returns the physical limit of which `record_limit` is the share of records.
  uint64_t PhysicalLimit(uint64_t record_limit) const;

 private:
  void SetDefaults();
};

}  // namespace ROCKSDB_NAMESPACE
