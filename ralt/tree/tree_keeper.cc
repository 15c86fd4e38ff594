//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/tree_keeper.h"

#include <algorithm>
#include <cinttypes>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/tree/merging_cursor.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr uint64_t kScanReadaheadBytes = 256 << 10;

uint64_t RoomToLearn(const RaltOptions& options, bool learning,
                     const VersionTotals& totals) {
  return learning
             ? options.RoomToLearn(totals.tracked_bytes, totals.physical_bytes)
             : 0;
}
}  // namespace

TreeKeeper::TreeKeeper(const RaltOptions& options, const Scoring& scoring,
                       const FlushFigures& flushed, RunStore* store,
                       SpaceBudget* space, std::function<bool()> cancelled,
                       std::function<Status()> between_steps)
    : options_(options),
      scoring_(scoring),
      flushed_(flushed),
      store_(store),
      space_(space),
      cancelled_(std::move(cancelled)),
      between_steps_(std::move(between_steps)),
      picker_(options.level_ratio, options.level0_runs),
      random_(MakeStamp(options.db_id, options.cf_id)) {}

void TreeKeeper::AddTo(RaltStats* stats) const {
  stats->merges = merges_.load(std::memory_order_relaxed);
  stats->evictions = evictions_.load(std::memory_order_relaxed);
  stats->learning = learning();
}

MergePicker::State TreeKeeper::StateOf(const Version& version,
                                       bool evicted) const {
  const VersionTotals totals(version, new_share());
  const RaltLimits limits = store_->limits();
  MergePicker::State state;
  for (size_t level = 0; level < version.levels.size(); ++level) {
    state.levels.push_back(
        {version.levels[level].size(), version.LevelBytes(level)});
  }
  state.flushed = flushed_;
  state.new_share = new_share();
  state.learning = learning();
  state.merge_all_runs = merge_all_runs_;
  state.space_is_short =
      SpaceBudget::IsShort(store_->Use(version), store_->PhysicalLimit());
  state.evicted = evicted;
  state.physical_bytes = totals.distinct_physical_bytes;
  state.hot_bytes = totals.distinct_hot_bytes;
  state.record_limit_bytes = options_.RecordLimit(
      limits.physical_bytes, RoomToLearn(options_, state.learning, totals));
  state.hot_set_limit_bytes = limits.hot_set_bytes;
  state.hot_by_score = Rank::LowestStable() < limits.hot_threshold;
  return state;
}

Status TreeKeeper::Settle() {
  Status s;
  bool evicted = false;
  while (s.ok() && !cancelled_()) {
    MergePicker::Choice choice;
    uint64_t room;
    {
      // Do not keep the version during the work, which deletes its files.
      const auto version = store_->versions().Get();
      choice = picker_.Pick(StateOf(*version, evicted));
      // Merges delete their inputs step by step, except for the runs of level
      // 0.
      room = version->LevelBytes(0) + 2 * options_.file_bytes;
    }
    if (choice.work == MergePicker::Work::kNone) {
      return s;
    }
    if (choice.work == MergePicker::Work::kMoveUp) {
      s = MoveLevel(choice.level, choice.level - 1);
      continue;
    }
    if (!store_->env().HasRoom(room)) {
      return s;
    }
    space_->BeginMerge(store_->Use(*store_->versions().Get()));
    if (choice.work == MergePicker::Work::kMergeDown) {
      s = MergeLevel(choice.level);
    } else {
      // Where nothing is over its limit, the stable records of the moment are
      // no reason to lower one: a hot set that is still learned would lose its
      // unstable records.
      s = Evict(/*tunes=*/choice.work == MergePicker::Work::kEvict);
      evicted = true;
    }
    space_->EndMerge();
  }
  return s.ok() ? Status::ShutdownInProgress() : s;
}

MergeContext TreeKeeper::MakeContext() const {
  return {&store_->env(), &scoring_, options_.file_bytes,
          [this] { return store_->NewFileNumber(); }, cancelled_};
}

void TreeKeeper::LearnNewShare(uint64_t upper_records, uint64_t deepest_records,
                               uint64_t merged_records) {
  if (upper_records > 0) {
    const double new_records = static_cast<double>(merged_records) -
                               static_cast<double>(deepest_records);
    const double share = new_records / static_cast<double>(upper_records);
    new_share_.store(std::clamp(share, 0.0, 1.0), std::memory_order_relaxed);
  }
}

Status TreeKeeper::MergeLevel(size_t level) {
  auto version = store_->versions().Get();
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
  policy.now = flushed_.time;
  policy.hot_threshold = store_->limits().hot_threshold;
  const MergeContext context = MakeContext();
  MergeJob job(context, inputs, target, policy);
  const uint64_t upper_records = version->LevelRecords(level);
  const uint64_t target_records = version->LevelRecords(target);
  // The merge deletes its inputs as it goes.
  inputs.clear();
  version.reset();
  const Status s = RunMerge(&job);
  if (s.ok()) {
    merges_.fetch_add(1, std::memory_order_relaxed);
    const auto after = store_->versions().Get();
    if (target == after->deepest_level()) {
      LearnNewShare(upper_records, target_records, after->LevelRecords(target));
    }
  }
  return s;
}

Status TreeKeeper::MoveLevel(size_t from, size_t to) {
  auto version = std::make_shared<Version>(*store_->versions().Get());
  version->levels.resize(std::max(version->levels.size(), to + 1));
  version->levels[to] = std::move(version->levels[from]);
  version->levels[from].clear();
  return store_->Install(std::move(version), store_->limits());
}

Status TreeKeeper::RunMerge(MergeJob* job) {
  while (!job->done()) {
    Status s = job->Step();
    if (s.ok()) {
      // Release the previous version first, so that its files are deleted now.
      auto after = job->Apply(*store_->versions().Get());
      s = store_->Install(std::move(after), store_->limits());
    }
    TEST_SYNC_POINT("TreeKeeper::RunMerge:Step");
    TEST_KILL_RANDOM("TreeKeeper::RunMerge:Step:0");
    // A long merge must not keep accesses in memory.
    if (s.ok() && !job->done()) {
      s = between_steps_();
    }
    if (!s.ok()) {
      return s;
    }
  }
  return Status::OK();
}

Status TreeKeeper::ScanVersion(const Version& version,
                               EvictionPlanner* planner) {
  const LogicalTime now = flushed_.time;
  MergingCursor scan(MakeLevelCursors(version.levels, kScanReadaheadBytes,
                                      /*release_passed=*/false),
                     store_->env().order, scoring_, now);
  uint64_t records = 0;
  for (scan.SeekToFirst(); scan.Valid(); scan.Next()) {
    const AccessRecord& record = scan.record();
    planner->Add(record,
                 scoring_.RankAt(now, record,
                                 Upper32of64(RunFilter::HashKey(record.key))));
    if (++records % kRecordsBetweenPolls == 0) {
      if (cancelled_()) {
        return Status::ShutdownInProgress();
      }
      const Status s = between_steps_();
      if (!s.ok()) {
        return s;
      }
    }
  }
  return scan.status();
}

Status TreeKeeper::Evict(bool tunes) {
  TEST_SYNC_POINT("TreeKeeper::Evict");
  auto version = store_->versions().Get();
  const VersionTotals totals(*version, new_share());
  EvictionPlanner planner(options_, totals.records, totals.tracked_bytes,
                          totals.physical_bytes, &random_);
  MergePolicy policy;
  policy.now = flushed_.time;
  Status s = ScanVersion(*version, &planner);
  if (!s.ok()) {
    return s;
  }
  const size_t deepest = version->deepest_level();
  const uint64_t deepest_records = version->LevelRecords(deepest);
  LearnNewShare(totals.records - deepest_records, deepest_records,
                planner.records());

  const EvictionPlanner::Plan plan = planner.MakePlan(
      store_->limits(), tunes, RoomToLearn(options_, learning(), totals));
  policy.drop_threshold = plan.drop_threshold;
  policy.hot_threshold = plan.limits.hot_threshold;
  ROCKS_LOG_INFO(
      options_.info_log,
      "[%s] RALT evicts: %" PRIu64 " records, %" PRIu64
      " bytes stable; hot set limit %" PRIu64 " -> %" PRIu64
      ", records limit %" PRIu64 " -> %" PRIu64 ", hot from score %.3f on",
      options_.cf_name.c_str(), totals.records, plan.limits.stable_bytes,
      store_->limits().hot_set_bytes, plan.limits.hot_set_bytes,
      store_->limits().physical_bytes, plan.limits.physical_bytes,
      static_cast<double>(plan.limits.hot_threshold.score));
  s = store_->Install(store_->versions().Get(), plan.limits);
  if (!s.ok()) {
    return s;
  }
  const MergeContext context = MakeContext();
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
