//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/db_bench/tier_report.h"

#include <cinttypes>
#include <cstdio>

#include "rocksdb/hotrap.h"
#include "rocksdb/metadata.h"
#include "util/string_util.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr const char* kCounters[] = {
    "get_hits_fast",
    "get_hits_promotion_cache",
    "get_hits_slow",
    "promoted_records",
    "promoted_bytes",
    "compaction_promoted_records",
    "compaction_promoted_bytes",
    "retained_records",
    "retained_bytes",
};

double Megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

void TierReport::Opened(const std::string& name, DB* db,
                        const std::vector<ColumnFamilyHandle*>& handles) {
  dbs_[name] = {db, handles, {}};
}

std::string TierReport::AddFigures(const OpenDB& db, Figures* counters,
                                   Figures* sizes) {
  std::string inactive_reason;
  for (ColumnFamilyHandle* handle : db.handles) {
    const Options options = db.db->GetOptions(handle);
    std::map<std::string, std::string> stats;
    if (!options.hotrap.enabled ||
        !db.db->GetMapProperty(handle, kHotRapStatsProperty, &stats)) {
      continue;
    }
    if (stats["active"] != "1") {
      inactive_reason = stats["inactive_reason"];
      continue;
    }
    (*sizes)["active"]++;
    for (const char* counter : kCounters) {
      (*counters)[counter] += ParseUint64(stats[counter]);
    }
    if (const auto ralt = stats.find("ralt_physical_bytes");
        ralt != stats.end()) {
      (*sizes)["ralt"] += ParseUint64(ralt->second);
    }
    ColumnFamilyMetaData metadata;
    db.db->GetColumnFamilyMetaData(handle, &metadata);
    for (const LevelMetaData& level : metadata.levels) {
      for (const SstFileMetaData& file : level.files) {
        const bool fast = file.db_path == options.cf_paths.front().path;
        (*sizes)[fast ? "fast" : "slow"] += file.size;
      }
    }
  }
  return inactive_reason;
}

void TierReport::Print(const std::string& benchmark) {
  Figures done;
  Figures sizes;
  std::string inactive_reason;
  for (auto& [name, db] : dbs_) {
    Figures now;
    const std::string reason = AddFigures(db, &now, &sizes);
    if (!reason.empty()) {
      inactive_reason = reason;
    }
    for (const auto& [counter, value] : now) {
      done[counter] += value - db.before[counter];
    }
    db.before = now;
  }
  if (sizes["active"] == 0) {
    if (!inactive_reason.empty()) {
      printf("HotRAP after %s: inactive, %s\n", benchmark.c_str(),
             inactive_reason.c_str());
    }
    return;
  }
  const uint64_t fast = done["get_hits_fast"];
  const uint64_t cache = done["get_hits_promotion_cache"];
  const uint64_t slow = done["get_hits_slow"];
  const uint64_t hits = fast + cache + slow;
  printf("HotRAP after %s: hit rate ", benchmark.c_str());
  if (hits > 0) {
    printf("%.3f", static_cast<double>(fast + cache) / hits);
  } else {
    printf("none");
  }
  printf(" (fast %" PRIu64 ", promotion cache %" PRIu64 ", slow %" PRIu64
         "); promoted %" PRIu64 " records, %.1f MB; retained %" PRIu64
         " records, %.1f MB; fast tier %.1f MB and RALT %.1f MB, slow tier "
         "%.1f MB\n",
         fast, cache, slow,
         done["promoted_records"] + done["compaction_promoted_records"],
         Megabytes(done["promoted_bytes"] + done["compaction_promoted_bytes"]),
         done["retained_records"], Megabytes(done["retained_bytes"]),
         Megabytes(sizes["fast"]), Megabytes(sizes["ralt"]),
         Megabytes(sizes["slow"]));
  fflush(stdout);
}

}  // namespace ROCKSDB_NAMESPACE
