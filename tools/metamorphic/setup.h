//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What a configuration sets up before a DB is opened: options, and the objects
// that they point to.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/ghost_filter.h"
#include "plugin/hotrap/tools/metamorphic/ralt_vandal.h"
#include "rocksdb/cache.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/system_clock.h"
#include "rocksdb/table.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// A level 1 so small that a list fills five levels.
constexpr uint64_t kLevelBytes = 16 << 10;
// Room for L0 and L1, so that the first slow level is 2.
constexpr uint64_t kFastBytes = 3 * kLevelBytes;
constexpr uint64_t kSlowBytes = 1ull << 40;

// Of one shard.
std::shared_ptr<Cache> SmallCache(size_t bytes);

// A wall clock that additionally moves forward by a given time with each
// operation. Files get old by operations, not while nothing happens.
// Thread-safe.
class OperationClock : public SystemClockWrapper {
 public:
  OperationClock() : SystemClockWrapper(SystemClock::Default()) {}

  const char* Name() const override { return "OperationClock"; }
  Status GetCurrentTime(int64_t* unix_time) override {
    const Status s = target_->GetCurrentTime(unix_time);
    *unix_time += ahead_secs_.load(std::memory_order_relaxed);
    return s;
  }

  // To be called before the first operation.
  void set_secs_per_operation(int secs) { secs_per_operation_ = secs; }
  void NextOperation() {
    ahead_secs_.fetch_add(secs_per_operation_, std::memory_order_relaxed);
  }

 private:
  int secs_per_operation_ = 0;
  std::atomic<int64_t> ahead_secs_{0};
};

// Counts compactions by reason. Thread-safe.
class CompactionReasons : public EventListener {
 public:
  void OnCompactionCompleted(DB* /*db*/,
                             const CompactionJobInfo& info) override {
    counts_[static_cast<int>(info.compaction_reason)]++;
  }
  // Returns the counts that are not 0, such as "BottommostFiles 3; ".
  std::string Text() const;

 private:
  std::array<std::atomic<uint64_t>,
             static_cast<int>(CompactionReason::kNumOfReasons)>
      counts_{};
};

// Everything that a configuration can change about a DB.
struct Setup {
  // Sets up two paths in `folder`, HotRAP on, and everything so small that a
  // list of a few hundred operations fills five levels. `folder` is the DB's
  // own and must exist.
  explicit Setup(const std::string& folder, uint64_t seed);

  // Creates the objects that the options only point to. To be called after the
  // last change.
  void Finish();

  std::string FastPath() const { return folder + "/fast"; }
  std::string SlowPath() const { return folder + "/slow"; }

  const std::string folder;
  Random64 rnd;
  Options options;
  BlockBasedTableOptions table_options;
  ReadOptions read_options;
  WriteOptions write_options;
  // Paths of the second column family. If empty, those of the DB.
  std::vector<DbPath> second_cf_paths;
  // Changes the options before the DB is reopened. May be empty.
  std::function<void(Setup*)> at_reopen;
  // Uses a TransactionDB, with a transaction for each batch.
  bool transactions = false;
  // Prepares the ranges of scans (Iterator::Prepare).
  bool prepare_scans = false;
  // Replaces DeleteRange by single Deletes, for features that "do not work with
  // DeleteRange() yet" (row_cache).
  bool delete_range_by_keys = false;
  // Adds keys that this compaction filter removes or changes; see GhostKeys.
  std::unique_ptr<GhostFilter> ghosts;
  std::unique_ptr<CompactionFilter> ghost_filter;
  // Adds column families that are written to all the time; see Ballast.
  bool ballast = false;
  RaltVandal vandal;
  std::shared_ptr<OperationClock> clock;
  std::shared_ptr<CompactionReasons> compactions;
  // The configurations that "mixed" chose, each preceded by a space.
  std::string drawn;

 private:
  std::unique_ptr<Env> env_;
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
