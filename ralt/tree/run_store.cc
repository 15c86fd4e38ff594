//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/run_store.h"

#include <algorithm>
#include <unordered_set>

#include "logging/logging.h"
#include "plugin/hotrap/ralt/run/format.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// After this many failed reads, the data is given up.
constexpr uint32_t kReadAttempts = 3;
}  // namespace

RunStore::RunStore(const RaltOptions& options, AccessClock* clock)
    : options_(options), clock_(clock) {
  env_.path = options.path;
  env_.fs = options.fs;
  env_.clock = options.clock;
  env_.rate_limiter = options.rate_limiter;
  env_.space = options.space;
  env_.file_options.use_direct_reads = options.use_direct_reads;
  env_.file_options.use_direct_writes = options.use_direct_io_for_writes;
  env_.file_options.rate_limiter = options.rate_limiter.get();
  env_.order = KeyOrder(options.comparator);
  env_.stamp = MakeStamp(options.db_id, options.cf_id);
  env_.block_bytes = options.block_bytes;
  env_.bloom_bits_per_key = options.bloom_bits_per_key;
  limits_.hot_set_bytes = options.hot_set_limit_bytes;
  limits_.physical_bytes =
      RaltOptions::RecordShare(options.physical_limit_bytes);
}

void RunStore::LimitByCaps(const RaltLimits& tuned, RaltLimits* limits) const {
  if (!options_.auto_tune) {
    limits->hot_set_bytes = options_.hot_set_limit_bytes;
    limits->physical_bytes =
        RaltOptions::RecordShare(options_.physical_limit_bytes);
    return;
  }
  const uint64_t hot_set_bytes = std::max<uint64_t>(tuned.hot_set_bytes, 1);
  const auto physical_bytes = static_cast<double>(tuned.physical_bytes);
  limits->hot_set_bytes =
      options_.InHotSetBounds(static_cast<double>(hot_set_bytes));
  limits->physical_bytes = options_.InRecordBounds(
      physical_bytes * static_cast<double>(limits->hot_set_bytes) /
      static_cast<double>(hot_set_bytes));
}

void RunStore::AdoptCaps(uint64_t old_budget_bytes) {
  {
    MutexLock lock(&limits_mutex_);
    RaltLimits limits = limits_;
    const double growth = std::max(
        1.0, static_cast<double>(options_.fast_budget_bytes) /
                 static_cast<double>(std::max<uint64_t>(1, old_budget_bytes)));
    // Otherwise each eviction would add a little.
    RaltLimits tuned = limits_;
    tuned.hot_set_bytes = static_cast<uint64_t>(
        growth * static_cast<double>(tuned.hot_set_bytes));
    tuned.physical_bytes = static_cast<uint64_t>(
        growth * static_cast<double>(tuned.physical_bytes));
    LimitByCaps(tuned, &limits);
    SetLimits(limits);
  }
  clock_->SetSliceBytes(
      static_cast<uint64_t>(options_.slice_fraction * limits().hot_set_bytes));
}

RaltLimits RunStore::limits() const {
  MutexLock lock(&limits_mutex_);
  return limits_;
}

void RunStore::SetLimits(const RaltLimits& limits) {
  limits_mutex_.AssertHeld();
  limits_ = limits;
  hot_score_.store(limits.hot_threshold.score, std::memory_order_relaxed);
}

Status RunStore::CreateFolder() {
  return env_.fs->CreateDirIfMissing(env_.path, env_.io_options(), nullptr);
}

bool RunStore::MayBeReadLater(const Status& failure) {
  // A missing file is not a disk failure.
  const bool unusable = failure.IsCorruption() || failure.IsNotSupported() ||
                        failure.IsNotFound() || failure.IsPathNotFound();
  return !unusable && ++failed_reads_ < kReadAttempts;
}

Status RunStore::Recover() {
  Status s = CreateFolder();
  if (!s.ok()) {
    return s;
  }
  Manifest manifest;
  s = manifest.Load(env_);
  if (s.ok() &&
      (manifest.db_id != options_.db_id || manifest.cf_id != options_.cf_id)) {
    s = Status::Corruption("RALT folder belongs to another store",
                           manifest.db_id + "/" + manifest.cf_name);
  }
  if (s.ok()) {
    next_file_number_ = manifest.next_file_number;
    clock_->Restore(manifest.clock);
    durable_time_ = manifest.clock;
    pending_runs_ = std::move(manifest.runs);
    failed_reads_ = 0;
    MutexLock lock(&limits_mutex_);
    RaltLimits limits = limits_;
    limits.hot_threshold = manifest.limits.hot_threshold;
    limits.stable_bytes = manifest.limits.stable_bytes;
    // The limits may stem from another fast budget.
    LimitByCaps(manifest.limits, &limits);
    SetLimits(limits);
  } else if (!s.IsNotFound()) {
    if (MayBeReadLater(s)) {
      return s;
    }
    Reset(s);
  }
  clock_->SetSliceBytes(
      static_cast<uint64_t>(options_.slice_fraction * limits().hot_set_bytes));
  DeleteUnknownFiles();
  return Status::OK();
}

void RunStore::DeleteUnknownFiles() {
  std::vector<std::string> names;
  env_.fs->GetChildren(env_.path, env_.io_options(), &names, nullptr)
      .PermitUncheckedError();
  std::unordered_set<uint64_t> known;
  for (const Manifest::Run& run : pending_runs_) {
    known.insert(run.number);
  }
  for (const std::string& name : names) {
    uint64_t number;
    if (!ParseRunFileName(name, &number)) {
      continue;
    }
    next_file_number_ = std::max(next_file_number_, number + 1);
    if (known.count(number) == 0) {
      env_.DeleteRun(env_.path + "/" + name);
    }
  }
}

uint64_t RunStore::PendingLoadBytes() const {
  uint64_t sum = 0;
  for (const Manifest::Run& run : pending_runs_) {
    sum += run.tail_bytes;
  }
  return sum;
}

Status RunStore::LoadRuns(const std::function<bool()>& cancelled) {
  auto version = std::make_shared<Version>();
  const Status s = OpenRuns(cancelled, version.get());
  if (s.ok()) {
    uint64_t period = 0;
    version->ForEachSlice([&](const RunSlice& slice) {
      period = std::max(period, slice.file->properties().written_at.period);
    });
    if (!pending_runs_.empty()) {
      clock_->ContinuePeriods(period);
    }
    versions_.Set(std::move(version));
    pending_runs_.clear();
  } else if (s.IsShutdownInProgress() || MayBeReadLater(s)) {
    return s;
  } else {
    version.reset();
    Reset(s);
    DeleteUnknownFiles();
  }
  return Status::OK();
}

Status RunStore::OpenRuns(const std::function<bool()>& cancelled,
                          Version* version) {
  for (const Manifest::Run& run : pending_runs_) {
    if (cancelled()) {
      return Status::ShutdownInProgress();
    }
    std::shared_ptr<RunFile> file;
    const Status s =
        RunFile::Open(env_, run.number, run.file_bytes, run.tail_bytes, &file);
    if (!s.ok()) {
      return s;
    }
    if (run.level >= version->levels.size()) {
      version->levels.resize(run.level + 1);
    }
    auto& level = version->levels[run.level];
    if (run.level > 0 && !level.empty() &&
        !env_.order.Less(level.back().file->properties().largest,
                         file->properties().largest)) {
      return Status::Corruption("RALT manifest has runs out of order",
                                file->name());
    }
    level.push_back({std::move(file), run.begin});
  }
  return Status::OK();
}

void RunStore::Reset(const Status& why) {
  ROCKS_LOG_WARN(options_.info_log, "[%s] RALT starts empty: %s",
                 options_.cf_name.c_str(), why.ToString().c_str());
  resets_.fetch_add(1, std::memory_order_relaxed);
  versions_.Get()->ForEachSlice(
      [this](const RunSlice& slice) { obsolete_.push_back(slice.file); });
  versions_.Set(std::make_shared<Version>());
  pending_runs_.clear();
  MutexLock lock(&limits_mutex_);
  RaltLimits limits = limits_;
  limits.hot_threshold = Rank::LowestStable();
  limits.stable_bytes = 0;
  SetLimits(limits);
}

Status RunStore::StartAnew(const Status& why) {
  const Status s = CreateFolder();
  if (s.ok()) {
    manifest_in_doubt_ = false;
    Reset(why);
  }
  return s;
}

Manifest RunStore::MakeManifest(const Version& version,
                                const RaltLimits& limits) {
  Manifest manifest;
  manifest.db_id = options_.db_id;
  manifest.cf_id = options_.cf_id;
  manifest.cf_name = options_.cf_name;
  manifest.next_file_number = next_file_number_;
  manifest.clock = durable_time_;
  manifest.limits = limits;
  for (size_t level = 0; level < version.levels.size(); ++level) {
    for (const RunSlice& slice : version.levels[level]) {
      manifest.runs.push_back({static_cast<uint32_t>(level),
                               slice.file->number(), slice.file->file_bytes(),
                               slice.file->tail_bytes(), slice.begin});
    }
  }
  return manifest;
}

void RunStore::RetireFilesNotIn(const Version& kept, const Version& version) {
  std::unordered_set<const RunFile*> kept_files;
  kept.ForEachSlice(
      [&](const RunSlice& slice) { kept_files.insert(slice.file.get()); });
  version.ForEachSlice([&](const RunSlice& slice) {
    if (kept_files.count(slice.file.get()) == 0) {
      obsolete_.push_back(slice.file);
    }
  });
}

Status RunStore::Install(std::shared_ptr<const Version> version,
                         const RaltLimits& limits) {
  bool in_doubt = false;
  const Status s =
      MakeManifest(*version, limits).Save(env_, &in_doubt, &manifest_bytes_);
  if (!s.ok()) {
    manifest_in_doubt_ |= in_doubt;
    RetireFilesNotIn(*versions_.Get(), *version);
    return s;
  }
  manifest_in_doubt_ = false;
  RetireFilesNotIn(*version, *versions_.Get());
  versions_.Set(std::move(version));
  {
    MutexLock lock(&limits_mutex_);
    SetLimits(limits);
  }
  clock_->SetSliceBytes(
      static_cast<uint64_t>(options_.slice_fraction * limits.hot_set_bytes));
  DeleteObsoleteFiles();
  return s;
}

void RunStore::DeleteObsoleteFiles() {
  if (manifest_in_doubt_) {
    return;
  }
  const auto deleted = std::remove_if(obsolete_.begin(), obsolete_.end(),
                                      [this](std::shared_ptr<RunFile>& file) {
                                        if (file.use_count() > 1) {
                                          return false;
                                        }
                                        const std::string name = file->name();
                                        file.reset();
                                        env_.DeleteRun(name);
                                        return true;
                                      });
  obsolete_.erase(deleted, obsolete_.end());
}

}  // namespace ROCKSDB_NAMESPACE::ralt
