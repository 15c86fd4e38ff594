//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The part of RALT's background job that chooses levels to merge and evicts.

#include <algorithm>

#include "plugin/hotrap/ralt/eviction.h"
#include "plugin/hotrap/ralt/ralt_impl.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// Small levels are cheap to rewrite. Merging keeps the records of a key
// together, so that it becomes hot sooner.
constexpr uint64_t kMinLevelUnitBytes = 1 << 20;
constexpr uint64_t kScanReadaheadBytes = 256 << 10;
constexpr uint64_t kRecordsBetweenPolls = 1024;
constexpr size_t kNoLevel = SIZE_MAX;
// If at least this share of the flushed keys is new, RALT assumes that a hot
// set is being learned, and that each merge finds keys that were accessed
// twice.
constexpr double kLearningShare = 0.25;
// Bounds the cost of such merges: if level 1 is larger than this many flushed
// runs, a merge waits for several runs. (While hot sets of 1 to 5 % of the data
// are learned, level 1 is 4 to 22 times as large as a run. It is larger only
// with small fast tiers, whose runs are small compared with
// kMinLevelUnitBytes.) The benefit is fewer reads of the slow tier, so the
// bound shrinks in proportion if less than kSlowShareToMergeAtOnce of the
// accesses went there.
constexpr double kRunsToMergeAtOnce = 24;
constexpr double kSlowShareToMergeAtOnce = 1.0 / 10;
}  // namespace

uint64_t RaltImpl::LevelCapacity(size_t level) const {
  uint64_t capacity = std::max(flushed_run_bytes_, kMinLevelUnitBytes);
  for (size_t i = 0; i < level && capacity < UINT64_MAX / options_.level_ratio;
       ++i) {
    capacity *= options_.level_ratio;
  }
  return capacity;
}

bool RaltImpl::OverLimits(const Version& version) const {
  // Count each key once: further records of known keys disappear in the next
  // merge, and an eviction would free nothing there.
  const VersionTotals totals(version, new_share());
  const RaltLimits limits = store_.limits();
  if (totals.distinct_physical_bytes >
          options_.RecordLimit(limits.physical_bytes, RoomToLearn(totals)) ||
      totals.distinct_hot_bytes > limits.hot_set_bytes) {
    return true;
  }
  return !version.empty() && version.levels[0].empty() && SpaceIsShort(version);
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
  // If merges are rare, their findings are old, and the hot set may have moved.
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
  // Also if `worth` is zero and `runs` infinite or NaN.
  return runs < options_.level0_runs ? static_cast<size_t>(runs)
                                     : options_.level0_runs;
}

size_t RaltImpl::FullLevel(const Version& version) const {
  if (version.levels.empty()) {
    return kNoLevel;
  }
  if (version.levels[0].size() >= Level0Runs(version) ||
      (!version.levels[0].empty() && SpaceIsShort(version))) {
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
  // Half the capacity, so that the level does not move down again at once.
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
      // Do not keep the version during the work, which deletes its files.
      const auto version = store_.versions().Get();
      full = FullLevel(*version);
      roomy = LevelWithTooMuchRoom(*version);
      over_limits = OverLimits(*version);
      // Merges delete their inputs step by step, except for the runs of level
      // 0.
      room = version->LevelBytes(0) + 2 * options_.file_bytes;
    }
    const bool due = full != kNoLevel || (over_limits && !evicted);
    if (due && !store_.env().HasRoom(room)) {
      return s;
    }
    if (full != kNoLevel) {
      BeginMerge();
      s = MergeLevel(full);
      EndMerge();
    } else if (over_limits && !evicted) {
      // Evict only once: the estimate may still be too high, and an eviction
      // that frees nothing must not be repeated at once.
      BeginMerge();
      s = Evict();
      EndMerge();
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
      // Release the previous version first, so that its files are deleted now.
      auto after = job->Apply(*store_.versions().Get());
      s = store_.Install(std::move(after), store_.limits());
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
  MergingCursor scan(MakeLevelCursors(version.levels, kScanReadaheadBytes,
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
