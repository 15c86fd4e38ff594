//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Holds a fast path to its budget: measures what the column families of a DB
// have on it (FastLedger), gives each its share (BudgetSharer), says when
// promotions stop and how much crossings keep (WriteBrake), and has writes
// slowed (DbBrake). The tiers of one DB with the same first path share an
// object of this class.
//
// It decides anew with each SuperVersion; and while writes are slowed, or
// tables that are being deleted matter, or a compaction is held back, some
// fifty times a second, in a job: tables are deleted after the version that no
// longer has them is there, and a write that waits makes no version.
//
// A column family with disable_auto_compactions is left alone: nothing would
// empty its tier.
//
// Thread safety: every method requires the DB mutex, unless a comment says
// otherwise.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugin/hotrap/db/budget/budget_limit.h"
#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/db/budget/stop_patience.h"
#include "plugin/hotrap/db/budget/write_brake.h"
#include "plugin/hotrap/db/tier/budget_sharer.h"
#include "plugin/hotrap/db/tier/pick_gate.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyData;
class DBImpl;
class DbBrake;
class Figures;
class Relocator;
class TierJobs;
class TierState;

class FastBudget : public std::enable_shared_from_this<FastBudget> {
 public:
  // For the column families of the DB with this first path. `brake` is the
  // DB's.
  FastBudget(DBImpl* db, std::string path, std::shared_ptr<DbBrake> brake);
  ~FastBudget();
  FastBudget(const FastBudget&) = delete;
  FastBudget& operator=(const FastBudget&) = delete;

  // Any thread, with or without the mutex.
  const std::shared_ptr<FastLedger>& ledger() const { return ledger_; }
  // Whether it is that of this path, however many slashes that ends in.
  bool IsOf(const std::string& path) const;
  const std::shared_ptr<DbBrake>& brake() const { return brake_; }

  // A tier with this first path comes and goes. Its `jobs` may be used. The
  // latter needs no mutex where the DB closes.
  void Join(const TierState* state, TierJobs* jobs, const Relocator& relocator);
  void Leave(const TierState* state);

  // Measures and decides.
  void Update();
  // What the column families have together, and the least that they need
  // (BudgetLimit). 0 if nothing is limited.
  uint64_t budget_bytes() const { return budget_bytes_; }
  uint64_t least_bytes() const { return least_bytes_; }
  // A compaction is about to be picked. Returns whether none within the tier
  // may be; it has the column family compacted once that has changed.
  bool HoldsBack(ColumnFamilyData* cfd);
  // The DB closes: lets writes go.
  void Close();

  // Adds the statistics property's figures.
  void AddTo(Figures* figures) const;

 private:
  void Measure();
  void MeasureTables(ColumnFamilyData* cfd);
  // Those that get less than before, and hold more, need a version without
  // changes, so that they are compacted to their new targets.
  void NoteStaleTargets(const std::vector<TierState*>& with_less);
  void RefreshStaleTargets();
  WriteBrake::Input Fullness();
  WriteBrake::Decision Decide(WriteBrake::Input in);
  uint64_t NowMicros() const;
  void Apply(const WriteBrake::Decision& decision, const WriteBrake::Input& in);
  void NoteState();
  void Tell(WriteBrake::State before, const WriteBrake::Input& in);
  // Decides again soon, by the jobs of `state`. Returns false if nobody will.
  bool TickSoon(const TierState* state);

  DBImpl* const db_;
  const std::string path_;  // without slashes at its end
  const std::shared_ptr<FastLedger> ledger_;
  const std::shared_ptr<DbBrake> brake_;
  BudgetSharer sharer_;
  BudgetLimit limit_;
  StopPatience patience_;
  PickGate gate_;

  struct Tier {
    TierJobs* jobs = nullptr;
    const Relocator* relocator = nullptr;
    // The version whose targets are those of a larger share.
    std::optional<uint64_t> stale_version;
    bool refreshes = false;
  };
  std::map<const TierState*, Tier> tiers_;

  // From the last measurement.
  std::vector<BudgetMember> members_;
  BudgetSharer::Path path_bytes_;
  // What column families without HotRAP have on the path, those that nobody
  // limits, and tables of slow levels, which relocation takes away.
  uint64_t unlimited_bytes_ = 0;
  // By column family: tables of levels from the first slow one on.
  struct Misplaced {
    int first_slow_level = -1;
    uint64_t bytes = 0;
  };
  std::map<uint32_t, Misplaced> misplaced_;
  // As column families name the path.
  std::set<std::string> spellings_;
  uint64_t budget_bytes_ = 0;
  uint64_t least_bytes_ = 0;
  // The member that takes most beyond its targets.
  TierState* largest_ = nullptr;

  WriteBrake::State state_ = WriteBrake::State::kFree;
  uint64_t braked_micros_ = 0;
  bool ticks_ = false;
  bool closed_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
