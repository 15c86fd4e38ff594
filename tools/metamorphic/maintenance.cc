//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/metamorphic/maintenance.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "plugin/hotrap/tools/metamorphic/answer.h"
#include "plugin/hotrap/tools/metamorphic/view.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

namespace {

constexpr std::chrono::seconds kRestTimeout(30);
// Makes another level fast.
constexpr uint64_t kLargeBudget = 96 << 10;

const char* TextOf(bool value) { return value ? "true" : "false"; }

std::string TextOf(const std::vector<HotRapKeyRange>& ranges) {
  std::string text;
  for (const HotRapKeyRange& range : ranges) {
    text += (text.empty() ? "" : ":") + std::string("{begin=") + range.begin +
            ";end=" + range.end + "}";
  }
  return "{" + text + "}";
}

// In the format of SetOptions.
std::string TextOf(const HotRapOptions& options) {
  return std::string("{enabled=") + TextOf(options.enabled) +
         ";promotion_cache_bytes=" +
         std::to_string(options.promotion_cache_bytes) +
         ";fast_budget_bytes=" + std::to_string(options.fast_budget_bytes) +
         ";min_fast_budget_bytes=" +
         std::to_string(options.min_fast_budget_bytes) +
         ";promote_only_if_slower=" + TextOf(options.promote_only_if_slower) +
         ";no_hotness_check=" + TextOf(options.no_hotness_check) +
         ";pinned_ranges=" + TextOf(options.pinned_ranges) +
         ";excluded_ranges=" + TextOf(options.excluded_ranges) +
         ";no_by_compaction=" + TextOf(options.no_by_compaction) + ";}";
}

std::string BackgroundWork(DB* db,
                           const std::vector<ColumnFamilyHandle*>& handles,
                           const CompactionReasons& compactions) {
  std::string text = compactions.Text();
  for (ColumnFamilyHandle* handle : handles) {
    text += handle->GetName() + ":";
    for (const std::string& name : {DB::Properties::kNumImmutableMemTable,
                                    DB::Properties::kMemTableFlushPending,
                                    DB::Properties::kNumRunningFlushes,
                                    DB::Properties::kCompactionPending,
                                    DB::Properties::kNumRunningCompactions}) {
      std::string value;
      db->GetProperty(handle, name, &value);
      text += " " + name.substr(strlen("rocksdb.")) + " " + value;
    }
    text += "; ";
  }
  return text;
}

// Returns the keys at which two files of a level meet. RocksDB may compact the
// second file forever there (docs/reliability.md).
std::string SplitKeys(DB* db, const std::vector<ColumnFamilyHandle*>& handles) {
  std::string text;
  for (ColumnFamilyHandle* handle : handles) {
    ColumnFamilyMetaData metadata;
    db->GetColumnFamilyMetaData(handle, &metadata);
    for (const LevelMetaData& level : metadata.levels) {
      for (size_t i = 1; level.level > 0 && i < level.files.size(); i++) {
        if (level.files[i - 1].largestkey == level.files[i].smallestkey) {
          text += handle->GetName() + " level " + std::to_string(level.level) +
                  ": " + level.files[i].smallestkey + "; ";
        }
      }
    }
  }
  return text.empty() ? "no key in two files" : "in two files: " + text;
}

}  // namespace

Status FlushAll(DB* db, const std::vector<ColumnFamilyHandle*>& handles) {
  FlushOptions options;
  options.allow_write_stall = true;
  return db->Flush(options, handles);
}

Status CompactPart(const Operation& operation, DB* db,
                   ColumnFamilyHandle* handle) {
  const std::string begin = KeyOf(operation.key);
  const std::string end = KeyOf(operation.end);
  const Slice begin_slice = begin;
  const Slice end_slice = end;
  CompactRangeOptions options;
  options.allow_write_stall = true;
  options.exclusive_manual_compaction = operation.mode == 1;
  if (operation.mode == 2) {
    options.bottommost_level_compaction =
        BottommostLevelCompaction::kForceOptimized;
  } else if (operation.mode == 3) {
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  }
  if (operation.level != Operation::kNoLevel) {
    options.change_level = true;
    options.target_level = operation.level;
  }
  const bool whole = IsWholeRange(operation.key, operation.end);
  return db->CompactRange(options, handle, whole ? nullptr : &begin_slice,
                          whole ? nullptr : &end_slice);
}

Status CompactSomeFiles(const Operation& operation, DB* db,
                        ColumnFamilyHandle* handle) {
  ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(handle, &metadata);
  const int num_levels = static_cast<int>(metadata.levels.size());
  if (operation.level < 0 || operation.level + 1 >= num_levels) {
    return Status::OK();
  }
  const std::vector<SstFileMetaData>& all =
      metadata.levels[operation.level].files;
  std::vector<std::string> files;
  for (size_t i = 0; i < all.size(); i++) {
    if ((operation.mask >> (i % 16) & 1) != 0) {
      files.push_back(all[i].name);
    }
  }
  if (files.empty()) {
    return Status::OK();
  }
  // HotRAP corrects the path if it is on.
  const int output_level = operation.level + 1;
  const int output_path =
      output_level < 2 || db->GetDBOptions().db_paths.size() == 1 ? 0 : 1;
  return db->CompactFiles(CompactionOptions(), handle, files, output_level,
                          output_path);
}

Status SetHotRap(HotRapMode mode, const HotRapOptions& configured, DB* db,
                 const std::vector<ColumnFamilyHandle*>& handles) {
  if (!configured.enabled) {
    return Status::OK();
  }
  HotRapOptions options = configured;
  if (!configured.pinned_ranges.empty()) {
    // Other ranges in each mode, and what was excluded becomes pinned.
    const int shift = static_cast<int>(mode) * kNumKeys / 8;
    options.pinned_ranges = {{KeyOf(shift), KeyOf(shift + kNumKeys / 6), ""}};
    options.excluded_ranges = {{KeyOf(shift + kNumKeys / 5), "", ""}};
    if (shift > 0) {
      options.excluded_ranges.push_back({"", KeyOf(shift / 2), ""});
    }
  }
  switch (mode) {
    case HotRapMode::kOff:
      options.enabled = false;
      break;
    case HotRapMode::kTinyCache:
      options.promotion_cache_bytes = 1 << 10;
      break;
    case HotRapMode::kAllHot:
      options.no_hotness_check = true;
      break;
    case HotRapMode::kMoreFastLevels:
      options.fast_budget_bytes = kLargeBudget;
      break;
    case HotRapMode::kNoByCompaction:
      options.no_by_compaction = true;
      break;
    default:
      break;
  }
  const auto number = static_cast<uint64_t>(mode);
  if (configured.promote_only_if_slower) {
    options.promote_only_if_slower = number % 2 == 1;
  }
  Status s;
  for (size_t i = 0; i < handles.size() && s.ok(); i++) {
    // Other least shares in each mode, and for each column family.
    options.min_fast_budget_bytes =
        configured.min_fast_budget_bytes * ((number + i) % 3);
    if (options.fast_budget_bytes > 0) {
      options.min_fast_budget_bytes =
          std::min(options.min_fast_budget_bytes, options.fast_budget_bytes);
    }
    s = db->SetOptions(handles[i], {{"hotrap", TextOf(options)}});
  }
  return s;
}

Status WaitForRest(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
                   const CompactionReasons& compactions) {
  WaitForCompactOptions options;
  options.timeout = kRestTimeout;
  const Status s = db->WaitForCompact(options);
  if (!s.IsTimedOut()) {
    return s;
  }
  // Find out whether work continues forever or is stuck.
  const std::string before = BackgroundWork(db, handles, compactions);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return Status::TimedOut(
      before + "a second later ",
      BackgroundWork(db, handles, compactions) + SplitKeys(db, handles));
}

// Files may be compacted already, or may prevent a change of level.
std::string CompactionAnswer(const Status& s) {
  const bool may_be = s.ok() || s.IsInvalidArgument() || s.IsAborted() ||
                      s.IsNotSupported() || s.IsIncomplete();
  return may_be ? kDone : s.ToString();
}

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
