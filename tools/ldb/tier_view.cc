//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/tier_view.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>

#include "options/cf_options.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "rocksdb/metadata.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// Formatted like printf().
std::string Format(const char* format, ...) {
  char line[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof(line), format, args);
  va_end(args);
  return line;
}

std::string Size(uint64_t bytes) {
  return bytes == kUnlimited ? "unlimited" : BytesToHumanString(bytes);
}

Json ToJson(const TierView::Tables& tables) {
  return {{"tables", tables.tables}, {"bytes", tables.bytes}};
}

}  // namespace

TierView TierView::Of(DB* db, ColumnFamilyHandle* family) {
  TierView view;
  const Options options = db->GetOptions(family);
  view.column_family = family->GetName();
  view.enabled = options.hotrap.enabled;
  view.paths = options.cf_paths;
  view.first_slow_level = options.num_levels;
  if (view.enabled) {
    const ImmutableCFOptions ioptions(options);
    const MutableCFOptions moptions(options);
    const HotRapLevelShape shape = ComputeLevelShape(ioptions, moptions);
    view.inactive_reason = HotRapInactiveReason(ioptions, moptions, shape);
    view.fast_budget_bytes = shape.budget_bytes;
    if (view.active()) {
      view.first_slow_level = shape.first_slow_level;
      view.targets = shape.target_bytes;
    }
  }
  view.by_path.resize(view.paths.size());
  view.on_wrong_tier.resize(view.paths.size());
  ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  for (const LevelMetaData& level : metadata.levels) {
    if (level.files.empty()) {
      continue;
    }
    view.levels.resize(level.level + 1, std::vector<Tables>(view.paths.size()));
    for (const SstFileMetaData& file : level.files) {
      const auto path =
          std::find_if(view.paths.begin(), view.paths.end(),
                       [&](const DbPath& p) { return p.path == file.db_path; });
      const auto number = static_cast<uint32_t>(path - view.paths.begin());
      if (path == view.paths.end()) {
        continue;
      }
      const auto add = [&](Tables* tables) {
        tables->tables++;
        tables->bytes += file.size;
      };
      add(&view.levels[level.level][number]);
      add(&view.by_path[number]);
      if (view.active() &&
          LiesOnWrongTier(level.level, number, view.first_slow_level)) {
        add(&view.on_wrong_tier[number]);
      }
    }
  }
  return view;
}

uint64_t TierView::bytes_on_wrong_tier() const {
  uint64_t bytes = 0;
  for (const Tables& tables : on_wrong_tier) {
    bytes += tables.bytes;
  }
  return bytes;
}

Json TierView::ToJson() const {
  Json result = {{"enabled", enabled},
                 {"inactive_reason", inactive_reason},
                 {"first_slow_level", first_slow_level},
                 {"fast_budget_bytes", fast_budget_bytes},
                 {"bytes_on_wrong_tier", bytes_on_wrong_tier()},
                 {"paths", Json::array()},
                 {"levels", Json::array()}};
  for (size_t i = 0; i < paths.size(); i++) {
    result["paths"].push_back(
        {{"path", paths[i].path},
         {"tier", i == 0 ? "fast" : "slow"},
         {"target_bytes", paths[i].target_size},
         {"tables", by_path[i].tables},
         {"bytes", by_path[i].bytes},
         {"on_wrong_tier", ROCKSDB_NAMESPACE::ToJson(on_wrong_tier[i])}});
  }
  for (size_t level = 0; level < levels.size(); level++) {
    Json by = Json::array();
    for (const Tables& tables : levels[level]) {
      by.push_back(ROCKSDB_NAMESPACE::ToJson(tables));
    }
    const bool fast = IsFastLevel(static_cast<int>(level), first_slow_level);
    result["levels"].push_back(
        {{"level", level},
         {"tier", !active() ? "any"
                  : fast    ? "fast"
                            : "slow"},
         {"target_bytes", level < targets.size() ? targets[level] : 0},
         {"by_path", by}});
  }
  return result;
}

std::string TierView::ToString() const {
  std::string text = "Column family " + column_family + ": ";
  if (active()) {
    text += Format("HotRAP on, levels 0 to %d are fast, fast budget %s\n",
                   first_slow_level - 1, Size(fast_budget_bytes).c_str());
  } else {
    text +=
        enabled ? "HotRAP inactive, " + inactive_reason + "\n" : "HotRAP off\n";
  }
  for (size_t i = 0; i < paths.size(); i++) {
    text += Format("  path %zu, %s: %s; target %s; %" PRIu64
                   " tables, %s; "
                   "on the wrong tier %" PRIu64 " tables, %s\n",
                   i, i == 0 ? "fast" : "slow", paths[i].path.c_str(),
                   Size(paths[i].target_size).c_str(), by_path[i].tables,
                   Size(by_path[i].bytes).c_str(), on_wrong_tier[i].tables,
                   Size(on_wrong_tier[i].bytes).c_str());
  }
  for (size_t level = 0; level < levels.size(); level++) {
    text += Format("  level %zu", level);
    if (active()) {
      text += IsFastLevel(static_cast<int>(level), first_slow_level) ? " (fast"
                                                                     : " (slow";
      if (level < targets.size()) {
        text += ", target " + Size(targets[level]);
      }
      text += ")";
    }
    text += ":";
    for (size_t i = 0; i < paths.size(); i++) {
      const Tables& tables = levels[level][i];
      text += Format("%s path %zu %" PRIu64 " tables, %s", i == 0 ? "" : ";", i,
                     tables.tables, Size(tables.bytes).c_str());
    }
    text += "\n";
  }
  return text;
}

}  // namespace ROCKSDB_NAMESPACE
