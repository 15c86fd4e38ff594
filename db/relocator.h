//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Moves the tables of one column family that lie on the wrong tier, one at a
// time, in the background, until none is left that may be moved.
//
// It runs in the pool of the compactions, which may have one thread only, and
// must not keep that from a compaction: it works in steps of some 0.1 s, and
// goes to the end of the queue when anything waits in it. In between the table
// stays taken. Where it may not go on, because somebody has paused the
// background work or the like, it looks again every kPollMicros; where nothing
// can be moved, it ends until there is a new version.
//
// Invariants: the fast path never holds more than the budget because of it.
// The DB never waits for it longer than a step (Interrupt()).

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "plugin/hotrap/db/relocation_picker.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class HotRapTier;
class RelocationJob;
class Version;
class VersionEdit;
struct MutableCFOptions;

class Relocator {
 public:
  explicit Relocator(HotRapTier* tier);
  ~Relocator();
  Relocator(const Relocator&) = delete;
  Relocator& operator=(const Relocator&) = delete;

  // ---- Any thread ----------------------------------------------------------

  // Bytes on the wrong tier, of the newest version.
  void set_bytes_left(uint64_t bytes) {
    bytes_left_.store(bytes, std::memory_order_relaxed);
  }
  uint64_t bytes_left() const {
    return bytes_left_.load(std::memory_order_relaxed);
  }
  // Has the next step run if there may be anything to do. Cheap.
  void MaybeSchedule();
  // Likewise of a read, which says nothing new: not right after nothing could
  // be done.
  void MaybeScheduleForRead() {
    if (bytes_left() > 0 &&
        NowMicros() >= idle_until_micros_.load(std::memory_order_relaxed)) {
      MaybeSchedule();
    }
  }

  // ---- REQUIRES: DB mutex held ---------------------------------------------

  void Configure(const MutableCFOptions& options, bool active);
  // Somebody is about to choose among the files himself: gives back the table
  // that is being moved. Releases the mutex while a step or the installation
  // ends.
  void Interrupt();
  // Whether an edit is on its way into the MANIFEST.
  bool installing() const;

  // REQUIRES: DB mutex not held, the tier stopped and not busy.
  void Abandon();

  // One step. Whether there shall be another one. Of the background job.
  bool Step();
  // There shall be none.
  void StepsEnd();

 private:
  static constexpr int kPollMicros = 20 * 1000;
  static constexpr uint64_t kIdleMicros = 1000 * 1000;
  // Until a table that could not be moved is tried again.
  static constexpr uint64_t kRetryMicros = 60 * 1000 * 1000;

  enum class Next { kGoOn, kPoll, kEnd };
  // Whether a table may be taken, or its copy be continued. REQUIRES: DB mutex
  // held.
  Next MayRun() const;
  Next Begin();
  Next Continue();
  void Drop(const Status& reason);

  // REQUIRES: DB mutex held.
  std::vector<RelocationTable> Tables() const;
  // Of `tables`, which are all of the column family.
  std::vector<RelocationTable> Candidates(
      const std::vector<RelocationTable>& tables, int first_slow_level,
      bool upper_levels_are_due);
  uint64_t FastRoomBytes(const std::vector<RelocationTable>& tables) const;
  // On the disk of the path.
  bool DiskHasRoom(uint32_t path_id, uint64_t bytes) const;
  uint64_t NowMicros() const;

  HotRapTier* const tier_;
  std::atomic<uint64_t> bytes_left_{0};
  std::atomic<uint64_t> bytes_per_sec_{0};  // 0: off
  std::atomic<bool> scheduled_{false};
  std::atomic<uint64_t> idle_until_micros_{0};
  // Of MaybeSchedule(), and those before the last step.
  std::atomic<uint64_t> calls_{0};
  uint64_t calls_seen_ = 0;

  // Written with the DB mutex held, by the step or while none runs.
  std::unique_ptr<RelocationJob> job_;
  bool verified_ = false;
  // Protected by the DB mutex.
  std::optional<std::thread::id> running_;  // a step, in this thread
  bool interrupted_ = false;

  // Numbers of tables that could not be moved. Of the step.
  std::unordered_map<uint64_t, uint64_t> retry_at_micros_;
};

}  // namespace ROCKSDB_NAMESPACE
