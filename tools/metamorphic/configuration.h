//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The ways in which the same list of operations is run. Whatever a
// configuration changes, it may not change an answer.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/metamorphic/ralt_vandal.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/system_clock.h"
#include "rocksdb/table.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// A wall clock that goes forward with each operation, by as much as it is told,
// as well as by itself: files get old, and while nothing happens they do not.
// Thread safe.
class OperationClock : public SystemClockWrapper {
 public:
  OperationClock() : SystemClockWrapper(SystemClock::Default()) {}

  const char* Name() const override { return "OperationClock"; }
  Status GetCurrentTime(int64_t* unix_time) override {
    const Status s = target_->GetCurrentTime(unix_time);
    *unix_time += ahead_secs_.load(std::memory_order_relaxed);
    return s;
  }

  // Before any operation.
  void set_secs_per_operation(int secs) { secs_per_operation_ = secs; }
  void NextOperation() {
    ahead_secs_.fetch_add(secs_per_operation_, std::memory_order_relaxed);
  }

 private:
  int secs_per_operation_ = 0;
  std::atomic<int64_t> ahead_secs_{0};
};

// How many compactions there were, and why. Thread safe.
class CompactionReasons : public EventListener {
 public:
  void OnCompactionCompleted(DB* /*db*/,
                             const CompactionJobInfo& info) override {
    counts_[static_cast<int>(info.compaction_reason)]++;
  }
  // "BottommostFiles 3; ", those that there were.
  std::string Text() const;

 private:
  std::array<std::atomic<uint64_t>,
             static_cast<int>(CompactionReason::kNumOfReasons)>
      counts_{};
};

// All that a configuration can change about a DB.
struct Setup {
  // `folder` is the DB's own, and is there; two paths in it, HotRAP on, and
  // everything so small that a list of a few hundred operations fills five
  // levels.
  explicit Setup(const std::string& folder, uint64_t seed);

  // After the last change: the objects that options only point to.
  void Finish();

  std::string FastPath() const { return folder + "/fast"; }
  std::string SlowPath() const { return folder + "/slow"; }

  const std::string folder;
  Random64 rnd;
  Options options;
  BlockBasedTableOptions table_options;
  ReadOptions read_options;
  WriteOptions write_options;
  // Of the second column family. Empty: those of the DB.
  std::vector<DbPath> second_cf_paths;
  // Changes the options before the DB is opened again. Empty: they stay.
  std::function<void(Setup*)> at_reopen;
  // Through a TransactionDB, each batch a transaction.
  bool transactions = false;
  // For what "does not work with DeleteRange() yet" (row_cache): a Delete each.
  bool delete_range_by_keys = false;
  // With keys beside those of the list that a filter removes: see GhostKeys.
  bool ghosts = false;
  RaltVandal vandal;
  std::shared_ptr<OperationClock> clock;
  std::shared_ptr<CompactionReasons> compactions;
  // The configurations that "mixed" took, a space before each.
  std::string drawn;

 private:
  std::unique_ptr<Env> env_;
};

// Whether records are promoted or retained, sooner or later.
enum class Moves { kNever, kPerhaps, kAlways };

struct Configuration {
  const char* name;
  const char* what;
  std::function<void(Setup*)> change;
  Moves moves = Moves::kAlways;
  // "mixed" takes at most one of each group. nullptr: it takes it never.
  const char* group = nullptr;
};

const std::vector<Configuration>& AllConfigurations();
// nullptr: there is none of this name.
const Configuration* FindConfiguration(const std::string& name);

// Whether files in the folder can be opened for direct I/O. If not, "direct_io"
// is "on".
bool SupportsDirectIo(const std::string& folder);

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
