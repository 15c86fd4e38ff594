//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/relocation/relocator.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/db/relocation/relocation_job.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// The fraction of the budget that stays free on the fast disk.
constexpr uint64_t kReserveDivisor = 100;
}  // namespace

Relocator::Relocator(TierState* state) : state_(state) {}

Relocator::~Relocator() { assert(job_ == nullptr); }

uint64_t Relocator::NowMicros() const {
  // The wall clock may jump backwards.
  return state_->cfd()->ioptions().clock->NowNanos() / 1000;
}

void Relocator::Configure(const MutableCFOptions& options, bool active) {
  state_->db()->mutex()->AssertHeld();
  bytes_per_sec_.store(active && !options.disable_auto_compactions
                           ? options.hotrap.relocation_bytes_per_sec
                           : 0,
                       std::memory_order_relaxed);
  MaybeSchedule();
}

void Relocator::MaybeSchedule() {
  if (bytes_left() == 0 ||
      bytes_per_sec_.load(std::memory_order_relaxed) == 0) {
    return;
  }
  calls_.fetch_add(1);
  if (!scheduled_.load(std::memory_order_relaxed) &&
      !scheduled_.exchange(true)) {
    ScheduleStep();
  }
}

void Relocator::ScheduleStep() {
  state_->jobs().Schedule(TierJobs::Pool::kCompactions, [this] { Run(); });
}

void Relocator::Run() {
  if (Step()) {
    ScheduleStep();
  } else {
    StepsEnd();
  }
}

bool Relocator::installing() const {
  state_->db()->mutex()->AssertHeld();
  return job_ != nullptr && job_->edit_in_force() != nullptr;
}

void Relocator::Interrupt() {
  state_->db()->mutex()->AssertHeld();
  // The caller may be a listener that runs in the step's own thread.
  while (job_ != nullptr && job_->holds_table() &&
         running_ != std::this_thread::get_id()) {
    if (running_.has_value()) {
      interrupted_ = true;
      DbAccess(state_->db()).work().AwaitBackgroundWork();
    } else {
      job_->Release();
    }
  }
}

void Relocator::Hold() {
  holds_++;
  Interrupt();
}

void Relocator::Abandon() {
  std::unique_ptr<RelocationJob> job;
  {
    InstrumentedMutexLock lock(state_->db()->mutex());
    if (job_ != nullptr) {
      job_->Release();
    }
    job = std::move(job_);
    moving_bytes_.store(0);
  }
}

Relocator::Next Relocator::MayRun() const {
  state_->db()->mutex()->AssertHeld();
  const DbAccess db(state_->db());
  if (state_->jobs().stopped() || db.work().shutting_down() ||
      state_->cfd()->IsDropped() || db.work().background_work_stopped() ||
      state_->first_slow_level() == 0 ||
      bytes_per_sec_.load(std::memory_order_relaxed) == 0) {
    return Next::kEnd;
  }
  return db.work().paused() || state_->fences().level_changes() || holds_ > 0
             ? Next::kPoll
             : Next::kGoOn;
}

bool Relocator::Step() {
  calls_seen_ = calls_.load();
  {
    InstrumentedMutexLock lock(state_->db()->mutex());
    running_ = std::this_thread::get_id();
  }
  const Next next = job_ == nullptr ? Begin() : Continue();
  {
    InstrumentedMutexLock lock(state_->db()->mutex());
    running_.reset();
    interrupted_ = false;
    DbAccess(state_->db()).work().SignalBackgroundWork();
  }
  if (next == Next::kPoll) {
    state_->cfd()->ioptions().clock->SleepForMicroseconds(kPollMicros);
  }
  if (next == Next::kEnd) {
    idle_until_micros_.store(NowMicros() + kIdleMicros,
                             std::memory_order_relaxed);
  }
  return next != Next::kEnd;
}

void Relocator::StepsEnd() {
  const uint64_t calls_seen = calls_seen_;
  scheduled_.store(false);
  if (calls_.load() != calls_seen) {
    MaybeSchedule();
  }
}

bool Relocator::UpperLevelsAreDue() const {
  ColumnFamilyData* const cfd = state_->cfd();
  return cfd->current()->storage_info()->NumLevelFiles(0) >=
         cfd->GetLatestMutableCFOptions().level0_file_num_compaction_trigger;
}

bool Relocator::TableIsNeeded() const {
  state_->db()->mutex()->AssertHeld();
  ColumnFamilyData* const cfd = state_->cfd();
  if (DbAccess(state_->db()).work().manual_compaction_waits(cfd)) {
    return true;
  }
  // Unlike the DB's write controller, this is about the column family.
  if (cfd->GetSuperVersion()->write_stall_condition !=
      WriteStallCondition::kNormal) {
    return true;
  }
  return job_->table().level <= 1 && UpperLevelsAreDue();
}

std::vector<RelocationTable> Relocator::Tables() const {
  state_->db()->mutex()->AssertHeld();
  const VersionStorageInfo& storage = *state_->cfd()->current()->storage_info();
  std::vector<RelocationTable> tables;
  for (int level = 0; level < storage.num_levels(); level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      tables.push_back(
          {file->fd.GetNumber(), level, file->fd.GetPathId(),
           file->fd.GetFileSize(),
           file->stats.num_reads_sampled.load(std::memory_order_relaxed)});
    }
  }
  return tables;
}

std::vector<RelocationTable> Relocator::Candidates(
    const std::vector<RelocationTable>& tables, int first_slow_level,
    bool upper_levels_are_due) {
  std::vector<RelocationTable> picked =
      PickRelocations(tables, first_slow_level, FastRoomBytes(tables));
  const uint64_t now_micros = NowMicros();
  picked.erase(
      std::remove_if(picked.begin(), picked.end(),
                     [&](const RelocationTable& table) {
                       const auto retry = retry_at_micros_.find(table.number);
                       return (upper_levels_are_due && table.level <= 1) ||
                              (retry != retry_at_micros_.end() &&
                               now_micros < retry->second);
                     }),
      picked.end());
  return picked;
}

uint64_t Relocator::FastRoomBytes(
    const std::vector<RelocationTable>& tables) const {
  const Ralt* const ralt = state_->ralt();
  uint64_t bytes = state_->sizes().compaction_room_bytes() +
                   (ralt != nullptr ? ralt->PhysicalBytes().value_or(0) : 0);
  for (const RelocationTable& table : tables) {
    if (table.path_id == 0) {
      bytes += table.bytes;
    }
  }
  const uint64_t budget_bytes = state_->sizes().budget_bytes();
  return budget_bytes > bytes ? budget_bytes - bytes : 0;
}

bool Relocator::DiskHasRoom(uint32_t path_id, uint64_t bytes) const {
  const ImmutableOptions& ioptions = state_->cfd()->ioptions();
  const DbPath& path = ioptions.cf_paths[path_id];
  uint64_t free_bytes = 0;
  const IOStatus s =
      ioptions.fs->GetFreeSpace(path.path, IOOptions(), &free_bytes, nullptr);
  const uint64_t reserve_bytes =
      path_id == 0 ? state_->sizes().budget_bytes() / kReserveDivisor : 0;
  // If the free space is unknown, only the budget limits.
  return !s.ok() || free_bytes >= bytes + reserve_bytes;
}

Relocator::Next Relocator::Begin() {
  ColumnFamilyData* const cfd = state_->cfd();
  DBImpl* const db = state_->db();
  // Hold no reference to a version: it might be the last one to obsolete
  // tables.
  std::vector<RelocationTable> tables;
  uint64_t version_number = 0;
  int first_slow_level = 0;
  bool upper_levels_are_due = false;
  bool room_left = true;
  bool waits = false;
  {
    InstrumentedMutexLock lock(db->mutex());
    const DbAccess parts(db);
    const Next next = MayRun();
    if (next != Next::kGoOn) {
      return next;
    }
    // An ingestion that replaces a range took the table back. Writes that wait
    // since the fast path is full may wait for what is moved off it.
    room_left = state_->sizes().promotes();
    if ((parts.work().writes_wait() && room_left) ||
        parts.work().manual_compaction_waits() ||
        parts.work().ingestion_runs()) {
      return Next::kPoll;
    }
    first_slow_level = state_->first_slow_level();
    tables = Tables();
    version_number = cfd->current()->GetVersionNumber();
    upper_levels_are_due = UpperLevelsAreDue();
  }
  for (const RelocationTable& table :
       Candidates(tables, first_slow_level, upper_levels_are_due)) {
    const uint32_t to_path = PathOfLevel(table.level, first_slow_level,
                                         cfd->ioptions().cf_paths.size());
    if (to_path == 0 && !room_left) {
      waits = true;
      continue;
    }
    if (!DiskHasRoom(to_path, table.bytes)) {
      continue;
    }
    auto job = std::make_unique<RelocationJob>(state_, table, to_path);
    InstrumentedMutexLock lock(db->mutex());
    if (state_->first_slow_level() != first_slow_level ||
        cfd->current()->GetVersionNumber() != version_number ||
        DbAccess(db).work().ingestion_runs() || MayRun() != Next::kGoOn) {
      return Next::kGoOn;  // start over
    }
    if (job->Take()) {
      job_ = std::move(job);
      moving_bytes_.store(table.bytes);
      verified_ = false;
      return Next::kGoOn;
    }
  }
  return waits ? Next::kPoll : Next::kEnd;
}

Relocator::Next Relocator::Continue() {
  Env* const env = state_->cfd()->ioptions().env;
  Status s;
  do {
    uint64_t bytes_per_sec = 0;
    {
      InstrumentedMutexLock lock(state_->db()->mutex());
      const Next next = MayRun();
      // With the mutex, so that it is the one that MayRun() has seen, not 0.
      bytes_per_sec = bytes_per_sec_.load(std::memory_order_relaxed);
      // A verified copy is installed at once, which frees the table as soon.
      if (interrupted_ || !job_->holds_table() ||
          (!verified_ && TableIsNeeded())) {
        s = Status::Aborted();
      } else if (next == Next::kPoll) {
        return next;
      } else if (next == Next::kEnd) {
        s = Status::ShutdownInProgress();
      }
    }
    if (s.ok() && !job_->copied()) {
      s = job_->CopyStep(bytes_per_sec);
    } else if (s.ok() && !verified_) {
      s = job_->SyncAndVerify();
      verified_ = s.ok();
    } else if (s.ok()) {
      s = job_->Install();
      if (s.IsTryAgain()) {
        return Next::kPoll;
      }
      Drop(s);
      return Next::kGoOn;
    }
  } while (s.ok() && env->GetThreadPoolQueueLen(Env::Priority::LOW) == 0);
  if (!s.ok()) {
    Drop(s);
  }
  return Next::kGoOn;
}

void Relocator::Drop(const Status& reason) {
  if (!reason.ok() && !reason.IsAborted() && !reason.IsShutdownInProgress() &&
      !reason.IsColumnFamilyDropped()) {
    ROCKS_LOG_WARN(state_->cfd()->ioptions().logger,
                   "[%s] HotRAP could not move table #%" PRIu64 ": %s",
                   state_->cfd()->GetName().c_str(), job_->table().number,
                   reason.ToString().c_str());
    retry_at_micros_[job_->table().number] = NowMicros() + kRetryMicros;
  }
  std::unique_ptr<RelocationJob> job;
  {
    InstrumentedMutexLock lock(state_->db()->mutex());
    if (job_->holds_table()) {
      job_->Release();
      DbAccess(state_->db()).work().CompactAgain(state_->cfd());
    }
    job = std::move(job_);
    moving_bytes_.store(0);
  }
}

}  // namespace ROCKSDB_NAMESPACE
