//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/tier_report.h"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "rocksdb/env.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/metadata.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

const std::vector<std::string>& Counters() {
  static const std::vector<std::string> names = {
      "get_hits_fast",
      "get_hits_slow",
      "get_hits_promotion_cache",
      "promoted_records",
      "promoted_bytes",
      "compaction_promoted_records",
      "compaction_promoted_bytes",
      "retained_records",
      "retained_bytes",
      "crossing_compactions",
      "refused_filtered",
      "refused_read_option",
      "refused_snapshot",
      "relocation_tables_moved",
  };
  return names;
}

}  // namespace

void TierReport::Read(const std::string& db_name, DB* db,
                      const std::vector<ColumnFamilyHandle*>& handles) {
  for (ColumnFamilyHandle* handle : handles) {
    Figures figures;
    std::map<std::string, std::string> stats;
    db->GetMapProperty(handle, kHotRapStatsProperty, &stats);
    for (const auto& name : Counters()) {
      const auto it = stats.find(name);
      figures.counters[name] =
          it == stats.end() ? 0 : strtoull(it->second.c_str(), nullptr, 10);
    }
    // Why it did not work while it was on.
    figures.inactive_reason = stats["inactive_reason"];
    if (figures.inactive_reason == "hotrap.enabled is false") {
      figures.inactive_reason.clear();
    }
    ColumnFamilyMetaData metadata;
    db->GetColumnFamilyMetaData(handle, &metadata);
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        // The DB's folder on the fast path.
        const bool fast =
            file.directory.compare(0, fast_path_.size(), fast_path_) == 0;
        (fast ? figures.fast_bytes : figures.slow_bytes) += file.size;
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    open_[db_name + "/" + handle->GetName()] = figures;
  }
}

void TierReport::Closed(const std::string& db_name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = open_.begin(); it != open_.end();) {
    if (it->first.compare(0, db_name.size() + 1, db_name + "/") != 0) {
      ++it;
      continue;
    }
    Figures& sum = closed_[it->first];
    for (const auto& counter : it->second.counters) {
      sum.counters[counter.first] += counter.second;
    }
    sum.inactive_reason = it->second.inactive_reason;
    sum.fast_bytes = it->second.fast_bytes;
    sum.slow_bytes = it->second.slow_bytes;
    it = open_.erase(it);
  }
}

uint64_t TierReport::Of(const Figures& figures, const std::string& counter) {
  const auto it = figures.counters.find(counter);
  return it == figures.counters.end() ? 0 : it->second;
}

std::map<std::string, TierReport::Figures> TierReport::Sums() const {
  std::map<std::string, Figures> sums = closed_;
  for (const auto& open : open_) {
    Figures& sum = sums[open.first];
    for (const auto& counter : open.second.counters) {
      sum.counters[counter.first] += counter.second;
    }
    sum.inactive_reason = open.second.inactive_reason;
    sum.fast_bytes = open.second.fast_bytes;
    sum.slow_bytes = open.second.slow_bytes;
  }
  return sums;
}

uint64_t TierReport::promoted_records() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t sum = 0;
  for (const auto& family : Sums()) {
    sum += Of(family.second, "promoted_records") +
           Of(family.second, "compaction_promoted_records");
  }
  return sum;
}

std::string TierReport::ProgressLine(double secs) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t fast = 0, slow = 0, by_flush = 0, by_compaction = 0, retained = 0;
  for (const auto& family : Sums()) {
    fast += Of(family.second, "get_hits_fast") +
            Of(family.second, "get_hits_promotion_cache");
    slow += Of(family.second, "get_hits_slow");
    by_flush += Of(family.second, "promoted_records");
    by_compaction += Of(family.second, "compaction_promoted_records");
    retained += Of(family.second, "retained_records");
  }
  uint64_t checked = 0, operations = 0;
  for (const Invariant* invariant : Invariant::All()) {
    checked += invariant->checked();
  }
  for (const OperationCount* operation : OperationCount::All()) {
    operations += operation->count();
  }
  char line[300];
  snprintf(line, sizeof(line),
           "%6.0f s  operations %" PRIu64 "  checked %" PRIu64
           "  hits fast %.3f  promoted by flush %" PRIu64
           " by compaction "
           "%" PRIu64 "  retained %" PRIu64,
           secs, operations, checked,
           fast + slow == 0
               ? 0.0
               : static_cast<double>(fast) / static_cast<double>(fast + slow),
           by_flush, by_compaction, retained);
  return line;
}

std::string TierReport::Text() const {
  std::string text;
  for (const OperationCount* operation : OperationCount::All()) {
    text += std::string(text.empty() ? "operations:" : ",") + " " +
            operation->name() + " " + std::to_string(operation->count());
  }
  text += "\ninvariants:";
  for (const Invariant* invariant : Invariant::All()) {
    text += std::string(invariant == Invariant::All().front() ? "" : ",") +
            " " + invariant->name() + " " +
            std::to_string(invariant->checked());
  }
  text +=
      "\ncolumn family              hits fast  promoted: flush  compaction"
      "    retained   fast MB   slow MB\n";
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& family : Sums()) {
    const Figures& figures = family.second;
    const uint64_t fast =
        Of(figures, "get_hits_fast") + Of(figures, "get_hits_promotion_cache");
    const uint64_t all = fast + Of(figures, "get_hits_slow");
    char line[300];
    snprintf(
        line, sizeof(line),
        "%-25s %10.3f %16" PRIu64 " %11" PRIu64 " %11" PRIu64
        " %9.1f %9.1f  %s\n",
        family.first.c_str(),
        all == 0 ? 0.0 : static_cast<double>(fast) / static_cast<double>(all),
        Of(figures, "promoted_records"),
        Of(figures, "compaction_promoted_records"),
        Of(figures, "retained_records"),
        static_cast<double>(figures.fast_bytes) / 1e6,
        static_cast<double>(figures.slow_bytes) / 1e6,
        figures.inactive_reason.c_str());
    text += line;
  }
  return text;
}

void TierReport::WriteJson(const std::string& file, double secs,
                           bool finished) const {
  if (file.empty()) {
    return;
  }
  nlohmann::ordered_json json = {{"secs", secs}, {"finished", finished}};
  for (const OperationCount* operation : OperationCount::All()) {
    json["operations"][operation->name()] = operation->count();
  }
  for (const Invariant* invariant : Invariant::All()) {
    json["checked"][invariant->name()] = invariant->checked();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& family : Sums()) {
      auto& of_family = json["column_families"][family.first];
      for (const auto& counter : family.second.counters) {
        of_family[counter.first] = counter.second;
      }
      of_family["fast_bytes"] = family.second.fast_bytes;
      of_family["slow_bytes"] = family.second.slow_bytes;
      of_family["inactive_reason"] = family.second.inactive_reason;
    }
  }
  // A reader finds the old file or the new one.
  Must(WriteStringToFile(Env::Default(), json.dump(1) + "\n", file + ".new"),
       file);
  Must(Env::Default()->RenameFile(file + ".new", file), file);
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
