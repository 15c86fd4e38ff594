//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/fast_budget.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/budget/budget_shares.h"
#include "plugin/hotrap/db/budget/table_exists.h"
#include "plugin/hotrap/db/state/figures.h"
#include "plugin/hotrap/db/state/tick_thread.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kTickMicros = 20 * 1000;
constexpr uint64_t kShareMicros = 10 * 1000 * 1000;
// Accesses of before count this much when shares are computed again.
constexpr double kAccessFade = 0.9;
// Shares that change by a smaller fraction of all stay.
constexpr uint64_t kShareStepDivisor = 64;

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

}  // namespace

FastBudget::FastBudget(DBImpl* db, std::string path)
    : db_(db),
      path_(std::move(path)),
      ledger_(std::make_shared<FastLedger>()) {}

FastBudget::~FastBudget() = default;

void FastBudget::Join(const TierState* state, TierJobs* jobs) {
  db_->mutex()->AssertHeld();
  jobs_[state] = jobs;
}

void FastBudget::Leave(const TierState* state) {
  jobs_.erase(state);
  accesses_.erase(state);
}

void FastBudget::Update() {
  db_->mutex()->AssertHeld();
  // Tests of RocksDB's own count on levels and stalls that are RocksDB's.
  if (closed_ || HotRapForce::Get() != nullptr) {
    return;
  }
  Measure();
  Share();
  const WriteBrake::Input in = Fullness();
  const bool limits =
      std::any_of(members_.begin(), members_.end(),
                  [](const Member& member) { return member.automatic; });
  ledger_->SetLimit(limits ? in.limit_bytes
                           : std::numeric_limits<uint64_t>::max());
  // Where HotRAP is off or inactive, or compactions are left to the user, not
  // even tables that an iterator keeps slow writes.
  WriteBrake::Decision decision =
      limits ? WriteBrake::Decide(in) : WriteBrake::Decision();
  for (const Member& member : members_) {
    member.state->sizes().SetLimits(decision);
  }
  if (DbAccess(db_).work().paused() ||
      DbAccess(db_).work().background_work_stopped()) {
    // Nothing would empty the tier.
    decision.state = WriteBrake::State::kFree;
  }
  Apply(decision, in);
  const bool leaves = decision.close && in.leaving_bytes > 0;
  if ((leaves || state_ != WriteBrake::State::kFree) && !members_.empty()) {
    TickSoon();
  }
}

void FastBudget::Measure() {
  members_.clear();
  others_bytes_ = 0;
  unlimited_bytes_ = 0;
  target_size_ = 0;
  largest_ = nullptr;
  uint64_t largest_excess = 0;
  std::vector<uint32_t> ids;
  for (auto* cfd : *DbAccess(db_).versions()->GetColumnFamilySet()) {
    if (!cfd->initialized() || cfd->ioptions().cf_paths.empty() ||
        cfd->ioptions().cf_paths[0].path != path_) {
      continue;
    }
    ids.push_back(cfd->GetID());
    target_size_ =
        std::max(target_size_, cfd->ioptions().cf_paths[0].target_size);
    MeasureTables(cfd);
    const uint64_t memtables = cfd->IsDropped() ? 0 : MemtableBytes(cfd);
    TierState* const state = cfd->hotrap.active_state();
    const Ralt* const ralt = state != nullptr ? state->ralt() : nullptr;
    const uint64_t ralt_bytes =
        ralt != nullptr ? ralt->PhysicalBytes().value_or(0) : 0;
    ledger_->SetMemory(cfd->GetID(), ralt_bytes, memtables);
    const uint64_t table_bytes = ledger_->TableBytes(cfd->GetID());
    const uint64_t held = table_bytes + memtables + ralt_bytes;
    if (state == nullptr && !cfd->IsDropped()) {
      others_bytes_ += held;
    }
    if (state == nullptr || cfd->IsDropped() ||
        cfd->GetLatestMutableCFOptions().disable_auto_compactions) {
      unlimited_bytes_ += held;
    } else {
      unlimited_bytes_ += misplaced_bytes_[cfd->GetID()];
    }
    if (state == nullptr || cfd->IsDropped()) {
      continue;
    }
    members_.push_back(MemberOf(cfd, memtables));
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
  ledger_->DropDeleted(
      [&](uint64_t number) { return TableExists(files, path_, number); });
}

void FastBudget::MeasureTables(ColumnFamilyData* cfd) {
  const Version& version = *cfd->current();
  const uint64_t number = version.GetVersionNumber();
  if (ledger_->HasVersion(cfd->GetID(), number)) {
    return;
  }
  const TierState* const state = cfd->hotrap.active_state();
  uint64_t misplaced = 0;
  std::vector<FastTable> tables;
  const VersionStorageInfo& storage =
      *const_cast<Version&>(version).storage_info();
  for (int level = 0; level < storage.num_non_empty_levels(); level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      if (file->fd.GetPathId() == 0) {
        tables.push_back({file->fd.GetNumber(), file->fd.GetFileSize()});
        misplaced += state != nullptr && level >= state->first_slow_level()
                         ? file->fd.GetFileSize()
                         : 0;
      }
    }
  }
  misplaced_bytes_[cfd->GetID()] = misplaced;
  std::sort(tables.begin(), tables.end(),
            [](const FastTable& a, const FastTable& b) {
              return a.number < b.number;
            });
  ledger_->SetTables(cfd->GetID(), number, std::move(tables));
}

FastBudget::Member FastBudget::MemberOf(ColumnFamilyData* cfd,
                                        uint64_t memtable_bytes) {
  const MutableCFOptions& options = cfd->GetLatestMutableCFOptions();
  const VersionStorageInfo& storage = *cfd->current()->storage_info();
  Member member;
  member.state = cfd->hotrap.active_state();
  member.budget_bytes = options.hotrap.fast_budget_bytes;
  member.memtable_bytes = memtable_bytes;
  member.most_memtable_bytes =
      options.write_buffer_size *
      std::max<uint64_t>(1, options.max_write_buffer_number);
  for (int level = 0; level < storage.num_non_empty_levels(); level++) {
    member.total_bytes += storage.NumLevelBytes(level);
  }
  member.next_bytes = storage.NumLevelBytes(0) + storage.NumLevelBytes(1);
  member.automatic = !options.disable_auto_compactions;
  return member;
}

uint64_t FastBudget::SharedBytes() const {
  uint64_t taken = others_bytes_;
  for (const Member& member : members_) {
    taken += member.budget_bytes;
  }
  return ExcessOf(target_size_, taken);
}

void FastBudget::Share() {
  std::vector<Member> sharers;
  bool alone = others_bytes_ == 0;
  bool changed = false;
  for (const Member& member : members_) {
    if (member.budget_bytes > 0) {
      member.state->sizes().set_share_bytes(LevelFeedback::kUnknown);
      alone = false;
      continue;
    }
    sharers.push_back(member);
    changed |= accesses_.count(member.state) == 0;
  }
  changed |= sharers.size() != accesses_.size();
  const uint64_t now = DbAccess(db_).immutable_options().clock->NowMicros();
  if (sharers.empty() || (!changed && now < shared_micros_ + kShareMicros)) {
    return;
  }
  shared_micros_ = now;
  std::map<const TierState*, Accesses> accesses;
  std::vector<BudgetClaim> claims;
  for (const Member& member : sharers) {
    Accesses of_this = accesses_[member.state];
    const uint64_t sum =
        member.state->stats().Get(HotRapCounter::kAccessesEstimated);
    of_this.recent = of_this.recent * kAccessFade +
                     static_cast<double>(ExcessOf(sum, of_this.before));
    of_this.before = sum;
    accesses[member.state] = of_this;
    BudgetClaim claim;
    // L0, L1, and the compaction of the two.
    claim.least_bytes = 2 * member.state->sizes().upper_bytes();
    claim.most_bytes = claim.least_bytes + member.total_bytes;
    claim.use = of_this.recent;
    claims.push_back(claim);
  }
  accesses_ = std::move(accesses);
  const uint64_t total = SharedBytes();
  const std::vector<uint64_t> shares = ShareBudget(total, claims);
  for (size_t i = 0; i < sharers.size(); i++) {
    TierState* const state = sharers[i].state;
    const uint64_t share =
        alone && sharers.size() == 1
            ? LevelFeedback::kUnknown
            : std::max(state->sizes().upper_bytes(), shares[i]);
    const uint64_t before = state->sizes().share_bytes();
    const uint64_t change = std::max(share, before) - std::min(share, before);
    if (change > total / kShareStepDivisor) {
      state->sizes().set_share_bytes(share);
      state->ralt_holder().Configure(
          state->cfd()->GetLatestMutableCFOptions().hotrap, share);
    }
  }
}

WriteBrake::Input FastBudget::Fullness() {
  BudgetLimit::Needs needs;
  uint64_t budget = 0;
  bool shares = false;
  WriteBrake::Input in;
  for (const Member& member : members_) {
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
    budget = std::max(budget, target_size_);
  }
  const FastLedger::Use use = ledger_->use();
  in.held_bytes = use.held();
  in.leaving_bytes = use.leaving;
  in.limit_bytes = limit_.Update(budget, needs, in.held_bytes);
  in.ramp_bytes = limit_.ramp();
  in.drain_bytes_per_sec = ledger_->drain().bytes_per_sec();
  in.max_bytes_per_sec =
      DbAccess(db_).work().write_controller()->max_delayed_write_rate();
  in.drains = ledger_->drain().drains();
  return in;
}

bool FastBudget::RocksDBDelays() const {
  for (auto* cfd : *DbAccess(db_).versions()->GetColumnFamilySet()) {
    if (cfd->initialized() && cfd->GetSuperVersion() != nullptr &&
        cfd->GetSuperVersion()->write_stall_condition ==
            WriteStallCondition::kDelayed) {
      return true;
    }
  }
  return false;
}

void FastBudget::SetRate(uint64_t bytes_per_sec) {
  WriteController* const controller = DbAccess(db_).work().write_controller();
  const bool delays = RocksDBDelays();
  if (delays && controller->delayed_write_rate() != rate_) {
    // RocksDB has computed one since. Without a delay of its own, it raises the
    // rate of ours with each version.
    rocksdb_rate_ = controller->delayed_write_rate();
  }
  controller->set_delayed_write_rate(
      delays ? std::min(bytes_per_sec, rocksdb_rate_) : bytes_per_sec);
  rate_ = controller->delayed_write_rate();
}

void FastBudget::Apply(const WriteBrake::Decision& decision,
                       const WriteBrake::Input& in) {
  WriteController* const controller = DbAccess(db_).work().write_controller();
  const uint64_t now = DbAccess(db_).immutable_options().clock->NowMicros();
  if (state_ != WriteBrake::State::kFree && largest_ != nullptr) {
    largest_->stats().Count(HotRapCounter::kBudgetStallMicros,
                            ExcessOf(now, braked_micros_));
  }
  braked_micros_ = now;
  const WriteBrake::State before = state_;
  state_ = decision.state;
  if (!decision.close) {
    pressure_.reset();
  } else if (pressure_ == nullptr) {
    pressure_ = controller->GetCompactionPressureToken();
  }
  if (before == WriteBrake::State::kFree && state_ != before) {
    rocksdb_rate_ = controller->delayed_write_rate();
    rate_ = rocksdb_rate_;
  }
  if (state_ == WriteBrake::State::kDelayed) {
    if (before != state_) {
      token_ = controller->GetDelayToken(decision.bytes_per_sec);
      rate_ = controller->delayed_write_rate();
    }
    SetRate(decision.bytes_per_sec);
  } else if (state_ == WriteBrake::State::kStopped) {
    if (before != state_) {
      token_ = controller->GetStopToken();
    }
  } else if (before != state_) {
    token_.reset();
    // Where RocksDB goes on from.
    controller->set_delayed_write_rate(rocksdb_rate_);
  }
  if (before == state_) {
    return;
  }
  if (before == WriteBrake::State::kStopped) {
    DbAccess(db_).work().SignalBackgroundWork();
  }
  Tell(before, in);
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
      in.limit_bytes, in.next_compaction_bytes, rate_);
  if (!largest_->events().wanted()) {
    return;
  }
  HotRapWriteStallInfo info;
  info.cf_id = largest_->cfd()->GetID();
  info.cf_name = largest_->cfd()->GetName();
  info.condition = ConditionOf(state_);
  info.before = ConditionOf(before);
  info.bytes_per_sec = state_ == WriteBrake::State::kDelayed ? rate_ : 0;
  info.fast_bytes = in.held_bytes;
  info.limit_bytes = in.limit_bytes;
  largest_->events().Report(info);
}

void FastBudget::TickSoon() {
  if (ticks_ || TickThreadHasEnded()) {
    return;
  }
  ticks_ = true;
  jobs_.find(members_.front().state)
      ->second->Schedule(TierJobs::Pool::kTicks, [self = shared_from_this()] {
        SystemClock* const clock =
            DbAccess(self->db_).immutable_options().clock;
        clock->SleepForMicroseconds(static_cast<int>(kTickMicros));
        InstrumentedMutexLock lock(self->db_->mutex());
        self->ticks_ = false;
        self->Update();
      });
}

void FastBudget::Close() {
  db_->mutex()->AssertHeld();
  closed_ = true;
  pressure_.reset();
  if (state_ != WriteBrake::State::kFree) {
    state_ = WriteBrake::State::kFree;
    token_.reset();
    DbAccess(db_).work().SignalBackgroundWork();
  }
}

void FastBudget::AddTo(Figures* figures) const {
  db_->mutex()->AssertHeld();
  const FastLedger::Use use = ledger_->use();
  figures->Add("fast_path_bytes",
               [&] { return use.tables + use.leaving + use.ralt; });
  figures->Add("fast_path_limit_bytes", [&] { return ledger_->limit(); });
  figures->Add("fast_path_leaving_bytes", [&] { return use.leaving; });
  figures->Add("fast_path_output_bytes", [&] { return use.outputs; });
  figures->Add("fast_path_writes", [&] {
    return state_ == WriteBrake::State::kFree      ? ""
           : state_ == WriteBrake::State::kDelayed ? "delayed"
                                                   : "stopped";
  });
  figures->Add("fast_path_write_rate", [&] {
    return state_ == WriteBrake::State::kDelayed ? rate_ : 0;
  });
  figures->Add("fast_path_drain_rate",
               [&] { return ledger_->drain().bytes_per_sec(); });
}

}  // namespace ROCKSDB_NAMESPACE
