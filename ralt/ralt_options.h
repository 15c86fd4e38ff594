//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

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

// RALT's cap on its physical bytes at the start (section 4.1).
inline uint64_t DefaultRaltPhysicalLimit(uint64_t fast_budget_bytes) {
  return fast_budget_bytes / 100 * 15;
}

// How a Ralt is placed, limited and tuned. None of it can change while the
// Ralt is open. "HotRAP bytes" are key + value bytes of the user's records,
// "physical bytes" are bytes of RALT's own files. Section numbers are those of
// the HotRAP paper; its constants are the defaults.
struct RaltOptions {
  // ---- Where it lives and what it runs on -------------------------------

  // RALT's own folder, on the fast tier. Created when missing. Everything in
  // it belongs to RALT.
  std::string path;

  // Never null.
  Env* env = Env::Default();

  // All files go through it. nullptr: env's file system.
  std::shared_ptr<FileSystem> fs;

  // nullptr: env's clock.
  SystemClock* clock = nullptr;

  // May be nullptr.
  Logger* info_log = nullptr;

  // Charged for background reads and writes, at IO_LOW. May be nullptr.
  std::shared_ptr<RateLimiter> rate_limiter;

  // Told of RALT's files, and asked before RALT writes. May be nullptr.
  std::shared_ptr<RaltSpace> space;

  bool use_direct_reads = false;
  bool use_direct_io_for_writes = false;

  // Order of the user keys.
  const Comparator* comparator = BytewiseComparator();

  // The stamp in the manifest: a folder that carries another stamp is foreign,
  // its contents are dropped. The name serves people only.
  std::string db_id;
  uint32_t cf_id = 0;
  std::string cf_name;

  // ---- Limits ------------------------------------------------------------

  // Size of the fast tier for this column family. Every limit that is 0
  // below is derived from it. Must be > 0.
  uint64_t fast_budget_bytes = 0;

  // Cap on the HotRAP bytes of hot records at the start (section 4.1).
  // Default (0): 50 % of fast_budget_bytes. Auto-tuning moves it.
  uint64_t hot_set_limit_bytes = 0;

  // Cap on RALT's physical bytes, with what a merge takes beside its inputs; at
  // the start (section 4.1). Auto-tuning moves what of it the records may have,
  // and raises the cap where they need more. Files that a hot key iterator
  // keeps come on top.
  // Default (0): 15 % of fast_budget_bytes, and at least 32 KiB: a run, its
  // copy and two manifests need some room whatever the budget.
  uint64_t physical_limit_bytes = 0;

  // ---- Scores (section 3.2) ----------------------------------------------

  // Factor by which a score fades in each time slice, in (0, 1).
  double alpha = 0.999;

  // A time slice passes each time this part of the hot set limit has been
  // accessed.
  double slice_fraction = 0.001;

  // ---- Eviction (section 3.2) --------------------------------------------

  // Part of a limit that an eviction frees if stable records fill it. Else it
  // frees half of what they leave, but with a fixed limit at most this part.
  double eviction_fraction = 0.1;

  // Points drawn to estimate a score threshold.
  uint32_t eviction_samples = 10000;

  // ---- Auto-tuning (section 3.7, Algorithm 1) ----------------------------

  // False: the two limits stay where they start.
  bool auto_tune = true;

  // Cap of a record's counter.
  double counter_max = 5;

  // What an access adds to the counter.
  double counter_step = 2.6;

  // Every counter falls by one each time this many HotRAP bytes have been
  // accessed (the paper's R). Default (0): fast_budget_bytes.
  uint64_t counter_period_bytes = 0;

  // Bounds of the hot set limit (L_hs, R_hs) as parts of fast_budget_bytes.
  double hot_set_min_fraction = 0.05;
  double hot_set_max_fraction = 0.70;

  // Room for records that are not stable yet (D_hs), as a part of R_hs.
  double unstable_fraction = 0.05;

  // ---- Memory and files --------------------------------------------------

  // Cap on the memory of all access buffers together, sealed ones included.
  // Beyond it accesses are dropped and counted.
  uint64_t buffer_bytes = 64ull << 20;

  // The buffers are sealed and flushed once they hold this much memory ...
  // Default (0): a quarter of buffer_bytes, that is 16 MiB, but at most what a
  // flush may write, FlushShare() of physical_limit_bytes.
  uint64_t seal_bytes = 0;

  // ... or once they hold accesses to this many HotRAP bytes: with a small
  // fast tier 16 MiB of accesses would be many times the hot set, and
  // IsHot() only knows what has been flushed. Accesses of weight > 1 do not
  // count: nobody waits for what is known of records that are in memory.
  // Default (0): 5 % of fast_budget_bytes.
  uint64_t seal_accessed_bytes = 0;

  // Bits a hot key of the Bloom filters.
  double bloom_bits_per_key = 14;

  // Size ratio of neighbouring levels.
  uint32_t level_ratio = 10;

  // Runs in level 0 that start a merge into level 1, where they bring little
  // that is new; else the first one does. More of them make accesses cheaper
  // and a key's second access hot later.
  uint32_t level0_runs = 8;

  // Data blocks are cut at this size. HotBytes() errs by up to half of a block
  // at each edge of a range, and the index takes some 42 B of memory a block.
  // At most 8 KiB.
  uint32_t block_bytes = 3 << 10;

  // A level's files are cut at this size, which is also the step of a merge
  // and so the room it needs. Default (0): 1/16 of physical_limit_bytes,
  // between 256 KiB (or 1/8 of the limit) and 16 MiB, or where that makes more
  // than 512 files, 1/512 of it: all of them are open all the time.
  uint64_t file_bytes = 0;

  // Open() reads the filters and indexes of all runs itself if they are not
  // larger than this in all; else the background job does, and nothing is hot
  // until then.
  uint64_t inline_load_bytes = 16 << 20;

  // After an I/O error tracking stays off for this long.
  uint64_t retry_after_error_secs = 10;

  // Fills in the defaults that derive from other fields, then checks every
  // field. InvalidArgument names the one that can't be meant.
  Status Sanitize();

  // `bytes`, or the bound of the hot set limit next to it.
  uint64_t InHotSetBounds(double bytes) const;

  // How a physical limit is shared. The records may take so much of it when
  // they are merged; the rest is for flushed runs that wait for a merge, and
  // for what a merge writes before its inputs go.
  static uint64_t RecordShare(uint64_t physical_limit) {
    return physical_limit / 8 * 5;
  }
  // A flush may write so much.
  static uint64_t FlushShare(uint64_t physical_limit) {
    return physical_limit / 8;
  }
  // Longer keys are not tracked: a flush has to have room for two, or where the
  // comparator need not shorten them, so that a run's bounds are as long, for
  // several of them.
  uint64_t MaxKeyBytes() const {
    return FlushShare(physical_limit_bytes) /
           (comparator == BytewiseComparator() ? 2 : 32);
  }

  // `bytes`, or the bound of the limit on merged records next to it.
  uint64_t InRecordBounds(double bytes) const;
  // That limit as tuned, with room on top of it while a hot set is learnt: at
  // most up to where the limit started.
  uint64_t RecordLimit(uint64_t tuned_bytes, uint64_t room_to_learn) const;
  // The physical limit in which there is that share for the records.
  uint64_t PhysicalLimit(uint64_t record_limit) const;
};

}  // namespace ROCKSDB_NAMESPACE
