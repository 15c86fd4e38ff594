//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Moves the tables of one column family that lie on the wrong tier, one at a
// time, in the background, until no table is left that may be moved.
//
// It runs in the compactions' thread pool, which may have a single thread, and
// must not block a compaction. So it works in steps of about 0.1 s, and
// requeues itself when other work is waiting; the table stays taken between
// steps. If a compaction that somebody waits for may need the table, the copy
// is dropped (TableIsNeeded()). While it must not continue, for example because
// background work is paused, it polls every kPollMicros. If nothing can be
// moved, it ends until there is a new version.
//
// Invariants: it never makes the fast path exceed the budget, and the DB never
// waits for it longer than one step (Interrupt()).

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "plugin/hotrap/db/relocation/relocation_picker.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class RelocationJob;
class TierState;
struct MutableCFOptions;

class Relocator {
 public:
  // `state` must outlive this object.
  explicit Relocator(TierState* state);
  ~Relocator();
  Relocator(const Relocator&) = delete;
  Relocator& operator=(const Relocator&) = delete;

  // ---- Any thread ----------------------------------------------------------

  // Bytes on the wrong tier, in the newest version.
  void set_bytes_left(uint64_t bytes) { bytes_left_.store(bytes); }
  uint64_t bytes_left() const {
    return bytes_left_.load(std::memory_order_relaxed);
  }
  // The same, but not 0 before the version with the last table is in force and
  // the compactions that waited for that table are scheduled. For users who
  // wait for the end.
  uint64_t reported_bytes_left() const {
    const uint64_t bytes = bytes_left_.load();
    return bytes > 0 ? bytes : moving_bytes_.load();
  }
  // Schedules a step if there may be something to do. Cheap.
  void MaybeSchedule();
  // The same after a read. Since a read brings no new information, this does
  // nothing for a while after a step found nothing to do.
  void MaybeScheduleForRead() {
    if (bytes_left() > 0 &&
        NowMicros() >= idle_until_micros_.load(std::memory_order_relaxed)) {
      MaybeSchedule();
    }
  }

  // ---- REQUIRES: DB mutex held ---------------------------------------------

  void Configure(const MutableCFOptions& options, bool active);
  // Gives back the table that is being moved, for callers that are about to
  // choose files themselves. Releases the mutex while it waits for a step or an
  // installation to end.
  void Interrupt();
  // Interrupts, and takes no table until EndHold() has been called as often.
  void Hold();
  void EndHold() { holds_--; }
  // Whether an edit is being installed.
  bool installing() const;

  // Drops an unfinished move. REQUIRES: DB mutex not held, no job left.
  void Abandon();

 private:
  static constexpr int kPollMicros = 20 * 1000;
  static constexpr uint64_t kIdleMicros = 1000 * 1000;
  // Time until a table that could not be moved is tried again.
  static constexpr uint64_t kRetryMicros = 60 * 1000 * 1000;

  // The background job: one step, then another one, or the end.
  void ScheduleStep();
  void Run();
  // Returns whether another step should follow.
  bool Step();
  void StepsEnd();

  enum class Next { kGoOn, kPoll, kEnd };
  // Returns whether a table may be taken, or its copy continued. REQUIRES: DB
  // mutex held.
  Next MayRun() const;
  Next Begin();
  Next Continue();
  void Drop(const Status& reason);

  // REQUIRES: DB mutex held.
  //
  // Whether a compaction that rewrites all of L0 and L1 is due. Writes may have
  // to wait for it.
  bool UpperLevelsAreDue() const;
  // Whether somebody may be waiting for a compaction that needs the table which
  // is being copied.
  bool TableIsNeeded() const;
  std::vector<RelocationTable> Tables() const;
  // Picks from `tables`, which are all tables of the column family.
  std::vector<RelocationTable> Candidates(
      const std::vector<RelocationTable>& tables, int first_slow_level,
      bool upper_levels_are_due);
  uint64_t FastRoomBytes(const std::vector<RelocationTable>& tables) const;
  // Returns whether the disk of the path has room.
  bool DiskHasRoom(uint32_t path_id, uint64_t bytes) const;
  uint64_t NowMicros() const;

  TierState* const state_;
  std::atomic<uint64_t> bytes_left_{0};
  // Bytes of the table of `job_`; 0 without one.
  std::atomic<uint64_t> moving_bytes_{0};
  std::atomic<uint64_t> bytes_per_sec_{0};  // 0 means off
  std::atomic<bool> scheduled_{false};
  std::atomic<uint64_t> idle_until_micros_{0};
  // Calls of MaybeSchedule(): all, and those before the last step.
  std::atomic<uint64_t> calls_{0};
  uint64_t calls_seen_ = 0;

  // Written with the DB mutex held, by a step or while no step runs.
  std::unique_ptr<RelocationJob> job_;
  bool verified_ = false;
  // Protected by the DB mutex.
  std::optional<std::thread::id> running_;  // thread of the running step
  bool interrupted_ = false;
  int holds_ = 0;

  // When to retry tables that could not be moved, by number. Used by steps
  // only.
  std::unordered_map<uint64_t, uint64_t> retry_at_micros_;
};

}  // namespace ROCKSDB_NAMESPACE
