//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/hotrap_tier.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/job_context.h"
#include "db/version_set.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/db/promotion/promotion_job.h"
#include "plugin/hotrap/db/state/space_reservation.h"
#include "plugin/hotrap/db/state/tracked_ralt_space.h"
#include "plugin/hotrap/db/tier/hotrap_warnings.h"
#include "plugin/hotrap/ralt/ralt_thread.h"
#include "plugin/hotrap/test_util/hotrap_force.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr uint64_t kBackOffMicros = 100 * 1000;
// Under uniform reads, RALT knows the same share of admitted records as of all
// data. A hot set shows if it knows more than twice that.
constexpr double kMinKnownAdmissions = 0.15;
constexpr double kMinTimesTrackedShare = 2;
// A hot set of R_hs that RALT does not know yet, except for D_hs and half a
// buffer of it, gives a share of 6 %.
constexpr double kMinKnownWhileLearning = 0.04;
// Weight of the last batch in the average; a batch may have only a few hundred
// records.
constexpr double kWeightOfLastBatch = 0.25;

}  // namespace

// What remains of a dropped column family until it is torn down.
struct HotRapTier::Orphan {
  DBImpl* db;
  std::unique_ptr<Ralt> ralt;
  std::vector<std::string> folders;
  std::string cf_name;
  std::shared_ptr<FileSystem> fs;
  Logger* info_log;

  void TearDown() {
    ralt.reset();
    for (const std::string& folder : folders) {
      const Status s = Ralt::Destroy(folder, fs.get());
      if (!s.ok()) {
        ROCKS_LOG_WARN(info_log,
                       "[%s] HotRAP: cannot remove the RALT of a dropped "
                       "column family: %s",
                       cf_name.c_str(), s.ToString().c_str());
      }
    }
  }
};

HotRapTier::HotRapTier(DBImpl* db, ColumnFamilyData* cfd)
    : db_(db),
      cfd_(cfd),
      cache_(cfd->user_comparator()),
      stats_(cfd->ioptions().stats),
      relocator_(this) {}

HotRapTier::~HotRapTier() {
  // The caller destroys the column family, so it held the last reference, and a
  // running job holds one.
  assert(!busy());
  if (!cfd_->IsDropped() || ralt_open_due_.load()) {
    return;
  }
  const ImmutableOptions& ioptions = cfd_->ioptions();
  auto orphan = std::make_unique<Orphan>(Orphan{db_, std::move(owned_ralt_),
                                                Folders(*cfd_), cfd_->GetName(),
                                                ioptions.fs, ioptions.logger});
  if (stopped()) {
    // The DB closes.
    orphan->TearDown();
    return;
  }
  // The DB mutex is held, so do not touch the disk here.
  DbAccess(db_).orphans()++;
  RaltThread()->Schedule(&HotRapTier::RunTearDown, orphan.release(),
                         /*tag=*/db_, &HotRapTier::RunTearDown);
}

void HotRapTier::TearDownNow(DBImpl* db) { RaltThread()->UnSchedule(db); }

void HotRapTier::RunTearDown(void* arg) {
  const std::unique_ptr<Orphan> orphan(static_cast<Orphan*>(arg));
  orphan->TearDown();
  InstrumentedMutexLock lock(orphan->db->mutex());
  DbAccess(orphan->db).orphans()--;
  DbAccess(orphan->db).SignalBackgroundWork();
}

std::string HotRapTier::RaltPath(const std::string& path,
                                 const ColumnFamilyData& cfd) {
  return path + "/" + kRaltFolderPrefix + std::to_string(cfd.GetID());
}

std::vector<std::string> HotRapTier::Folders(const ColumnFamilyData& cfd) {
  std::vector<std::string> folders;
  for (const DbPath& path : cfd.ioptions().cf_paths) {
    folders.push_back(RaltPath(path.path, cfd));
  }
  return folders;
}

bool HotRapTier::Configure(const MutableCFOptions& options) {
  db_->mutex()->AssertHeld();
  const ImmutableOptions& ioptions = cfd_->ioptions();
  options_ = options.hotrap;
  cached_hit_sampling_.store(std::max(1u, options_.cached_hit_sampling),
                             std::memory_order_relaxed);
  no_hotness_check_.store(options_.no_hotness_check, std::memory_order_relaxed);
  no_tracking_.store(options_.no_tracking, std::memory_order_relaxed);
  cache_.SetCapacity(options_.promotion_cache_bytes > 0
                         ? options_.promotion_cache_bytes
                         : options.target_file_size_base);
  filtered_.store(ioptions.compaction_filter != nullptr ||
                      ioptions.compaction_filter_factory != nullptr,
                  std::memory_order_relaxed);

  const HotRapLevelShape shape = ComputeLevelShape(ioptions, options);
  const char* const reason = HotRapInactiveReason(ioptions, options, shape);
  const int first_slow_level = shape.first_slow_level;
  fast_budget_bytes_.store(shape.budget_bytes, std::memory_order_relaxed);
  spare_bytes_.store(SpareForFlushes(options) + shape.level0_bytes +
                         options.max_bytes_for_level_base,
                     std::memory_order_relaxed);
  compaction_room_bytes_.store(shape.compaction_bytes,
                               std::memory_order_relaxed);
  const bool active = *reason == '\0';
  const char* const old_reason =
      inactive_reason_.exchange(reason, std::memory_order_relaxed);
  if (strcmp(reason, old_reason) == 0 &&
      (!active || first_slow_level == this->first_slow_level())) {
    relocator_.Configure(options, active);
    return active;
  }

  last_fast_target_bytes_.store(shape.last_fast_target_bytes(),
                                std::memory_order_relaxed);
  // While inactive, edits were not tracked; and with another FS, other edits
  // matter.
  const int fs_in_force = active ? first_slow_level : 0;
  cache_.Reset(fs_in_force, cfd_->current()->GetVersionNumber());
  one_more_access_counts_.store(false, std::memory_order_relaxed);
  first_slow_level_.store(fs_in_force, std::memory_order_release);
  // No version was examined with this FS yet.
  relocator_.set_bytes_left(
      active
          ? BytesOnWrongTier(*cfd_->current()->storage_info(), first_slow_level)
          : 0);
  relocator_.Configure(options, active);
  if (active) {
    ROCKS_LOG_INFO(ioptions.logger,
                   "[%s] HotRAP is active: levels from %d on live on the slow "
                   "tier%s",
                   cfd_->GetName().c_str(), first_slow_level,
                   filtered() ? "; no promotion with a compaction filter" : "");
    if (ralt_open_due_.exchange(false) && BeginJob()) {
      RaltThread()->Schedule(&HotRapTier::RunOpening, this, this,
                             &HotRapTier::Unschedule);
    }
  } else {
    ROCKS_LOG_INFO(ioptions.logger, "[%s] HotRAP is inactive: %s",
                   cfd_->GetName().c_str(), reason);
  }
  return active;
}

void HotRapTier::RecordAccess(const Slice& user_key, uint64_t value_bytes,
                              uint32_t weight, bool fast) {
  assert(weight > 0);
  Ralt* const tracker = ralt();
  if (tracker == nullptr || no_tracking_.load(std::memory_order_relaxed)) {
    return;
  }
  tracker->RecordAccess(user_key, value_bytes, weight, fast);
  stats_.Count(HotRapCounter::kAccesses);
}

void HotRapTier::MaybeSchedulePromotion() {
  // Without RALT nothing is hot, and each read that finds the cache full would
  // schedule a useless job.
  if (ralt() != nullptr && cache_.Full() &&
      !promotion_scheduled_.load(std::memory_order_relaxed) &&
      cfd_->ioptions().clock->NowNanos() / 1000 >=
          not_before_micros_.load(std::memory_order_relaxed)) {
    SchedulePromotion();
  }
}

void HotRapTier::BackOff() {
  stats_.Count(HotRapCounter::kBackoffs);
  // The wall clock may jump backwards.
  not_before_micros_.store(
      cfd_->ioptions().clock->NowNanos() / 1000 + kBackOffMicros,
      std::memory_order_relaxed);
}

void HotRapTier::NoteAdmissions(uint64_t data_bytes) {
  // By chance, the share of reads that meet a tracked key is the share of data
  // that is tracked.
  const auto clearly_more_than_chance = [&](uint64_t tracked_bytes) {
    return kMinTimesTrackedShare * static_cast<double>(tracked_bytes) /
           static_cast<double>(std::max<uint64_t>(1, data_bytes));
  };
  Ralt* const tracker = ralt();
  const RaltStats tracked =
      tracker != nullptr ? tracker->GetStats() : RaltStats();
  // Read the counters in the opposite order of Admit().
  const uint64_t from_memory = stats_.Get(HotRapCounter::kAdmissionsFromMemory);
  const uint64_t all = stats_.Get(HotRapCounter::kAdmissions);
  const uint64_t admissions =
      std::max(admissions_noted_, all - std::min(all, from_memory));
  const uint64_t known = stats_.Get(HotRapCounter::kAdmissionsKnown);
  const bool is_first = admissions_noted_ == 0;
  const uint64_t new_admissions = admissions - admissions_noted_;
  const uint64_t new_known = known - known_admissions_noted_;
  admissions_noted_ = admissions;
  known_admissions_noted_ = known;
  if (tracker == nullptr || new_admissions == 0) {
    one_more_access_counts_.store(false, std::memory_order_relaxed);
    return;
  }
  const double known_share =
      static_cast<double>(new_known) / static_cast<double>(new_admissions);
  one_more_access_counts_.store(
      known_share >= std::max(kMinKnownAdmissions,
                              clearly_more_than_chance(tracked.tracked_bytes)),
      std::memory_order_relaxed);

  // Most hot records are on the fast tier and are not admitted, so leave them
  // out.
  recent_known_share_ +=
      (is_first ? 1 : kWeightOfLastBatch) * (known_share - recent_known_share_);
  tracker->SetLearning(
      recent_known_share_ >=
      std::max(kMinKnownWhileLearning,
               clearly_more_than_chance(
                   tracked.tracked_bytes -
                   std::min(tracked.tracked_bytes, tracked.hot_set_bytes))));
}

bool HotRapTier::BeginJob() {
  jobs_.fetch_add(1);
  if (stopped()) {
    jobs_.fetch_sub(1);
    return false;
  }
  // The job keeps the column family, and thus this object, alive.
  cfd_->Ref();
  return true;
}

void HotRapTier::EndJob() {
  DBImpl* const db = db_;
  JobContext job_context(DbAccess(db).NextJobId());
  {
    InstrumentedMutexLock lock(db->mutex());
    const bool dropped = cfd_->IsDropped();
    jobs_.fetch_sub(1);
    if (cfd_->UnrefAndTryDelete() && dropped) {
      // Whoever dropped the column family could not delete its tables. From
      // here on, closing the DB waits for that.
      db->FindObsoleteFiles(&job_context, /*force=*/false);
    }
    DbAccess(db).SignalBackgroundWork();
  }
  if (job_context.HaveSomethingToDelete()) {
    db->PurgeObsoleteFiles(job_context);
  }
  job_context.Clean();
}

// Called by Stop(), with the DB mutex held.
void HotRapTier::Unschedule(void* arg) {
  auto* tier = static_cast<HotRapTier*>(arg);
  tier->jobs_.fetch_sub(1);
  tier->cfd_->UnrefAndTryDelete();
}

void HotRapTier::RunOpening(void* arg) {
  auto* tier = static_cast<HotRapTier*>(arg);
  if (!tier->stopped()) {
    tier->OpenRalt();
  }
  tier->EndJob();
}

void HotRapTier::SchedulePromotion() {
  if (!promotion_scheduled_.exchange(true) && BeginJob()) {
    // Use the pool of the compactions: a flush must not wait behind a
    // promotion.
    cfd_->ioptions().env->Schedule(&HotRapTier::RunPromotion, this,
                                   Env::Priority::LOW, this,
                                   &HotRapTier::Unschedule);
  }
}

void HotRapTier::RunPromotion(void* arg) {
  auto* tier = static_cast<HotRapTier*>(arg);
  if (!tier->stopped() && tier->cache_.Full()) {
    PromotionJob(tier).Run();
  }
  tier->promotion_scheduled_.store(false);
  tier->EndJob();
}

void HotRapTier::ScheduleRelocation() {
  if (BeginJob()) {
    cfd_->ioptions().env->Schedule(&HotRapTier::RunRelocation, this,
                                   Env::Priority::LOW, this,
                                   &HotRapTier::Unschedule);
  }
}

void HotRapTier::RunRelocation(void* arg) {
  auto* tier = static_cast<HotRapTier*>(arg);
  if (!tier->stopped()) {
    if (tier->relocator_.Step()) {
      tier->ScheduleRelocation();
    } else {
      tier->relocator_.StepsEnd();
    }
  }
  tier->EndJob();
}

void HotRapTier::SwitchIfForced() {
  if (HotRapForce::SwitchIsDue() && BeginJob()) {
    // Use a thread where no compaction queues behind it: SetOptions() may have
    // to wait for somebody who waits for a compaction.
    RaltThread()->Schedule(&HotRapTier::RunSwitch, this, this,
                           &HotRapTier::Unschedule);
  }
}

void HotRapTier::RunSwitch(void* arg) {
  auto* tier = static_cast<HotRapTier*>(arg);
  if (!tier->stopped()) {
    HotRapForce::Switch(tier->db_, tier->cfd_);
  }
  tier->EndJob();
}

void HotRapTier::Stop() {
  db_->mutex()->AssertHeld();
  stopped_.store(true, std::memory_order_release);
  if (Ralt* tracker = ralt()) {
    tracker->CancelWork();
  }
  cfd_->ioptions().env->UnSchedule(this, Env::Priority::LOW);
  RaltThread()->UnSchedule(this);
}

void HotRapTier::CloseRalt() {
  assert(stopped() && !busy());
  relocator_.Abandon();
  {
    WriteLock no_pins(&ralt_pins_);
    ralt_.store(nullptr, std::memory_order_release);
  }
  owned_ralt_.reset();
}

void HotRapTier::WarnOfOptions() {
  std::vector<std::string> warnings;
  {
    InstrumentedMutexLock lock(db_->mutex());
    if (first_slow_level() == 0) {
      return;
    }
    std::vector<FastPathShare> others;
    for (auto* other : *db_->GetVersionSet()->GetColumnFamilySet()) {
      const HotRapTier* const tier = other->hotrap.active();
      if (other != cfd_ && tier != nullptr && !other->IsDropped()) {
        const DbPath& fast = other->ioptions().cf_paths[0];
        others.push_back(
            {fast.path, fast.target_size, tier->fast_budget_bytes()});
      }
    }
    warnings = HotRapWarnings(
        cfd_->ioptions(), cfd_->GetLatestMutableCFOptions(), others,
        !cfd_->current()->storage_info()->GetBlobFiles().empty());
  }
  // Log without the mutex, because the LOG is a file.
  for (const std::string& warning : warnings) {
    ROCKS_LOG_WARN(cfd_->ioptions().logger, "[%s] HotRAP: %s",
                   cfd_->GetName().c_str(), warning.c_str());
  }
}

void HotRapTier::OpenRalt() {
  WarnOfOptions();
  const ImmutableOptions& ioptions = cfd_->ioptions();
  HotRapOptions options;
  RaltOptions ralt_options;
  {
    InstrumentedMutexLock lock(db_->mutex());
    options = options_;
    ralt_options.db_id = DbAccess(db_).db_id();
  }
  ralt_options.path = RaltPath(cfd_->ioptions().cf_paths[0].path, *cfd_);
  ralt_options.env = ioptions.env;
  ralt_options.fs = ioptions.fs;
  ralt_options.clock = ioptions.clock;
  ralt_options.info_log = ioptions.logger;
  ralt_options.rate_limiter = ioptions.rate_limiter;
  ralt_options.space = std::make_shared<TrackedRaltSpace>(
      ioptions.fs, ioptions.cf_paths[0].path, ioptions.sst_file_manager,
      spare_bytes());
  ralt_options.use_direct_reads = ioptions.use_direct_reads;
  ralt_options.use_direct_io_for_writes =
      ioptions.use_direct_io_for_flush_and_compaction;
  ralt_options.comparator = ioptions.user_comparator;
  ralt_options.cf_id = cfd_->GetID();
  ralt_options.cf_name = cfd_->GetName();
  ralt_options.fast_budget_bytes =
      FastBudgetBytes(ioptions.cf_paths[0].target_size, options);
  ralt_options.buffer_bytes = options.access_buffer_bytes;
  ralt_options.auto_tune = options.auto_tune;
  HotRapForce::Apply(&ralt_options);
  RemoveFoldersLeftBehind();
  Status s = Ralt::Open(ralt_options, &owned_ralt_);
  if (s.ok()) {
    ralt_.store(owned_ralt_.get(), std::memory_order_release);
  } else {
    ROCKS_LOG_WARN(ioptions.logger,
                   "[%s] HotRAP: RALT did not open, nothing is tracked or "
                   "promoted: %s",
                   cfd_->GetName().c_str(), s.ToString().c_str());
  }
}

// Removes folders of column families that were dropped while HotRAP was off, or
// shortly before the process was killed.
void HotRapTier::RemoveFoldersLeftBehind() {
  const ImmutableOptions& ioptions = cfd_->ioptions();
  std::vector<std::pair<std::string, uint64_t>> folders;
  for (const DbPath& path : ioptions.cf_paths) {
    std::vector<std::string> names;
    ioptions.fs->GetChildren(path.path, IOOptions(), &names, nullptr)
        .PermitUncheckedError();
    for (const std::string& name : names) {
      Slice rest(name);
      uint64_t id = 0;
      if (rest.starts_with(kRaltFolderPrefix)) {
        rest.remove_prefix(strlen(kRaltFolderPrefix));
        if (ConsumeDecimalNumber(&rest, &id) && rest.empty()) {
          folders.emplace_back(path.path + "/" + name, id);
        }
      }
    }
  }
  // List these after the folders, so that the folder of a column family created
  // meanwhile is not removed.
  const auto in_use = DbAccess(db_).ColumnFamiliesInUse();
  for (const auto& [folder, id] : folders) {
    if (in_use.count(id) == 0) {
      ROCKS_LOG_INFO(ioptions.logger,
                     "HotRAP: removing %s of a dropped column family",
                     folder.c_str());
      Ralt::Destroy(folder, ioptions.fs.get()).PermitUncheckedError();
    }
  }
}

void HotRapTier::GetStats(std::map<std::string, std::string>* values) const {
  const char* reason = inactive_reason_.load(std::memory_order_relaxed);
  (*values)["active"] = *reason == '\0' ? "1" : "0";
  (*values)["inactive_reason"] = reason;
  (*values)["first_slow_level"] = std::to_string(first_slow_level());
  (*values)["fast_budget_bytes"] =
      std::to_string(fast_budget_bytes_.load(std::memory_order_relaxed));
  (*values)["last_fast_target_bytes"] =
      std::to_string(last_fast_target_bytes_.load(std::memory_order_relaxed));
  (*values)["cold_fraction"] = std::to_string(cold_fraction_.value());
  (*values)["promotion_cache_bytes"] = std::to_string(cache_.memory_bytes());
  (*values)["promotion_cache_records"] = std::to_string(cache_.num_records());
  (*values)["promotion_cache_capacity"] =
      std::to_string(cache_.capacity_bytes());
  stats_.AddTo(values);
  (*values)["relocation_bytes_left"] = std::to_string(relocator_.bytes_left());
  Ralt* const tracker = ralt();
  (*values)["ralt_open"] = tracker != nullptr ? "1" : "0";
  if (tracker == nullptr) {
    return;
  }
  const RaltStats ralt_stats = tracker->GetStats();
  const std::pair<const char*, uint64_t> figures[] = {
      {"ralt_accesses", ralt_stats.accesses},
      {"ralt_accesses_dropped", ralt_stats.accesses_dropped},
      {"ralt_accesses_too_large", ralt_stats.accesses_too_large},
      {"ralt_records_without_room", ralt_stats.records_without_room},
      {"ralt_accessed_bytes", ralt_stats.accessed_bytes},
      {"ralt_flushes", ralt_stats.flushes},
      {"ralt_merges", ralt_stats.merges},
      {"ralt_evictions", ralt_stats.evictions},
      {"ralt_bytes_written", ralt_stats.bytes_written},
      {"ralt_bytes_read", ralt_stats.bytes_read},
      {"ralt_background_micros", ralt_stats.background_micros},
      {"ralt_background_errors", ralt_stats.background_errors},
      {"ralt_resets", ralt_stats.resets},
      {"ralt_runs", ralt_stats.runs},
      {"ralt_levels", ralt_stats.levels},
      {"ralt_records", ralt_stats.records},
      {"ralt_hot_records", ralt_stats.hot_records},
      {"ralt_hot_set_bytes", ralt_stats.hot_set_bytes},
      {"ralt_tracked_bytes", ralt_stats.tracked_bytes},
      {"ralt_physical_bytes", ralt_stats.physical_bytes},
      {"ralt_hot_set_limit_bytes", ralt_stats.hot_set_limit_bytes},
      {"ralt_physical_limit_bytes", ralt_stats.physical_limit_bytes},
      {"ralt_stable_bytes", ralt_stats.stable_bytes},
      {"ralt_buffer_memory_bytes", ralt_stats.buffer_memory_bytes},
      {"ralt_filter_memory_bytes", ralt_stats.filter_memory_bytes},
      {"ralt_index_memory_bytes", ralt_stats.index_memory_bytes},
      {"ralt_tick", ralt_stats.tick},
      {"ralt_learning", ralt_stats.learning ? 1u : 0u},
      {"ralt_paused", ralt_stats.paused ? 1u : 0u},
  };
  for (const auto& figure : figures) {
    (*values)[figure.first] = std::to_string(figure.second);
  }
  (*values)["ralt_hot_score_threshold"] =
      std::to_string(ralt_stats.hot_score_threshold);
}

}  // namespace ROCKSDB_NAMESPACE
