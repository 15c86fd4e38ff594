//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_impl.h"

#include <algorithm>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/ralt_thread.h"
#include "test_util/sync_point.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// After this many consecutive failed reads, the job is not retried.
constexpr uint32_t kReadAttempts = 3;
// RecentKeys has one slot per this many bytes that the buffers take until they
// are sealed, of memory or HotRAP bytes: at most 1 MiB of slots.
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
      max_key_bytes_(options.MaxKeyBytes()),
      random_(MakeStamp(options.db_id, options.cf_id)),
      job_ended_(&mutex_) {}

RaltImpl::~RaltImpl() {
  CancelWork();
  {
    // A job that ends now must see the flag, or it would schedule another one.
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
  if (user_key.size() > max_key_bytes_) {
    accesses_too_large_.fetch_add(1, std::memory_order_relaxed);
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

bool RaltImpl::IsHotWithOneMoreAccess(const Slice& user_key) const {
  const uint64_t hash = RunFilter::HashKey(user_key);
  const auto version = store_.versions().Get();
  return SecondAccessMakesHot()
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

RaltStats RaltImpl::GetStats() const {
  RaltStats stats;
  stats.accesses = buffer_.recorded();
  stats.accesses_dropped =
      buffer_.dropped() + lost_accesses_.load(std::memory_order_relaxed);
  stats.accesses_too_large =
      accesses_too_large_.load(std::memory_order_relaxed);
  stats.records_without_room =
      records_without_room_.load(std::memory_order_relaxed);
  stats.accessed_bytes = access_clock_.accessed_bytes();
  stats.tick = access_clock_.tick();
  stats.flushes = flushes_.load(std::memory_order_relaxed);
  stats.merges = merges_.load(std::memory_order_relaxed);
  stats.evictions = evictions_.load(std::memory_order_relaxed);
  stats.background_micros = background_micros_.load(std::memory_order_relaxed);
  stats.background_errors = background_errors_.load(std::memory_order_relaxed);
  stats.bytes_flushed = bytes_flushed_.load(std::memory_order_relaxed);
  stats.bytes_written =
      store_.env().bytes_written.load(std::memory_order_relaxed);
  stats.bytes_read = store_.env().bytes_read.load(std::memory_order_relaxed);
  stats.resets = store_.resets();
  stats.learning = learning_.load(std::memory_order_relaxed);
  stats.paused = paused_.load(std::memory_order_relaxed);

  const auto version = store_.versions().Get();
  const VersionTotals totals(*version, new_share());
  stats.runs = totals.runs;
  stats.levels = static_cast<uint64_t>(
      std::count_if(version->levels.begin(), version->levels.end(),
                    [](const auto& level) { return !level.empty(); }));
  stats.records = totals.records;
  stats.hot_records = totals.hot_records;
  stats.hot_set_bytes = totals.distinct_hot_bytes;
  stats.tracked_bytes = totals.tracked_bytes;
  stats.physical_bytes = totals.physical_bytes;
  stats.filter_memory_bytes = totals.filter_memory_bytes;
  stats.index_memory_bytes = totals.index_memory_bytes;
  stats.buffer_memory_bytes = buffer_.memory_bytes();

  const RaltLimits limits = store_.limits();
  stats.hot_set_limit_bytes = limits.hot_set_bytes;
  stats.physical_limit_bytes = options_.PhysicalLimit(limits.physical_bytes);
  stats.record_limit_bytes = limits.physical_bytes;
  stats.stable_bytes = limits.stable_bytes;
  stats.hot_score_threshold = limits.hot_threshold.score;
  return stats;
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
    // Until the manifest is certain, no file may be deleted, so settle it
    // first.
    s = store_.Install(store_.versions().Get(), store_.limits());
    if (!s.ok()) {
      return s;
    }
  }
  if (SpaceIsShort(*store_.versions().Get())) {
    // After errors, runs may be waiting that a merge would shrink.
    s = Settle();
  }
  if (s.ok()) {
    s = FlushIfDue();
  }
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

MergeContext RaltImpl::MakeMergeContext() {
  return {&store_.env(), &scoring_, options_.file_bytes,
          [this] { return store_.NewFileNumber(); },
          [this] { return cancelled(); }};
}

}  // namespace ROCKSDB_NAMESPACE::ralt
