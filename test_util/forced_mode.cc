//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/test_util/forced_mode.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/test_util/forced_build.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kPromotionCacheBytes = 1 << 10;
// If everything is hot, a few records fill the cache: tests have few.
constexpr uint64_t kTinyPromotionCacheBytes = 64;
constexpr uint64_t kSealAccessedBytes = 1 << 10;
// As a multiple of max_bytes_for_level_base: L0 and L1 are fast, and there is
// room for a compaction and RALT.
constexpr char kBudgetTimesBase[] = "2.5";
// The largest multiple that a switch asks for.
constexpr int kMaxBudgetTimesBase = 6;

// Returns the default if the variable is not set.
std::string Text(const char* variable, const char* default_value = "") {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : default_value;
}

// RocksDB's is in the library.
Random* ThreadsRandom() {
  thread_local Random random(std::random_device{}());
  return &random;
}

const char* NameOf(uint32_t ticker) {
  switch (ticker) {
#define HOTRAP_NAME(ticker, name) \
  case ticker:                    \
    return name;
    HOTRAP_TICKERS(HOTRAP_NAME)
#undef HOTRAP_NAME
    default:
      return nullptr;
  }
}

// Returns a change in the format of SetOptions().
std::string RandomChange(const ColumnFamilyOptions& now, Random* rnd) {
  // Rare enough that HotRAP works fully most of the time.
  const auto flag = [&](const char* name) {
    return std::string(name) + (rnd->OneIn(3) ? "=true;" : "=false;");
  };
  if (!now.hotrap.enabled) {
    return "enabled=true;";
  }
  switch (rnd->Uniform(10)) {
    case 0:
      return "promotion_cache_bytes=" +
             std::to_string(kPromotionCacheBytes << rnd->Uniform(5)) + ";";
    case 1:
      return "cached_hit_sampling=" + std::to_string(1 + rnd->Uniform(4)) + ";";
    case 2:
      return "fast_budget_bytes=" +
             std::to_string(now.max_bytes_for_level_base *
                            (2 + rnd->Uniform(kMaxBudgetTimesBase - 1))) +
             ";";
    case 3:
      return flag("extra_level") + flag("no_retain");
    case 4:
      return flag("no_by_compaction") + flag("no_tracking");
    case 5:
      return flag("no_hotness_check") + flag("promote_only_if_slower");
    default:
      return "enabled=false;";
  }
}

std::string WithoutSlashes(std::string path) {
  while (!path.empty() && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

bool HasTables(FileSystem* fs, const std::string& path) {
  std::vector<std::string> names;
  if (!fs->GetChildren(path, IOOptions(), &names, nullptr).ok()) {
    return false;
  }
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return Slice(name).ends_with(".sst");
  });
}

}  // namespace

ForcedMode::ForcedMode()
    : note_file_(Text("HOTRAP_FORCE")),
      slow_suffix_(Text("HOTRAP_FORCE_SLOW")),
      everything_is_hot_(
          Text("HOTRAP_FORCE_HOT", getpid() % 2 == 1 ? "1" : "0") == "1"),
      off_(std::getenv("HOTRAP_FORCE_OFF") != nullptr),
      budget_times_base_(std::strtod(
          Text("HOTRAP_FORCE_BUDGET", kBudgetTimesBase).c_str(), nullptr)),
      brakes_(std::getenv("HOTRAP_FORCE_BRAKE") != nullptr),
      switch_one_in_(static_cast<uint32_t>(
          std::strtoul(Text("HOTRAP_FORCE_SWITCH").c_str(), nullptr, 10))),
      settler_(std::chrono::milliseconds(
          std::strtoul(Text("HOTRAP_FORCE_SETTLE").c_str(), nullptr, 10))) {}

#ifndef NDEBUG
HotRapForce* LinkedForcedMode() { return ForcedMode::Instance(); }
#endif

ForcedMode* ForcedMode::Instance() {
  static ForcedMode* const instance = [] {
    auto* const created = new ForcedMode();
    // Before the destructors of what exists by now, of the library above all.
    std::atexit([] { Instance()->settler_.Abandon(); });
    return created;
  }();
  return instance;
}

void ForcedMode::SetOptions(FileSystem* fs, bool read_only,
                            ColumnFamilyOptions* options) {
  if (!slow_suffix_.empty() && options->cf_paths.size() == 2 &&
      Slice(options->cf_paths[1].path).ends_with(slow_suffix_)) {
    // The DB has found its forced path in HOTRAP_PATHS.
    options->cf_paths.pop_back();
  }
  if (options->hotrap.enabled || options->cf_paths.size() != 1 ||
      options->compaction_style != kCompactionStyleLevel ||
      options->num_levels < 3 || options->max_bytes_for_level_base == 0 ||
      options->comparator->timestamp_size() > 0) {
    return;
  }
  const std::string fast_path = WithoutSlashes(options->cf_paths[0].path);
  const std::string slow_path = fast_path + slow_suffix_;
  if (slow_path != fast_path) {
    if (!fs->FileExists(slow_path, IOOptions(), nullptr).ok() &&
        (read_only || HasTables(fs, fast_path))) {
      // The DB was created without forced mode, or is a copy with all tables in
      // one folder, whatever its MANIFEST says.
      return;
    }
    if (!read_only) {
      fs->CreateDirIfMissing(slow_path, IOOptions(), nullptr)
          .PermitUncheckedError();
    }
  }
  options->cf_paths.emplace_back(slow_path, options->cf_paths[0].target_size);
  if (off_) {
    SetBudget(options->max_bytes_for_level_base,
              &options->cf_paths[0].target_size);
    return;
  }
  options->hotrap.enabled = true;
  options->hotrap.promotion_cache_bytes =
      everything_is_hot_ ? kTinyPromotionCacheBytes : kPromotionCacheBytes;
  options->hotrap.cached_hit_sampling = 1;
  // Both tiers are on one disk.
  options->hotrap.promote_only_if_slower = false;
  SetBudget(options->max_bytes_for_level_base,
            &options->hotrap.fast_budget_bytes);
  if (switch_one_in_ > 0) {
    // RocksDB places levels by this while HotRAP is off.
    options->cf_paths[0].target_size = options->hotrap.fast_budget_bytes;
  }
  options->hotrap.no_hotness_check = everything_is_hot_;
}

void ForcedMode::SetBudget(uint64_t max_bytes_for_level_base,
                           uint64_t* budget_bytes) {
  const auto bytes = static_cast<uint64_t>(
      budget_times_base_ * static_cast<double>(max_bytes_for_level_base));
  // A switch may have set a larger budget.
  *budget_bytes = switch_one_in_ > 0 ? std::max(*budget_bytes, bytes) : bytes;
}

void ForcedMode::SetRaltOptions(RaltOptions* options) {
  options->seal_accessed_bytes = kSealAccessedBytes;
  // SpecialEnv in RocksDB's tests hides that files use direct I/O if it does
  // not know their names.
  options->use_direct_io_for_writes = false;
  // Tests expect to know all files of a SstFileManager.
  options->space.reset();
}

std::vector<DbPath> ForcedMode::WithSlowPath(const std::string& dbname,
                                             std::vector<DbPath> paths) {
  if (!slow_suffix_.empty()) {
    paths.emplace_back(WithoutSlashes(dbname) + slow_suffix_, 0);
  }
  return paths;
}

bool ForcedMode::SwitchIsDue() {
  return switch_one_in_ > 0 &&
         ThreadsRandom()->OneIn(static_cast<int>(switch_one_in_));
}

void ForcedMode::Switch(DB* db, ColumnFamilyHandle* handle) {
  const std::string change =
      RandomChange(db->GetOptions(handle), ThreadsRandom());
  // Failure is fine: tests inject errors into the OPTIONS file, or drop the
  // column family.
  if (db->SetOptions(handle, {{"hotrap", "{" + change + "}"}}).ok()) {
    NoteLine("switches", 1);
  }
}

void ForcedMode::Note(uint32_t ticker, uint64_t n) {
  if (const char* const name = NameOf(ticker)) {
    NoteLine(name, n);
  }
}

void ForcedMode::NoteWrites(const std::string& path, int state) {
  NoteLine("writes:" + path, static_cast<uint64_t>(state));
}

void ForcedMode::NoteLine(const std::string& name, uint64_t n) {
  const std::string line = name + " " + std::to_string(n) + "\n";
  // Bypasses the DB's Env, in which tests inject errors. One write appends one
  // line atomically, whoever else writes.
  const int fd =
      open(note_file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd >= 0) {
    if (write(fd, line.data(), line.size()) < 0) {
      // A note is lost.
    }
    close(fd);
  }
}

void ForcedMode::OnSuperVersion(DB* db, uint32_t cf_id,
                                const Library& library) {
  settler_.Add(db, cf_id, library);
}

void ForcedMode::BeforeClose(DB* db) { settler_.Finish(db); }

void ForcedMode::Detach(DB* db) { settler_.Remove(db); }

}  // namespace ROCKSDB_NAMESPACE
