//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/fast_budget.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/budget/table_exists.h"
#include "plugin/hotrap/db/relocation/relocator.h"
#include "plugin/hotrap/db/state/figures.h"
#include "plugin/hotrap/db/state/tick_thread.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "plugin/hotrap/db/tier/db_brake.h"
#include "plugin/hotrap/db/tier/target_refresh.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kTickMicros = 20 * 1000;

uint64_t ExcessOf(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

WriteStallCondition ConditionOf(WriteBrake::State state) {
  return state == WriteBrake::State::kFree      ? WriteStallCondition::kNormal
         : state == WriteBrake::State::kDelayed ? WriteStallCondition::kDelayed
                                                : WriteStallCondition::kStopped;
}

// Returns the bytes of records that a flush will write.
uint64_t MemtableBytes(ColumnFamilyData* cfd) {
  // Memory includes what is allocated and not yet used.
  const uint64_t sealed = std::min<uint64_t>(
      cfd->imm()->ApproximateUnflushedMemTablesMemoryUsage(),
      cfd->imm()->NumNotFlushed() *
          cfd->GetLatestMutableCFOptions().write_buffer_size);
  return sealed + (cfd->mem() != nullptr ? cfd->mem()->GetDataSize() : 0);
}

std::string TrimSlashes(std::string path) {
  path.resize(path.find_last_not_of('/') + 1);
  return path;
}

}  // namespace

FastBudget::FastBudget(DBImpl* db, std::string path,
                       std::shared_ptr<DbBrake> brake)
    : db_(db),
      path_(TrimSlashes(std::move(path))),
      ledger_(std::make_shared<FastLedger>()),
      brake_(std::move(brake)),
      gate_(db_, ledger_) {}

FastBudget::~FastBudget() { brake_->Remove(this); }

bool FastBudget::IsOf(const std::string& path) const {
  return TrimSlashes(path) == path_;
}

void FastBudget::Join(const TierState* state, TierJobs* jobs,
                      const Relocator& relocator) {
  db_->mutex()->AssertHeld();
  tiers_[state] = {jobs, &relocator};
}

void FastBudget::Leave(const TierState* state) {
  tiers_.erase(state);
  sharer_.Forget(state);
}

void FastBudget::Update() {
  db_->mutex()->AssertHeld();
  // Tests of RocksDB's own count on levels and stalls that are RocksDB's.
  if (closed_ || !HotRapForce::BudgetHolds()) {
    return;
  }
  Measure();
  NoteStaleTargets(sharer_.Share(members_, path_bytes_, NowMicros()));
  RefreshStaleTargets();
  for (ColumnFamilyData* cfd : gate_.Release(members_, NowMicros())) {
    DbAccess(db_).work().CompactAgain(cfd);
  }
  const WriteBrake::Input in = Fullness();
  const bool limits =
      std::any_of(members_.begin(), members_.end(),
                  [](const BudgetMember& member) { return member.automatic; });
  ledger_->SetLimit(limits ? in.limit_bytes
                           : std::numeric_limits<uint64_t>::max());
  // Where HotRAP is off or inactive, or compactions are left to the user, not
  // even tables that an iterator keeps slow writes.
  WriteBrake::Decision decision = limits ? Decide(in) : WriteBrake::Decision();
  for (const BudgetMember& member : members_) {
    member.state->sizes().SetLimits(decision);
  }
  if (DbAccess(db_).work().paused() ||
      DbAccess(db_).work().background_work_stopped()) {
    // Nothing would empty the tier.
    decision.state = WriteBrake::State::kFree;
  }
  Apply(decision, in);
  const bool leaves = decision.close && in.kept_bytes + in.leaving_bytes > 0;
  if ((leaves || gate_.closed() || state_ != WriteBrake::State::kFree) &&
      !members_.empty()) {
    TickSoon(members_.front().state);
  }
}

bool FastBudget::HoldsBack(ColumnFamilyData* cfd) {
  db_->mutex()->AssertHeld();
  const BudgetMember member = BudgetMember::Of(cfd);
  return !closed_ && gate_.HoldsBack(member, NowMicros()) &&
         TickSoon(member.state);
}

void FastBudget::NoteStaleTargets(const std::vector<TierState*>& with_less) {
  for (TierState* const state : with_less) {
    if (ledger_->TableBytes(state->cfd()->GetID()) >
        state->sizes().share_bytes()) {
      tiers_[state].stale_version = state->cfd()->current()->GetVersionNumber();
    }
  }
}

void FastBudget::RefreshStaleTargets() {
  for (const BudgetMember& member : members_) {
    TierState* const state = member.state;
    Tier& tier = tiers_[state];
    if (tier.stale_version != state->cfd()->current()->GetVersionNumber()) {
      tier.stale_version.reset();
    } else if (!tier.refreshes) {
      tier.refreshes = true;
      tier.jobs->Schedule(TierJobs::Pool::kCompactions,
                          [self = shared_from_this(), state] {
                            RefreshTargets(state);
                            InstrumentedMutexLock lock(self->db_->mutex());
                            const auto it = self->tiers_.find(state);
                            if (it != self->tiers_.end()) {
                              it->second.refreshes = false;
                            }
                          });
    }
  }
}

WriteBrake::Decision FastBudget::Decide(WriteBrake::Input in) {
  WriteBrake::Decision decision = WriteBrake::Decide(in);
  if (decision.state != WriteBrake::State::kStopped) {
    patience_.Reset();
  } else if (!patience_.MayStop(in.held_bytes, NowMicros())) {
    in.drains = false;
    decision = WriteBrake::Decide(in);
  }
  return decision;
}

uint64_t FastBudget::NowMicros() const {
  // Not NowMicros(): where the clock is set back, a stop would last as long.
  return DbAccess(db_).immutable_options().clock->NowNanos() / 1000;
}

void FastBudget::Measure() {
  members_.clear();
  path_bytes_ = BudgetSharer::Path();
  unlimited_bytes_ = 0;
  largest_ = nullptr;
  uint64_t largest_excess = 0;
  std::vector<uint32_t> ids;
  for (auto* cfd : *DbAccess(db_).versions()->GetColumnFamilySet()) {
    TierState* const state = cfd->hotrap.active_state();
    // RocksDB calls a new column family initialized after it has installed its
    // first SuperVersion, which is when it joins.
    if ((!cfd->initialized() && state == nullptr) ||
        cfd->ioptions().cf_paths.empty() ||
        !IsOf(cfd->ioptions().cf_paths[0].path)) {
      continue;
    }
    spellings_.insert(cfd->ioptions().cf_paths[0].path);
    ids.push_back(cfd->GetID());
    path_bytes_.target_size =
        std::max(path_bytes_.target_size,
                 uint64_t{cfd->ioptions().cf_paths[0].target_size});
    MeasureTables(cfd);
    const uint64_t memtables = cfd->IsDropped() ? 0 : MemtableBytes(cfd);
    const Ralt* const ralt = state != nullptr ? state->ralt() : nullptr;
    const uint64_t ralt_bytes =
        ralt != nullptr ? ralt->PhysicalBytes().value_or(0) : 0;
    ledger_->SetMemory(cfd->GetID(), ralt_bytes, memtables);
    const uint64_t table_bytes = ledger_->TableBytes(cfd->GetID());
    const uint64_t held = table_bytes + memtables + ralt_bytes;
    if (state == nullptr && !cfd->IsDropped()) {
      path_bytes_.others_bytes += held;
    }
    if (state == nullptr || cfd->IsDropped() ||
        cfd->GetLatestMutableCFOptions().disable_auto_compactions) {
      unlimited_bytes_ += held;
    } else {
      unlimited_bytes_ += misplaced_[cfd->GetID()].bytes;
    }
    if (state == nullptr || cfd->IsDropped()) {
      continue;
    }
    members_.push_back(BudgetMember::Of(cfd));
    const uint64_t excess =
        ExcessOf(table_bytes, state->sizes().target_bytes());
    if (largest_ == nullptr || excess > largest_excess) {
      largest_ = state;
      largest_excess = excess;
    }
  }
  std::sort(ids.begin(), ids.end());
  ledger_->KeepOnly(ids);
  SstFileManager* const files =
      DbAccess(db_).immutable_options().sst_file_manager.get();
  ledger_->DropDeleted([&](uint64_t number) {
    return std::any_of(spellings_.begin(), spellings_.end(),
                       [&](const std::string& path) {
                         return TableExists(files, path, number);
                       });
  });
}

void FastBudget::MeasureTables(ColumnFamilyData* cfd) {
  const Version& version = *cfd->current();
  const uint64_t number = version.GetVersionNumber();
  const TierState* const state = cfd->hotrap.active_state();
  Misplaced misplaced;
  misplaced.first_slow_level =
      state != nullptr ? state->first_slow_level() : cfd->ioptions().num_levels;
  if (ledger_->HasVersion(cfd->GetID(), number) &&
      misplaced_[cfd->GetID()].first_slow_level == misplaced.first_slow_level) {
    return;
  }
  std::vector<FastTable> tables;
  const VersionStorageInfo& storage =
      *const_cast<Version&>(version).storage_info();
  // Slow levels may have most of the tables, and none on this path.
  const int levels =
      state != nullptr &&
              tiers_.find(state)->second.relocator->bytes_left() == 0
          ? misplaced.first_slow_level
          : storage.num_non_empty_levels();
  for (int level = 0; level < levels; level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      if (file->fd.GetPathId() == 0) {
        tables.push_back({file->fd.GetNumber(), file->fd.GetFileSize()});
        misplaced.bytes +=
            level >= misplaced.first_slow_level ? file->fd.GetFileSize() : 0;
      }
    }
  }
  misplaced_[cfd->GetID()] = misplaced;
  std::sort(tables.begin(), tables.end(),
            [](const FastTable& a, const FastTable& b) {
              return a.number < b.number;
            });
  ledger_->SetTables(cfd->GetID(), number, std::move(tables));
}

WriteBrake::Input FastBudget::Fullness() {
  BudgetLimit::Needs needs;
  uint64_t budget = 0;
  bool shares = false;
  WriteBrake::Input in;
  for (const BudgetMember& member : members_) {
    const FastTierSizes& sizes = member.state->sizes();
    budget += member.budget_bytes;
    shares |= member.budget_bytes == 0;
    if (!member.automatic) {
      continue;
    }
    needs.targets += sizes.target_bytes();
    needs.ralt += sizes.ralt_room_bytes();
    needs.memtables += member.most_memtable_bytes;
    needs.compaction = std::max(needs.compaction, sizes.upper_bytes());
    in.next_compaction_bytes =
        std::max(in.next_compaction_bytes, member.next_bytes);
  }
  needs.others = unlimited_bytes_;
  if (shares) {
    budget = std::max(budget, path_bytes_.target_size);
  }
  budget_bytes_ = budget;
  least_bytes_ = needs.targets > 0 ? needs.Least() - needs.others : 0;
  const FastLedger::Use use = ledger_->use();
  in.held_bytes = use.held();
  in.crossing_bytes = use.crossing;
  in.kept_bytes = use.kept;
  in.leaving_bytes = use.leaving;
  in.limit_bytes = limit_.Update(budget, needs, in.held_bytes);
  in.ramp_bytes = limit_.ramp();
  in.drain_bytes_per_sec = ledger_->drain().bytes_per_sec();
  in.max_bytes_per_sec =
      DbAccess(db_).work().write_controller()->max_delayed_write_rate();
  in.drains = ledger_->drain().drains();
  return in;
}

void FastBudget::Apply(const WriteBrake::Decision& decision,
                       const WriteBrake::Input& in) {
  const uint64_t now = NowMicros();
  if (state_ != WriteBrake::State::kFree && largest_ != nullptr) {
    largest_->stats().Count(HotRapCounter::kBudgetStallMicros,
                            ExcessOf(now, braked_micros_));
  }
  braked_micros_ = now;
  const WriteBrake::State before = state_;
  state_ = decision.state;
  brake_->Apply(this, {state_, decision.bytes_per_sec, decision.close});
  if (before != state_) {
    NoteState();
    Tell(before, in);
  }
}

void FastBudget::NoteState() {
  if (HotRapForce* const force = HotRapForce::Get()) {
    force->NoteWrites(path_, static_cast<int>(state_));
  }
}

void FastBudget::Tell(WriteBrake::State before, const WriteBrake::Input& in) {
  if (largest_ == nullptr) {
    return;
  }
  if (before == WriteBrake::State::kFree) {
    largest_->stats().Count(HotRapCounter::kBudgetDelays);
  }
  if (state_ == WriteBrake::State::kStopped) {
    largest_->stats().Count(HotRapCounter::kBudgetStops);
  }
  const char* const what = state_ == WriteBrake::State::kFree ? "go on"
                           : state_ == WriteBrake::State::kDelayed
                               ? "are slowed"
                               : "are stopped";
  ROCKS_LOG_INFO(
      largest_->cfd()->ioptions().logger,
      "[%s] HotRAP: writes %s: %" PRIu64
      " bytes on %s, at most "
      "%" PRIu64 ", L0's compaction needs %" PRIu64 ", rate %" PRIu64,
      largest_->cfd()->GetName().c_str(), what, in.held_bytes, path_.c_str(),
      in.limit_bytes, in.next_compaction_bytes, brake_->rate());
  if (!largest_->events().wanted()) {
    return;
  }
  HotRapWriteStallInfo info;
  info.cf_id = largest_->cfd()->GetID();
  info.cf_name = largest_->cfd()->GetName();
  info.condition = ConditionOf(state_);
  info.before = ConditionOf(before);
  info.bytes_per_sec =
      state_ == WriteBrake::State::kDelayed ? brake_->rate() : 0;
  info.fast_bytes = in.held_bytes;
  info.limit_bytes = in.limit_bytes;
  largest_->events().Report(info);
}

bool FastBudget::TickSoon(const TierState* state) {
  if (ticks_ || TickThreadHasEnded()) {
    return ticks_;
  }
  ticks_ = true;
  tiers_.find(state)->second.jobs->Schedule(
      TierJobs::Pool::kTicks, [self = shared_from_this()] {
        SystemClock* const clock =
            DbAccess(self->db_).immutable_options().clock;
        clock->SleepForMicroseconds(static_cast<int>(kTickMicros));
        InstrumentedMutexLock lock(self->db_->mutex());
        self->ticks_ = false;
        self->Update();
      });
  return true;
}

void FastBudget::Close() {
  db_->mutex()->AssertHeld();
  closed_ = true;
  if (state_ != WriteBrake::State::kFree) {
    state_ = WriteBrake::State::kFree;
    NoteState();
  }
  brake_->Apply(this, JointBrake::Wish());
}

void FastBudget::AddTo(Figures* figures) const {
  db_->mutex()->AssertHeld();
  const FastLedger::Use use = ledger_->use();
  figures->Add("fast_path_bytes",
               [&] { return use.tables + use.kept + use.leaving + use.ralt; });
  figures->Add("fast_path_limit_bytes", [&] { return ledger_->limit(); });
  figures->Add("fast_path_kept_bytes", [&] { return use.kept; });
  figures->Add("fast_path_leaving_bytes", [&] { return use.leaving; });
  figures->Add("fast_path_output_bytes", [&] { return use.outputs(); });
  figures->Add("fast_path_writes", [&] {
    return state_ == WriteBrake::State::kFree      ? ""
           : state_ == WriteBrake::State::kDelayed ? "delayed"
                                                   : "stopped";
  });
  figures->Add("fast_path_write_rate", [&] {
    return state_ == WriteBrake::State::kDelayed ? brake_->rate() : 0;
  });
  figures->Add("fast_path_drain_rate",
               [&] { return ledger_->drain().bytes_per_sec(); });
}

}  // namespace ROCKSDB_NAMESPACE
