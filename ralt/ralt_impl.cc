//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_impl.h"

#include <algorithm>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/buffer_cursor.h"
#include "plugin/hotrap/ralt/eviction.h"
#include "plugin/hotrap/ralt/hot_key_cursor.h"
#include "plugin/hotrap/ralt/ralt_thread.h"
#include "test_util/sync_point.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// Small levels are cheap to rewrite, and keep the records of a key together: it
// gets hot sooner.
constexpr uint64_t kMinLevelUnitBytes = 1 << 20;
constexpr uint64_t kScanReadaheadBytes = 256 << 10;
constexpr uint64_t kRecordsBetweenPolls = 1024;
constexpr size_t kNoLevel = SIZE_MAX;
// In level 0.
constexpr size_t kMaxWaitingRuns = 16;
// A job that failed to read so many times in a row is not tried again.
constexpr uint32_t kReadAttempts = 3;
// While so many of the keys that are flushed are new, a hot set is being
// learnt, as far as Ralt can see, and each merge finds keys that have been
// accessed twice.
constexpr double kLearningShare = 0.25;
// What such merges cost is bounded: a level 1 that is larger than so many
// flushed runs waits for some of them. (While hot sets of 1 to 5 % of the data
// are learnt it is 4 to 22 times as large as a run; above that are the levels
// of small fast tiers, whose runs are small beside kMinLevelUnitBytes.) What
// they gain is reads of the slow tier: where less than a part of the accesses
// went there, so much fewer runs.
constexpr double kRunsToMergeAtOnce = 24;
constexpr double kSlowShareToMergeAtOnce = 1.0 / 10;
// Of so many keys that are flushed, one is looked up.
constexpr uint64_t kKeysToLookup = 8;
// Recent keys have a slot for so much of what the buffers take until they are
// sealed, of their memory or of HotRAP bytes: at most 1 MiB of slots.
constexpr uint64_t kBytesARecentKey = 64;
}  // namespace

RaltImpl::RaltImpl(const RaltOptions& options)
    : options_(options),
      scoring_(options.alpha, options.counter_max, options.counter_step),
      access_clock_(static_cast<uint64_t>(options.slice_fraction *
                                          options.hot_set_limit_bytes) +
                        1,
                    options.counter_period_bytes),
      buffer_(&access_clock_, options.buffer_bytes, options.seal_bytes,
              options.seal_accessed_bytes),
      recent_keys_(std::min(options.seal_bytes, options.seal_accessed_bytes) /
                   kBytesARecentKey),
      store_(options_, &access_clock_),
      random_(MakeStamp(options.db_id, options.cf_id)),
      job_ended_(&mutex_) {}

RaltImpl::~RaltImpl() {
  CancelWork();
  {
    // A job that ends now must have seen that, or it would schedule another.
    MutexLock lock(&mutex_);
  }
  RaltThread()->UnSchedule(this);
  {
    MutexLock lock(&mutex_);
    while (scheduled_) {
      job_ended_.Wait();
    }
  }
  if (loaded_ && !paused_.load(std::memory_order_relaxed)) {
    const Status s = FlushBuffer();
    if (!s.ok()) {
      ROCKS_LOG_WARN(options_.info_log,
                     "[%s] RALT lost its last accesses at close: %s",
                     options_.cf_name.c_str(), s.ToString().c_str());
    }
  }
}

void RaltImpl::Start() {
  Status s = store_.Recover();
  recovered_ = s.ok();
  if (recovered_ && store_.PendingLoadBytes() <= options_.inline_load_bytes) {
    s = LoadRuns();
  }
  MutexLock lock(&mutex_);
  if (!s.ok()) {
    Pause(s);
  }
  MaybeSchedule();
}

// ---- Foreground -----------------------------------------------------------

void RaltImpl::RecordAccess(const Slice& user_key, uint64_t value_bytes,
                            uint32_t weight, bool fast) {
  if (cancelled()) {
    return;
  }
  if (buffer_.Record(user_key, value_bytes, weight, fast)) {
    MutexLock lock(&mutex_);
    MaybeSchedule();
  }
  if (paused_.load(std::memory_order_relaxed)) {
    MaybeResume();
  } else if (!fast) {
    recent_keys_.Add(RunFilter::HashKey(user_key));
  }
}

bool RaltImpl::IsHot(const Slice& user_key) const {
  const uint64_t hash = RunFilter::HashKey(user_key);
  return store_.versions().Get()->IsHot(user_key, hash, store_.env().order);
}

bool RaltImpl::IsHotOnceMore(const Slice& user_key) const {
  const uint64_t hash = RunFilter::HashKey(user_key);
  const auto version = store_.versions().Get();
  return TwoAccessesAreEnough()
             ? recent_keys_.AccessedTwice(hash) ||
                   version->IsTracked(user_key, hash, store_.env().order)
             : version->IsHot(user_key, hash, store_.env().order);
}

uint64_t RaltImpl::HotBytes(const Slice& begin, const Slice& end,
                            uint64_t* error) const {
  uint64_t ignored = 0;
  return store_.versions().Get()->HotBytes(begin, end, store_.env().order,
                                           new_share(),
                                           error != nullptr ? error : &ignored);
}

std::optional<uint64_t> RaltImpl::PhysicalBytes() const {
  if (!loaded_.load(std::memory_order_acquire)) {
    return std::nullopt;
  }
  uint64_t sum = 0;
  store_.versions().Get()->ForEachSlice(
      [&](const RunSlice& slice) { sum += slice.file->file_bytes(); });
  return sum;
}

std::unique_ptr<HotKeyIterator> RaltImpl::NewHotKeyIterator() const {
  return std::make_unique<HotKeyCursor>(store_.versions().Get(),
                                        store_.env().order, scoring_,
                                        access_clock_.Now());
}

void RaltImpl::CancelWork() {
  cancelled_.store(true, std::memory_order_relaxed);
}

Status RaltImpl::BackgroundError() const {
  MutexLock lock(&mutex_);
  return background_error_;
}

// ---- Background job -------------------------------------------------------

Status RaltImpl::DoWork() {
  const uint64_t failed_reads = store_.env().failed_reads;
  Status s = DoDueWork();
  if (s.ok()) {
    failed_jobs_ = 0;
  } else if (s.IsCorruption()) {
    store_.Reset(s);
    s = Status::OK();
  } else if (s.IsPathNotFound()) {
    s = store_.StartAnew(s);
  } else if (store_.env().failed_reads > failed_reads && s.IsIOError() &&
             !s.IsNoSpace() && ++failed_jobs_ >= kReadAttempts) {
    store_.Reset(s);
    failed_jobs_ = 0;
    s = Status::OK();
  }
  return s;
}

Status RaltImpl::DoDueWork() {
  Status s;
  if (!recovered_) {
    s = store_.Recover();
    if (!s.ok()) {
      return s;
    }
    recovered_ = true;
  }
  if (!loaded_) {
    s = LoadRuns();
    if (!s.ok()) {
      return s;
    }
  }
  if (store_.manifest_in_doubt()) {
    // What is written before that is settled stays on the disk whatever comes.
    s = store_.Install(store_.versions().Get(), store_.limits());
    if (!s.ok()) {
      return s;
    }
  }
  s = FlushIfDue();
  if (s.ok()) {
    s = Settle();
  }
  store_.DeleteObsoleteFiles();
  return s;
}

Status RaltImpl::LoadRuns() {
  const Status s = store_.LoadRuns([this] { return cancelled(); });
  if (s.ok()) {
    data_time_ = access_clock_.Now();
    loaded_ = true;
  }
  return s;
}

bool RaltImpl::Crowded() const {
  const auto version = store_.versions().Get();
  return !version->levels.empty() &&
         version->levels[0].size() >=
             std::max<size_t>(kMaxWaitingRuns, 2 * options_.level0_runs);
}

Status RaltImpl::FlushIfDue() {
  uint64_t ticket;
  {
    MutexLock lock(&mutex_);
    ticket = flushes_requested_;
  }
  if (flushed_ticket_ == ticket && (!buffer_.ready_to_seal() || Crowded())) {
    return Status::OK();
  }
  const Status s = FlushBuffer();
  if (s.ok()) {
    flush_is_asked_for_ |= flushed_ticket_ != ticket;
    flushed_ticket_ = ticket;
  }
  return s;
}

MergeContext RaltImpl::MakeMergeContext() {
  return {&store_.env(), &scoring_, options_.file_bytes,
          [this] { return store_.NewFileNumber(); },
          [this] { return cancelled(); }};
}

Status RaltImpl::FlushBuffer() {
  TEST_SYNC_POINT("RaltImpl::FlushBuffer");
  TEST_KILL_RANDOM("RaltImpl::FlushBuffer:0");
  SealedAccesses sealed = buffer_.Seal();
  store_.MarkTime();
  data_time_ = access_clock_.Now();
  if (sealed.accesses == 0) {
    buffer_.Release(std::move(sealed));
    return store_.Install(store_.versions().Get(), store_.limits());
  }
  recent_keys_.BeginPeriod();
  const uint64_t accesses = sealed.accesses;
  if (!store_.env().HasRoom(sealed.memory_bytes)) {
    // No error: where there is no room for this there is none to promote to.
    lost_accesses_.fetch_add(accesses, std::memory_order_relaxed);
    buffer_.Release(std::move(sealed));
    return Status::OK();
  }
  flushed_slow_share_ =
      static_cast<double>(sealed.slow_weight) /
      static_cast<double>(std::max<uint64_t>(1, sealed.weight));
  MergeContext context = MakeMergeContext();
  // One file a run, and whole: what a close would cut short here is lost.
  context.file_bytes = UINT64_MAX;
  context.cancelled = [] { return false; };
  MergePolicy policy;
  policy.now = data_time_;
  policy.hot_threshold = store_.limits().hot_threshold;

  std::shared_ptr<RunFile> file;
  Status s;
  {
    BufferCursor cursor(sealed, store_.env().order, scoring_, policy.now);
    flushed_new_share_ = ShareOfNewKeys(&cursor);
    cursor.SeekToFirst();
    s = WriteRun(context, policy, &cursor, &file);
  }
  buffer_.Release(std::move(sealed));
  if (s.ok()) {
    auto version = std::make_shared<Version>(*store_.versions().Get());
    if (version->levels.empty()) {
      version->levels.resize(1);
    }
    version->levels[0].insert(version->levels[0].begin(), {file, ""});
    s = store_.Install(std::move(version), store_.limits());
  }
  if (s.ok()) {
    flushes_.fetch_add(1, std::memory_order_relaxed);
    bytes_flushed_.fetch_add(file->file_bytes(), std::memory_order_relaxed);
    flushed_run_bytes_ =
        std::max(file->file_bytes(), flushed_run_bytes_ / 8 * 7);
  } else {
    lost_accesses_.fetch_add(accesses, std::memory_order_relaxed);
  }
  return s;
}

double RaltImpl::ShareOfNewKeys(RecordCursor* cursor) const {
  const auto version = store_.versions().Get();
  uint64_t keys = 0;
  uint64_t lookups = 0;
  uint64_t unknown = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    if (keys++ % kKeysToLookup == 0) {
      const Slice key = cursor->record().key;
      ++lookups;
      unknown +=
          version->IsTracked(key, RunFilter::HashKey(key), store_.env().order)
              ? 0
              : 1;
    }
  }
  return lookups > 0
             ? static_cast<double>(unknown) / static_cast<double>(lookups)
             : 0;
}

uint64_t RaltImpl::LevelCapacity(size_t level) const {
  uint64_t capacity = std::max(flushed_run_bytes_, kMinLevelUnitBytes);
  for (size_t i = 0; i < level && capacity < UINT64_MAX / options_.level_ratio;
       ++i) {
    capacity *= options_.level_ratio;
  }
  return capacity;
}

bool RaltImpl::OverLimits(const Version& version) const {
  // Second records of known keys go away in the next merge: an eviction would
  // find nothing to free in them.
  const VersionTotals totals(version, new_share());
  const RaltLimits limits = store_.limits();
  return totals.distinct_physical_bytes >
             options_.PhysicalLimit(limits.physical_bytes,
                                    RoomToLearn(totals)) ||
         totals.distinct_hot_bytes > limits.hot_set_bytes;
}

uint64_t RaltImpl::RoomToLearn(const VersionTotals& totals) const {
  if (!learning_.load(std::memory_order_relaxed) || !options_.auto_tune ||
      totals.tracked_bytes == 0) {
    return 0;
  }
  const double largest_hot_set_bytes =
      options_.hot_set_max_fraction *
      static_cast<double>(options_.fast_budget_bytes);
  return static_cast<uint64_t>(largest_hot_set_bytes *
                               static_cast<double>(totals.physical_bytes) /
                               static_cast<double>(totals.tracked_bytes));
}

void RaltImpl::LearnNewShare(uint64_t upper_records, uint64_t deepest_records,
                             uint64_t merged_records) {
  if (upper_records > 0) {
    const double new_records = static_cast<double>(merged_records) -
                               static_cast<double>(deepest_records);
    const double share = new_records / static_cast<double>(upper_records);
    new_share_.store(std::clamp(share, 0.0, 1.0), std::memory_order_relaxed);
  }
}

size_t RaltImpl::Level0Runs(const Version& version) const {
  if (flush_is_asked_for_) {
    return 1;
  }
  // What a merge finds is old where merges are rare, and a hot set may move.
  const bool learning =
      learning_.load(std::memory_order_relaxed) ||
      std::max(new_share(), flushed_new_share_) >= kLearningShare;
  if (!learning) {
    return options_.level0_runs;
  }
  const double worth =
      kRunsToMergeAtOnce *
      std::min(1.0, flushed_slow_share_ / kSlowShareToMergeAtOnce) *
      static_cast<double>(flushed_run_bytes_);
  const double runs = 1 + static_cast<double>(version.LevelBytes(1)) / worth;
  // Also where nothing is worth anything.
  return runs < options_.level0_runs ? static_cast<size_t>(runs)
                                     : options_.level0_runs;
}

size_t RaltImpl::FullLevel(const Version& version) const {
  if (version.levels.empty()) {
    return kNoLevel;
  }
  if (version.levels[0].size() >= Level0Runs(version)) {
    return 0;
  }
  const size_t deepest = version.deepest_level();
  for (size_t level = 1; level <= deepest && level + 1 < kMaxLevels; ++level) {
    if (version.LevelBytes(level) > LevelCapacity(level)) {
      return level;
    }
  }
  return kNoLevel;
}

size_t RaltImpl::LevelWithTooMuchRoom(const Version& version) const {
  const size_t deepest = version.deepest_level();
  if (deepest < 2) {
    return kNoLevel;
  }
  for (size_t level = 0; level < deepest; ++level) {
    if (!version.levels[level].empty()) {
      return kNoLevel;
    }
  }
  // Half, so that it does not go down again at once.
  return version.LevelBytes(deepest) <= LevelCapacity(deepest - 1) / 2
             ? deepest
             : kNoLevel;
}

Status RaltImpl::Settle() {
  Status s;
  bool evicted = false;
  while (s.ok() && !cancelled()) {
    size_t full;
    size_t roomy;
    bool over_limits;
    uint64_t room;
    {
      // Not kept during the work, which deletes files of this version.
      const auto version = store_.versions().Get();
      full = FullLevel(*version);
      roomy = LevelWithTooMuchRoom(*version);
      over_limits = OverLimits(*version);
      // Merges delete their inputs as they go, but for the runs of level 0.
      room = version->LevelBytes(0) + 2 * options_.file_bytes;
    }
    const bool due = full != kNoLevel || (over_limits && !evicted);
    if (due && !store_.env().HasRoom(room)) {
      return s;
    }
    if (full != kNoLevel) {
      s = MergeLevel(full);
    } else if (over_limits && !evicted) {
      // Once only: what remains may still count more than it is, and an
      // eviction that frees nothing must not be repeated at once.
      s = Evict();
      evicted = true;
    } else if (roomy != kNoLevel) {
      s = MoveLevel(roomy, roomy - 1);
    } else {
      return s;
    }
  }
  return s.ok() ? Status::ShutdownInProgress() : s;
}

Status RaltImpl::MergeLevel(size_t level) {
  auto version = store_.versions().Get();
  const size_t target = level + 1;
  const bool target_empty =
      target >= version->levels.size() || version->levels[target].empty();
  if (target_empty && version->levels[level].size() == 1) {
    return MoveLevel(level, target);
  }
  if (target_empty && level > 0) {
    return MoveLevel(level, target);
  }
  std::vector<std::vector<RunSlice>> inputs(target + 1);
  inputs[level] = version->levels[level];
  if (!target_empty) {
    inputs[target] = version->levels[target];
  }
  MergePolicy policy;
  policy.now = data_time_;
  policy.hot_threshold = store_.limits().hot_threshold;
  const MergeContext context = MakeMergeContext();
  MergeJob job(context, inputs, target, policy);
  const uint64_t upper_records = version->LevelRecords(level);
  const uint64_t target_records = version->LevelRecords(target);
  // The merge deletes its inputs as it goes.
  inputs.clear();
  version.reset();
  const Status s = RunMerge(&job);
  if (s.ok()) {
    merges_.fetch_add(1, std::memory_order_relaxed);
    const auto after = store_.versions().Get();
    if (target == after->deepest_level()) {
      LearnNewShare(upper_records, target_records, after->LevelRecords(target));
    }
  }
  return s;
}

Status RaltImpl::MoveLevel(size_t from, size_t to) {
  auto version = std::make_shared<Version>(*store_.versions().Get());
  version->levels.resize(std::max(version->levels.size(), to + 1));
  version->levels[to] = std::move(version->levels[from]);
  version->levels[from].clear();
  return store_.Install(std::move(version), store_.limits());
}

Status RaltImpl::RunMerge(MergeJob* job) {
  while (!job->done()) {
    Status s = job->Step();
    if (s.ok()) {
      s = store_.Install(job->Apply(*store_.versions().Get()), store_.limits());
    }
    TEST_SYNC_POINT("RaltImpl::RunMerge:Step");
    TEST_KILL_RANDOM("RaltImpl::RunMerge:Step:0");
    // A long merge must not keep accesses in memory.
    if (s.ok() && !job->done()) {
      s = FlushIfDue();
    }
    if (!s.ok()) {
      return s;
    }
  }
  return Status::OK();
}

Status RaltImpl::ScanVersion(const Version& version, EvictionPlanner* planner) {
  const LogicalTime now = data_time_;
  MergingCursor scan(
      MakeLevelCursors(version.levels, store_.env().order, kScanReadaheadBytes,
                       /*release_passed=*/false),
      store_.env().order, scoring_, now);
  uint64_t records = 0;
  for (scan.SeekToFirst(); scan.Valid(); scan.Next()) {
    const AccessRecord& record = scan.record();
    planner->Add(record,
                 scoring_.RankAt(now, record,
                                 Upper32of64(RunFilter::HashKey(record.key))));
    if (++records % kRecordsBetweenPolls == 0) {
      if (cancelled()) {
        return Status::ShutdownInProgress();
      }
      const Status s = FlushIfDue();
      if (!s.ok()) {
        return s;
      }
    }
  }
  return scan.status();
}

Status RaltImpl::Evict() {
  TEST_SYNC_POINT("RaltImpl::Evict");
  auto version = store_.versions().Get();
  const VersionTotals totals(*version, new_share());
  EvictionPlanner planner(options_, totals.records, totals.tracked_bytes,
                          totals.physical_bytes, &random_);
  MergePolicy policy;
  policy.now = data_time_;
  Status s = ScanVersion(*version, &planner);
  if (!s.ok()) {
    return s;
  }
  const size_t deepest = version->deepest_level();
  const uint64_t deepest_records = version->LevelRecords(deepest);
  LearnNewShare(totals.records - deepest_records, deepest_records,
                planner.records());

  const EvictionPlanner::Plan plan =
      planner.MakePlan(store_.limits(), RoomToLearn(totals));
  policy.drop_threshold = plan.drop_threshold;
  policy.hot_threshold = plan.limits.hot_threshold;
  s = store_.Install(store_.versions().Get(), plan.limits);
  if (!s.ok()) {
    return s;
  }
  const MergeContext context = MakeMergeContext();
  MergeJob job(context, version->levels, std::max<size_t>(deepest, 1), policy);
  // The merge deletes its inputs as it goes.
  version.reset();
  s = RunMerge(&job);
  if (s.ok()) {
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
  return s;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
