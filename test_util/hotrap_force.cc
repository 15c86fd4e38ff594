//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/test_util/hotrap_force.h"

#include <string>
#include <vector>

#include "rocksdb/options.h"

#ifndef NDEBUG
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "file/filename.h"
#include "options/db_options.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "util/random.h"
#endif

namespace ROCKSDB_NAMESPACE {

#ifndef NDEBUG

namespace {

constexpr uint64_t kPromotionCacheBytes = 1 << 10;
// If everything is hot, a few records fill the cache: tests have few.
constexpr uint64_t kTinyPromotionCacheBytes = 64;
constexpr uint64_t kSealAccessedBytes = 1 << 10;
// As a multiple of max_bytes_for_level_base: L0 and L1 are fast, and there is
// room for a compaction and RALT.
constexpr double kBudgetTimesBase = 2.5;
// The largest multiple that a switch asks for.
constexpr int kMaxBudgetTimesBase = 6;

const char* NoteFile() {
  static const char* const file = std::getenv("HOTRAP_FORCE");
  return file;
}

const std::string& SlowSuffix() {
  static const char* const value = std::getenv("HOTRAP_FORCE_SLOW");
  static const std::string suffix = value != nullptr ? value : "";
  return suffix;
}

// Constant within a process, which must find its own options again.
bool EverythingIsHot() {
  static const char* const value = std::getenv("HOTRAP_FORCE_HOT");
  return value != nullptr ? *value == '1' : getpid() % 2 == 1;
}

double BudgetTimesBase() {
  static const char* const value = std::getenv("HOTRAP_FORCE_BUDGET");
  static const double times =
      value != nullptr ? std::strtod(value, nullptr) : kBudgetTimesBase;
  return times;
}

// 0 means never.
int SwitchOneIn() {
  static const char* const value = std::getenv("HOTRAP_FORCE_SWITCH");
  static const int one_in = value != nullptr ? std::atoi(value) : 0;
  return NoteFile() != nullptr ? one_in : 0;
}

void NoteLine(const std::string& name, uint64_t n) {
  const std::string line = name + " " + std::to_string(n) + "\n";
  // Bypasses the DB's Env, in which tests inject errors. One write appends one
  // line atomically, whoever else writes.
  const int fd = open(NoteFile(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (fd >= 0) {
    if (write(fd, line.data(), line.size()) < 0) {
      // A note is lost.
    }
    close(fd);
  }
}

// Returns a change in the format of SetOptions().
std::string RandomChange(const MutableCFOptions& now, Random* rnd) {
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
      return flag("no_hotness_check");
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
    uint64_t number;
    FileType type;
    return ParseFileName(name, &number, &type) && type == kTableFile;
  });
}

}  // namespace

void HotRapForce::Apply(const ImmutableDBOptions& db_options, bool read_only,
                        ColumnFamilyOptions* options) {
  if (NoteFile() != nullptr && !SlowSuffix().empty() &&
      options->cf_paths.size() == 2 &&
      Slice(options->cf_paths[1].path).ends_with(SlowSuffix())) {
    // The DB has found its forced path in HOTRAP_PATHS.
    options->cf_paths.pop_back();
  }
  if (NoteFile() == nullptr || options->hotrap.enabled ||
      options->cf_paths.size() != 1 ||
      options->compaction_style != kCompactionStyleLevel ||
      options->num_levels < 3 || options->max_bytes_for_level_base == 0 ||
      options->comparator->timestamp_size() > 0) {
    return;
  }
  FileSystem* const fs = db_options.fs.get();
  const std::string fast_path = WithoutSlashes(options->cf_paths[0].path);
  const std::string slow_path = fast_path + SlowSuffix();
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
  if (std::getenv("HOTRAP_FORCE_OFF") != nullptr) {
    Apply(options->max_bytes_for_level_base, &options->cf_paths[0].target_size);
    return;
  }
  options->hotrap.enabled = true;
  options->hotrap.promotion_cache_bytes =
      EverythingIsHot() ? kTinyPromotionCacheBytes : kPromotionCacheBytes;
  options->hotrap.cached_hit_sampling = 1;
  Apply(options->max_bytes_for_level_base, &options->hotrap.fast_budget_bytes);
  if (SwitchOneIn() > 0) {
    // RocksDB places levels by this while HotRAP is off.
    options->cf_paths[0].target_size = options->hotrap.fast_budget_bytes;
  }
  options->hotrap.no_hotness_check = EverythingIsHot();
}

void HotRapForce::Apply(uint64_t max_bytes_for_level_base,
                        uint64_t* budget_bytes) {
  if (NoteFile() != nullptr) {
    const auto bytes = static_cast<uint64_t>(
        BudgetTimesBase() * static_cast<double>(max_bytes_for_level_base));
    // A switch may have set a larger budget.
    *budget_bytes = SwitchOneIn() > 0 ? std::max(*budget_bytes, bytes) : bytes;
  }
}

std::vector<DbPath> HotRapForce::WithSlowPath(const std::string& dbname,
                                              std::vector<DbPath> paths) {
  if (NoteFile() != nullptr && !SlowSuffix().empty()) {
    paths.emplace_back(WithoutSlashes(dbname) + SlowSuffix(), 0);
  }
  return paths;
}

void HotRapForce::Apply(RaltOptions* options) {
  if (NoteFile() != nullptr) {
    options->seal_accessed_bytes = kSealAccessedBytes;
    // SpecialEnv in RocksDB's tests hides that files use direct I/O if it does
    // not know their names.
    options->use_direct_io_for_writes = false;
    // Tests expect to know all files of a SstFileManager.
    options->space.reset();
  }
}

bool HotRapForce::SwitchIsDue() {
  return SwitchOneIn() > 0 && Random::GetTLSInstance()->OneIn(SwitchOneIn());
}

void HotRapForce::Switch(DBImpl* db, ColumnFamilyData* cfd) {
  const std::unique_ptr<ColumnFamilyHandle> handle =
      db->GetColumnFamilyHandleUnlocked(cfd->GetID());
  if (handle == nullptr) {
    return;
  }
  std::string change;
  {
    InstrumentedMutexLock lock(db->mutex());
    change = RandomChange(cfd->GetLatestMutableCFOptions(),
                          Random::GetTLSInstance());
  }
  // Failure is fine: tests inject errors into the OPTIONS file, or drop the
  // column family.
  if (db->SetOptions(handle.get(), {{"hotrap", "{" + change + "}"}}).ok()) {
    NoteLine("switches", 1);
  }
}

void HotRapForce::Note(uint32_t ticker, uint64_t n) {
  if (NoteFile() == nullptr) {
    return;
  }
  for (const auto& [number, name] : TickersNameMap) {
    if (number == ticker) {
      NoteLine(name, n);
      return;
    }
  }
}

#else

void HotRapForce::Apply(const ImmutableDBOptions&, bool, ColumnFamilyOptions*) {
}
void HotRapForce::Apply(uint64_t, uint64_t*) {}
void HotRapForce::Apply(RaltOptions*) {}
std::vector<DbPath> HotRapForce::WithSlowPath(const std::string&,
                                              std::vector<DbPath> paths) {
  return paths;
}
bool HotRapForce::SwitchIsDue() { return false; }
void HotRapForce::Switch(DBImpl*, ColumnFamilyData*) {}
void HotRapForce::Note(uint32_t, uint64_t) {}

#endif

}  // namespace ROCKSDB_NAMESPACE
