//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Ralt, the Recent Access Lookup Table (paper section 3.2), tracks which keys
// of a store are hot, in a small LSM-tree of its own.
//
// Thread safety: every method may be called from any thread at any time, except
// for the destructor, which must come last. Only Open, Flush, WaitForIdle and
// the destructor do I/O or wait for it.
//
// Invariants:
// 1. Nothing that happens to RALT's files makes the caller's store fail: at
//    worst nothing is hot.
// 2. IsHot() reflects flushed accesses, and first ones while these count. A key
//    that is hot in the current version is never reported as cold.
//
// Ralt's parts are in namespace ralt, because some of their names clash with
// RocksDB's.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/heat/heat_survey.h"
#include "plugin/hotrap/ralt/heat/hit_rate_curve.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/ralt_stats.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Ralt {
 public:
  // Fails only if options are invalid. If the folder cannot be read, created or
  // understood, the Ralt starts empty and may be paused. Reads the manifest
  // and, if they are small, the filters and indexes; large ones are read in the
  // background.
  static Status Open(const RaltOptions& options, std::unique_ptr<Ralt>* opened);

  // Removes RALT's files from the folder, and the folder if it is then empty.
  // REQUIRES: no Ralt is open there.
  static Status Destroy(const std::string& path, FileSystem* fs);

  // Makes hard links in the folder `to`, which must exist, of the files of one
  // state that the Ralt in `path` was in, which may be open and at work; copies
  // where the file system has no links. `names` receives their names. Accesses
  // that were not flushed are not in it. On failure files may be left in `to`.
  static Status Copy(const std::string& path, FileSystem* fs,
                     const std::string& to, std::vector<std::string>* names);

  // Stops background work, waits for it to end, then flushes the buffers (best
  // effort, in the calling thread).
  virtual ~Ralt() = default;

  // Records an access. Never blocks. `weight` is the number of accesses that a
  // sampled access represents. `fast`: the record was found on the fast tier,
  // so that nobody will call IsHotWithOneMoreAccess() for it.
  virtual void RecordAccess(const Slice& user_key, uint64_t value_bytes,
                            uint32_t weight = 1, bool fast = false) = 0;

  // Returns whether the key's flushed accesses make it hot. Has false
  // positives, at the rate of the Bloom filters. While first reads are likely
  // to be followed by others (FirstReads), one access is enough, and need not
  // have been flushed if it was not marked `fast`.
  virtual bool IsHot(const Slice& user_key) const = 0;

  // Returns whether the access just recorded makes the key hot: RALT knows the
  // key from earlier accesses, and a score of one access is enough to be hot.
  // Earlier accesses are those that were flushed, and those not marked `fast`
  // since the flush before the last one, unless another key has taken their
  // slot in memory. Has false positives like IsHot(), and is always true if
  // IsHot() is true by flushed accesses.
  virtual bool IsHotWithOneMoreAccess(const Slice& user_key) const = 0;

  // Returns whether one access makes every key hot that was accessed before,
  // because the score of one access is enough.
  virtual bool SecondAccessMakesHot() const = 0;

  // Tells the target size of the level that keeps hot records, 0 if unknown,
  // and the size of all data. Without the latter, records are never hot from
  // their first access on (FirstReads). Not persistent. Never blocks.
  virtual void SetTierSizes(uint64_t hot_level_bytes, uint64_t data_bytes) = 0;

  // Tells whether a hot set is being learned, which only the caller can see.
  // While it is, Ralt keeps as many unstable records as the largest hot set has
  // (R_hs) instead of D_hs, within its first physical limit; otherwise few keys
  // of a large hot set would still be known at their second access. It also
  // merges every flush at once, so that keys in two runs become hot at once.
  // Limits do not change without auto-tuning. Not persistent. Never blocks.
  virtual void SetLearning(bool learning) = 0;

  // Returns an estimate of the HotRAP bytes of hot keys in [begin, end), from
  // memory. It counts half a block at each end of the range. If `error` is
  // given, it receives the bytes by which the estimate may be wrong in either
  // direction.
  virtual uint64_t HotBytes(const Slice& begin, const Slice& end,
                            uint64_t* error = nullptr) const = 0;

  // Returns the bytes of the current version's files, from memory. Empty until
  // the files found by Open have been read.
  virtual std::optional<uint64_t> PhysicalBytes() const = 0;

  // Changes the caps. RALT drops what they do not allow in the background, and
  // fills what they add as it learns. Never blocks. REQUIRES: the caps are
  // valid as options.
  virtual void SetCaps(const RaltCaps& caps) = 0;

  // Seals the buffers and waits until they are flushed and merged.
  virtual Status Flush() = 0;

  // Waits until no background work is due. Returns the last background error.
  virtual Status WaitForIdle() = 0;

  // Called before the store closes: background work stops at its next step, no
  // new work starts, and RecordAccess becomes a no-op. The destructor still
  // flushes the buffers. Returns at once.
  virtual void CancelWork() = 0;

  virtual RaltStats GetStats() const = 0;

  // Which hit rate a fast tier of another size would have. From memory; without
  // points until enough was accessed since Open().
  virtual HitRateCurve HitRates() const = 0;

  // Adds all flushed records to the survey. Reads all of RALT's files; ends
  // with ShutdownInProgress after CancelWork().
  virtual Status Survey(HeatSurvey* survey) const = 0;

  // Returns OK, or the error because of which tracking is paused.
  virtual Status BackgroundError() const = 0;
};

}  // namespace ROCKSDB_NAMESPACE
