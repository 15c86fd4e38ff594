//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The durable state of a Ralt: its folder, its manifest and the version that
// they describe.
//
// Thread safety: versions(), limits() and hot_score() are safe for concurrent
// use.
// All else is for one thread at a time: Open's, then the background job's,
// then the destructor's.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access_clock.h"
#include "plugin/hotrap/ralt/manifest.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/run_env.h"
#include "plugin/hotrap/ralt/version.h"
#include "port/port.h"

namespace ROCKSDB_NAMESPACE::ralt {

class RunStore {
 public:
  // `clock` outlives the store. `options` are sanitized.
  RunStore(const RaltOptions& options, AccessClock* clock);

  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  // Reads the manifest, restores clock and limits, removes files that it does
  // not name. A folder that makes no sense to us becomes an empty store; an
  // error says that the folder can't be used for now, and may be tried again.
  Status Recover();

  // Bytes that LoadRuns() will read.
  uint64_t PendingLoadBytes() const;
  // Opens the runs of the manifest and publishes the version. Damaged runs
  // make the store empty; on another error all stays as it was, to be tried
  // again.
  // ShutdownInProgress once `cancelled`, asked before each.
  Status LoadRuns(const std::function<bool()>& cancelled);

  // Forgets everything because of `why`.
  void Reset(const Status& why);
  // The folder was taken away: an empty one in its place. On failure all stays
  // as it was.
  Status StartAnew(const Status& why);

  // Makes a version and limits durable, then current, then deletes files that
  // nobody uses any more. On failure all stays as it was.
  Status Install(std::shared_ptr<const Version> version,
                 const RaltLimits& limits);

  // The accesses up to now are about to be flushed: manifests carry this time
  // from here on. Later accesses that get lost in a crash then have not aged
  // what was flushed.
  void MarkTime() { durable_time_ = clock_->Save(); }

  // Deletes files that have left the version, but for those that a reader
  // still refers to. Install() does so, too.
  void DeleteObsoleteFiles();

  uint64_t NewFileNumber() { return next_file_number_++; }

  const VersionHolder& versions() const { return versions_; }
  const RunEnv& env() const { return env_; }
  RaltLimits limits() const;
  // Of limits().hot_threshold; a reader may meet it with the version before or
  // after.
  float hot_score() const { return hot_score_.load(std::memory_order_relaxed); }
  // Of the last manifest.
  uint64_t manifest_bytes() const { return manifest_bytes_; }
  // Whether the manifest on the disk may be another one than the last.
  bool manifest_in_doubt() const { return manifest_in_doubt_; }
  uint64_t resets() const { return resets_.load(std::memory_order_relaxed); }

 private:
  // REQUIRES: limits_mutex_ held
  void SetLimits(const RaltLimits& limits);
  Status CreateFolder();
  // After a failure to read what is on the disk.
  bool MayBeReadLater(const Status& failure);
  void DeleteUnknownFiles();
  // Makes files obsolete that are in `version`, but not in `kept`.
  void RetireFilesNotIn(const Version& kept, const Version& version);
  Status OpenRuns(const std::function<bool()>& cancelled, Version* version);
  Manifest MakeManifest(const Version& version, const RaltLimits& limits);

  const RaltOptions& options_;
  AccessClock* const clock_;
  RunEnv env_;
  VersionHolder versions_;
  // The runs of the manifest that LoadRuns() has not opened yet.
  std::vector<Manifest::Run> pending_runs_;
  // Left the version; deleted once no reader refers to them.
  std::vector<std::shared_ptr<RunFile>> obsolete_;
  // Writing the last manifest failed so late that the one on disk may be the
  // old or the new one: no file that either of them names can go.
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
