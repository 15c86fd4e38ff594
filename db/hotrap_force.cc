//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hotrap_force.h"

#ifndef NDEBUG
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "file/filename.h"
#include "options/db_options.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#endif

namespace ROCKSDB_NAMESPACE {

#ifndef NDEBUG

namespace {

constexpr uint64_t kPromotionCacheBytes = 1 << 10;
constexpr uint64_t kSealAccessedBytes = 1 << 10;
// Of max_bytes_for_level_base: L0 and L1 are fast, and there is room for a
// compaction and RALT.
constexpr double kBudgetTimesBase = 2.5;

const char* NoteFile() {
  static const char* const file = std::getenv("HOTRAP_FORCE");
  return file;
}

const std::string& SlowSuffix() {
  static const char* const value = std::getenv("HOTRAP_FORCE_SLOW");
  static const std::string suffix = value != nullptr ? value : "";
  return suffix;
}

// The same for all of a process: it must find its own options again.
bool EverythingIsHot() {
  static const char* const value = std::getenv("HOTRAP_FORCE_HOT");
  return value != nullptr ? *value == '1' : getpid() % 2 == 1;
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
  if (NoteFile() == nullptr || options->hotrap.enabled ||
      options->cf_paths.size() != 1 ||
      options->compaction_style != kCompactionStyleLevel ||
      options->num_levels < 3 || options->max_bytes_for_level_base == 0 ||
      options->comparator->timestamp_size() > 0) {
    return;
  }
  FileSystem* const fs = db_options.fs.get();
  std::string fast_path = options->cf_paths[0].path;
  while (!fast_path.empty() && fast_path.back() == '/') {
    fast_path.pop_back();
  }
  const std::string slow_path = fast_path + SlowSuffix();
  if (slow_path != fast_path) {
    if (!fs->FileExists(slow_path, IOOptions(), nullptr).ok() &&
        (read_only || HasTables(fs, fast_path))) {
      // Made without the switch, or a copy of a DB whose tables lie in one
      // folder, whatever its MANIFEST says.
      return;
    }
    if (!read_only) {
      fs->CreateDirIfMissing(slow_path, IOOptions(), nullptr)
          .PermitUncheckedError();
    }
  }
  options->cf_paths.emplace_back(slow_path, options->cf_paths[0].target_size);
  options->hotrap.enabled = true;
  options->hotrap.promotion_cache_bytes = kPromotionCacheBytes;
  options->hotrap.cached_hit_sampling = 1;
  Apply(options->max_bytes_for_level_base, &options->hotrap.fast_budget_bytes);
  options->hotrap.no_hotness_check = EverythingIsHot();
}

void HotRapForce::Apply(uint64_t max_bytes_for_level_base,
                        uint64_t* budget_bytes) {
  if (NoteFile() != nullptr) {
    *budget_bytes = static_cast<uint64_t>(
        kBudgetTimesBase * static_cast<double>(max_bytes_for_level_base));
  }
}

bool HotRapForce::IsSlowPath(const std::string& path) {
  return NoteFile() != nullptr && !SlowSuffix().empty() &&
         Slice(path).ends_with(SlowSuffix());
}

void HotRapForce::Apply(RaltOptions* options) {
  if (NoteFile() != nullptr) {
    options->seal_accessed_bytes = kSealAccessedBytes;
    // SpecialEnv of RocksDB's tests hides that files are direct where it does
    // not know their names.
    options->use_direct_io_for_writes = false;
  }
}

void HotRapForce::Note(uint32_t ticker, uint64_t n) {
  if (NoteFile() == nullptr) {
    return;
  }
  for (const auto& [number, name] : TickersNameMap) {
    if (number == ticker) {
      const std::string line = name + " " + std::to_string(n) + "\n";
      // Not through the DB's Env, which tests make fail. One write appends one
      // line, whoever else writes.
      const int fd = open(NoteFile(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      if (fd >= 0) {
        if (write(fd, line.data(), line.size()) < 0) {
          // A note is lost.
        }
        close(fd);
      }
      return;
    }
  }
}

#else

void HotRapForce::Apply(const ImmutableDBOptions&, bool, ColumnFamilyOptions*) {
}
void HotRapForce::Apply(uint64_t, uint64_t*) {}
void HotRapForce::Apply(RaltOptions*) {}
bool HotRapForce::IsSlowPath(const std::string&) { return false; }
void HotRapForce::Note(uint32_t, uint64_t) {}

#endif

}  // namespace ROCKSDB_NAMESPACE
