//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_impl.h"

#include <algorithm>
#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/tree/merging_cursor.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// RecentKeys has one slot per this many bytes that the buffers take until they
// are sealed, of memory or HotRAP bytes: at most 1 MiB of slots.
constexpr uint64_t kBytesARecentKey = 64;
constexpr uint64_t kSurveyReadaheadBytes = 256 << 10;
// A survey looks this often whether the DB closes.
constexpr uint64_t kRecordsACheck = 1024;
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
      sample_(scoring_),
      scheduler_(options_, &buffer_,
                 [this] {
                   TakeCaps();
                   return job_.Run();
                 }),
      job_(options_, scoring_, &access_clock_, &buffer_, &recent_keys_, &store_,
           &scheduler_, &sample_),
      max_key_bytes_(options.MaxKeyBytes()) {}

RaltImpl::~RaltImpl() {
  scheduler_.Stop();
  if (!scheduler_.paused()) {
    const Status s = job_.Close();
    if (!s.ok()) {
      ROCKS_LOG_WARN(options_.info_log,
                     "[%s] RALT lost its last accesses at close: %s",
                     options_.cf_name.c_str(), s.ToString().c_str());
    }
  }
}

void RaltImpl::Start() { scheduler_.Start(job_.Open()); }

void RaltImpl::RecordAccess(const Slice& user_key, uint64_t value_bytes,
                            uint32_t weight, bool fast) {
  if (scheduler_.cancelled()) {
    return;
  }
  if (user_key.size() > max_key_bytes_.load(std::memory_order_relaxed)) {
    accesses_too_large_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (buffer_.Record(user_key, value_bytes, weight, fast)) {
    scheduler_.ScheduleIfDue();
  }
  if (scheduler_.paused()) {
    scheduler_.MaybeResume();
  } else if (!fast) {
    recent_keys_.Add(RunFilter::HashKey(user_key));
  }
}

bool RaltImpl::IsHot(const Slice& user_key) const {
  const uint64_t hash = RunFilter::HashKey(user_key);
  // A first read that is not flushed yet makes hot, too.
  return (job_.first_reads_count() && SecondAccessMakesHot() &&
          recent_keys_.Accessed(hash)) ||
         store_.versions().Get()->IsHot(user_key, hash, store_.env().order);
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
                                           job_.new_share(),
                                           error != nullptr ? error : &ignored);
}

std::optional<uint64_t> RaltImpl::PhysicalBytes() const {
  if (!job_.loaded()) {
    return std::nullopt;
  }
  uint64_t sum = 0;
  store_.versions().Get()->ForEachSlice(
      [&](const RunSlice& slice) { sum += slice.file->file_bytes(); });
  return sum;
}

void RaltImpl::SetCaps(const RaltCaps& caps) {
  {
    MutexLock lock(&caps_mutex_);
    new_caps_ = caps;
  }
  scheduler_.RunOnce();
}

void RaltImpl::TakeCaps() {
  std::optional<RaltCaps> caps;
  {
    MutexLock lock(&caps_mutex_);
    std::swap(caps, new_caps_);
  }
  if (!caps.has_value()) {
    return;
  }
  const uint64_t old_budget_bytes = options_.fast_budget_bytes;
  options_.SetCaps(*caps);
  max_key_bytes_.store(options_.MaxKeyBytes(), std::memory_order_relaxed);
  buffer_.SetSizes(options_.buffer_bytes, options_.seal_bytes,
                   options_.seal_accessed_bytes);
  store_.AdoptCaps(old_budget_bytes);
}

Status RaltImpl::Survey(HeatSurvey* survey) const {
  const auto version = store_.versions().Get();
  const LogicalTime now = access_clock_.Now();
  MergingCursor cursor(MakeLevelCursors(version->levels, kSurveyReadaheadBytes,
                                        /*release_passed=*/false),
                       store_.env().order, scoring_, now);
  uint64_t records = 0;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    if (records++ % kRecordsACheck == 0 && scheduler_.cancelled()) {
      return Status::ShutdownInProgress();
    }
    survey->Add(cursor.record(), scoring_.RankAt(now, cursor.record(), 0).score,
                scoring_);
  }
  survey->End();
  return cursor.status();
}

RaltStats RaltImpl::GetStats() const {
  RaltStats stats;
  stats.accesses = buffer_.recorded();
  stats.accesses_dropped = buffer_.dropped();
  stats.accesses_too_large =
      accesses_too_large_.load(std::memory_order_relaxed);
  stats.accessed_bytes = access_clock_.accessed_bytes();
  stats.tick = access_clock_.tick();
  stats.bytes_written =
      store_.env().bytes_written.load(std::memory_order_relaxed);
  stats.bytes_read = store_.env().bytes_read.load(std::memory_order_relaxed);
  stats.resets = store_.resets();
  job_.AddTo(&stats);
  scheduler_.AddTo(&stats);

  const auto version = store_.versions().Get();
  const VersionTotals totals(*version, job_.new_share());
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

}  // namespace ROCKSDB_NAMESPACE::ralt
