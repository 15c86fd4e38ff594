//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The durable state of a Ralt: its folder, its manifest, and the version that
// they describe.
//
// Thread safety: versions(), limits(), PhysicalLimit() and hot_score() may be
// called from any thread. Everything else is for one thread at a time: first
// Open's, then the background job's, then the destructor's.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access/access_clock.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/run/run_env.h"
#include "plugin/hotrap/ralt/tree/manifest.h"
#include "plugin/hotrap/ralt/tree/space_use.h"
#include "plugin/hotrap/ralt/tree/version.h"
#include "port/port.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RunStore {
 public:
  // `clock` must outlive the store. REQUIRES: `options` are sanitized.
  RunStore(const RaltOptions& options, AccessClock* clock);

  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  // Reads the manifest, restores clock and limits, and deletes files that the
  // manifest does not name. A folder that cannot be understood becomes an empty
  // store. An error means that the folder cannot be used now; the call may be
  // retried.
  Status Recover();

  // The number of bytes that LoadRuns() will read.
  uint64_t PendingLoadBytes() const;
  // Opens the runs of the manifest and publishes the version. Damaged runs make
  // the store empty. On other errors nothing changes, and the call may be
  // retried. `cancelled` is called before each run; if it returns true, the
  // result is ShutdownInProgress.
  Status LoadRuns(const std::function<bool()>& cancelled);

  // Forgets everything because of `why`.
  void Reset(const Status& why);
  // Creates an empty folder after the folder was removed. On failure nothing
  // changes.
  Status StartAnew(const Status& why);

  // Makes the version and the limits durable, then current, then deletes files
  // that are no longer used. On failure nothing changes.
  Status Install(std::shared_ptr<const Version> version,
                 const RaltLimits& limits);

  // Brings the limits within the options' caps, which have changed; limits grow
  // with the budget. For the background job.
  void AdoptCaps(uint64_t old_budget_bytes);

  // Called before the accesses up to now are flushed: manifests carry this time
  // from here on. If later accesses are lost in a crash, they have not aged
  // what was flushed.
  void MarkTime() { durable_time_ = clock_->Save(); }

  // Deletes files that have left the version, except those that a reader still
  // uses. Install() does this, too.
  void DeleteObsoleteFiles();

  uint64_t NewFileNumber() { return next_file_number_++; }

  const VersionHolder& versions() const { return versions_; }
  const RunEnv& env() const { return env_; }
  RaltLimits limits() const;
  // The score in limits().hot_threshold. A reader may see it together with the
  // previous or the next version.
  float hot_score() const { return hot_score_.load(std::memory_order_relaxed); }
  // The limit on the total size of RALT's files, at any time.
  uint64_t PhysicalLimit() const {
    return options_.PhysicalLimit(limits().physical_bytes);
  }
  // What the files of `version` and the manifest take.
  SpaceUse Use(const Version& version) const {
    return SpaceUse(version, manifest_bytes_, options_.file_bytes);
  }
  // Whether the manifest on disk may differ from the last one installed.
  bool manifest_in_doubt() const { return manifest_in_doubt_; }
  uint64_t resets() const { return resets_.load(std::memory_order_relaxed); }

 private:
  // Sets the two limits that follow from the caps: to what they start with, or,
  // with auto-tuning, to `tuned`, as far as the caps allow.
  void LimitByCaps(const RaltLimits& tuned, RaltLimits* limits) const;
  // REQUIRES: limits_mutex_ held
  void SetLimits(const RaltLimits& limits);
  Status CreateFolder();
  // Called after a failed read. Returns whether a retry may succeed.
  bool MayBeReadLater(const Status& failure);
  void DeleteUnknownFiles();
  // Marks files as obsolete that are in `version` but not in `kept`.
  void RetireFilesNotIn(const Version& kept, const Version& version);
  Status OpenRuns(const std::function<bool()>& cancelled, Version* version);
  Manifest MakeManifest(const Version& version, const RaltLimits& limits);

  const RaltOptions& options_;
  AccessClock* const clock_;
  RunEnv env_;
  VersionHolder versions_;
  // Runs of the manifest that LoadRuns() has not opened yet.
  std::vector<Manifest::Run> pending_runs_;
  // Files that left the version; deleted once no reader uses them.
  std::vector<std::shared_ptr<RunFile>> obsolete_;
  // Set if writing the last manifest failed so late that the file on disk may
  // be the old or the new one. No file that either of them names may be
  // deleted.
  bool manifest_in_doubt_ = false;
  uint32_t failed_reads_ = 0;
  uint64_t manifest_bytes_ = 0;
  uint64_t next_file_number_ = 1;
  AccessClock::State durable_time_;
  std::atomic<uint64_t> resets_{0};

  mutable port::Mutex limits_mutex_;
  // Protected by limits_mutex_.
  RaltLimits limits_;
  std::atomic<float> hot_score_{Rank::LowestStable().score};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
