//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_properties.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "db/column_family.h"
#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/advice/heat_report.h"
#include "plugin/hotrap/db/advice/hit_rate_model.h"
#include "plugin/hotrap/db/copies/copy_marks.h"
#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "plugin/hotrap/db/settings/option_fields.h"
#include "plugin/hotrap/db/state/figures.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/hotrap_metrics.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

namespace {

ColumnFamilyData* Cfd(ColumnFamilyHandle* column_family) {
  return static_cast_with_check<ColumnFamilyHandleImpl>(column_family)->cfd();
}

// Returns an upper bound on the copies in `version` that have an original
// below. Reads the properties of every table that overlaps a table below it.
uint64_t CountCopies(Version* version) {
  const VersionStorageInfo& storage = *version->storage_info();
  uint64_t copies = 0;
  for (int level = 0; level + 1 < storage.num_non_empty_levels(); level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      if (!HasTablesBelow(storage, level, *file)) {
        continue;
      }
      std::shared_ptr<const TableProperties> properties;
      const Status s =
          version->GetTableProperties(ReadOptions(), &properties, file);
      // A table whose properties cannot be read may hold one.
      copies += s.ok() && properties != nullptr
                    ? PromotedCopies::In(*properties).count()
                    : PromotedCopies::Unknown().count();
    }
  }
  return copies;
}

// Returns the sum over all column families if `family` is nullptr.
uint64_t CountCopies(DBImpl* db, ColumnFamilyData* family) {
  std::vector<std::pair<ColumnFamilyData*, Version*>> versions;
  {
    InstrumentedMutexLock lock(db->mutex());
    const auto add = [&](ColumnFamilyData* cfd) {
      cfd->Ref();
      cfd->current()->Ref();
      versions.emplace_back(cfd, cfd->current());
    };
    if (family != nullptr) {
      add(family);
    } else {
      for (ColumnFamilyData* cfd : *db->GetVersionSet()->GetColumnFamilySet()) {
        if (cfd->initialized()) {
          add(cfd);
        }
      }
    }
  }
  uint64_t copies = 0;
  for (const auto& [cfd, version] : versions) {
    copies += CountCopies(version);
  }
  {
    InstrumentedMutexLock lock(db->mutex());
    for (const auto& [cfd, version] : versions) {
      version->Unref();
      cfd->UnrefAndTryDelete();
    }
  }
  // The version may have been the last to hold tables that became obsolete.
  DbAccess(db).files().DeleteObsoleteFiles();
  return copies;
}

// Returns the counter's name of "rocksdb.hotrap.stats.counter", or an empty
// one.
std::string CounterOf(const Slice& property) {
  Slice rest = property;
  const std::string prefix = std::string(kHotRapStatsProperty) + ".";
  if (!rest.starts_with(prefix)) {
    return "";
  }
  rest.remove_prefix(prefix.size());
  return rest.ToString();
}

// Adds the figures of the property.
// REQUIRES: DB mutex held
void AddFigures(ColumnFamilyData* cfd, Figures* figures) {
  HotRapTier* const tier = cfd->hotrap.tier();
  const HotRapOptions& hotrap = cfd->GetLatestMutableCFOptions().hotrap;
  if (tier == nullptr) {
    // Only a writable DB gets one (HotRapLifecycle).
    const std::string reason =
        hotrap.enabled ? "the DB is open read-only or as a secondary instance"
        : IsFromEnvironment(hotrap) ? hotrap.source
                                    : "hotrap.enabled is false";
    figures->Add("active", [] { return false; });
    figures->Add("inactive_reason", [&] { return reason; });
    figures->Add("promotion_blocked_reason", [&] { return reason; });
  } else {
    tier->AddTo(figures);
  }
  figures->Add("options_source", [&] {
    return hotrap.source.empty() ? std::string(kSourceProgram) : hotrap.source;
  });
  // Reads nothing: counts copies in tables that have been opened.
  figures->Add("promoted_copies",
               [&] { return cfd->hotrap.copy_marks().with_originals(); });
}

// Adds a counter of the column family, and computes no other; not if it has no
// such counter. Returns whether it has one.
// REQUIRES: DB mutex held
bool AddCounter(ColumnFamilyData* cfd, const std::string& counter,
                uint64_t* value) {
  Figures figure{Slice(counter)};
  AddFigures(cfd, &figure);
  *value += figure.number().value_or(0);
  return figure.number().has_value();
}

// The map of kHotRapMetricsProperty.
std::map<std::string, std::string> DescribeMetrics() {
  static constexpr const char* kKinds[] = {"counter", "gauge", "text"};
  std::map<std::string, std::string> map;
  for (const HotRapMetric& metric : HotRapMetrics()) {
    map[metric.name] = std::string(kKinds[static_cast<int>(metric.kind)]) +
                       " " + metric.unit + " " + metric.meaning;
  }
  return map;
}

// Returns the share of the DB's accesses that are the column family's.
double ShareOfAccesses(DBImpl* db, ColumnFamilyData* family) {
  uint64_t own = 0;
  uint64_t all = 0;
  InstrumentedMutexLock lock(db->mutex());
  for (ColumnFamilyData* cfd : *db->GetVersionSet()->GetColumnFamilySet()) {
    TierState* const state = cfd->initialized() ? cfd->hotrap.state() : nullptr;
    if (state != nullptr) {
      const uint64_t accesses =
          state->stats().Get(HotRapCounter::kAccessesEstimated);
      all += accesses;
      own += cfd == family ? accesses : 0;
    }
  }
  return all > 0 ? static_cast<double>(own) / static_cast<double>(all) : 0;
}

// Returns the sizes that a hit rate depends on.
TierBytes BytesOf(DBImpl* db, ColumnFamilyData* cfd) {
  TierBytes bytes;
  uint64_t raw_bytes = 0;
  uint64_t file_bytes = 0;
  InstrumentedMutexLock lock(db->mutex());
  bytes.budget = cfd->hotrap.state()->sizes().budget_bytes();
  const VersionStorageInfo& storage = *cfd->current()->storage_info();
  for (int level = 0; level < storage.num_non_empty_levels(); level++) {
    for (const FileMetaData* file : storage.LevelFiles(level)) {
      const uint64_t size = file->fd.GetFileSize();
      bytes.all_tables += size;
      bytes.fast_tables += file->fd.GetPathId() == 0 ? size : 0;
      if (file->raw_key_size + file->raw_value_size > 0) {
        raw_bytes += file->raw_key_size + file->raw_value_size;
        file_bytes += size;
      }
    }
  }
  if (raw_bytes > 0) {
    bytes.file_ratio =
        static_cast<double>(file_bytes) / static_cast<double>(raw_bytes);
  }
  return bytes;
}

// Gets the properties about accesses, which RALT answers. Returns false if it
// is not open, or the property is none of these.
bool GetFromRalt(DBImpl* db, ColumnFamilyData* cfd, const Slice& property,
                 std::string* value) {
  const bool is_heat = property.starts_with(kHotRapHeatProperty);
  HeatReportOptions options;
  if (is_heat) {
    Slice rest = property;
    rest.remove_prefix(sizeof(kHotRapHeatProperty) - 1);
    if (!ParseHeatOptions(rest, &options).ok()) {
      return false;
    }
  } else if (property != kHotRapHitRateCurveProperty) {
    return false;
  }
  TierState* state = nullptr;
  {
    InstrumentedMutexLock lock(db->mutex());
    state = cfd->hotrap.state();
  }
  if (state == nullptr) {
    return false;
  }
  HeatSurvey survey(options.heat);
  HitRateCurve curve;
  {
    const RaltHolder::Pin ralt(state->ralt_holder());
    if (ralt.get() == nullptr) {
      return false;
    }
    if (!is_heat) {
      curve = ralt.get()->HitRates();
    } else if (!ralt.get()->Survey(&survey).ok()) {
      return false;
    }
  }
  *value = is_heat ? HeatJson(survey, options, ShareOfAccesses(db, cfd))
                   : HitRateModel(curve, BytesOf(db, cfd)).ToJson();
  return true;
}

}  // namespace

bool HotRapProperties::GetMap(DBImpl* db, ColumnFamilyHandle* column_family,
                              const Slice& property,
                              std::map<std::string, std::string>* value) {
  if (property == kHotRapMetricsProperty) {
    *value = DescribeMetrics();
    return true;
  }
  if (property == kHotRapGetLatencyProperty) {
    InstrumentedMutexLock lock(db->mutex());
    TierState* const state = Cfd(column_family)->hotrap.state();
    value->clear();
    if (state != nullptr) {
      state->latencies().AddTo(value);
    }
    return state != nullptr;
  }
  if (property != kHotRapStatsProperty) {
    return false;
  }
  Figures figures;
  {
    InstrumentedMutexLock lock(db->mutex());
    AddFigures(Cfd(column_family), &figures);
  }
  *value = figures.values();
  return true;
}

bool HotRapProperties::Get(DBImpl* db, ColumnFamilyHandle* column_family,
                           const Slice& property, std::string* value) {
  if (property == kHotRapVersionProperty) {
    *value = GetRocksVersionAsString() + "-hotrap." HOTRAP_RELEASE;
    return true;
  }
  if (GetFromRalt(db, Cfd(column_family), property, value)) {
    return true;
  }
  uint64_t number = 0;
  if (GetInt(db, column_family, property, &number)) {
    *value = std::to_string(number);
    return true;
  }
  std::map<std::string, std::string> map;
  if (!GetMap(db, column_family, property, &map)) {
    return false;
  }
  value->clear();
  for (const auto& entry : map) {
    value->append(entry.first + ": " + entry.second + "\n");
  }
  return true;
}

bool HotRapProperties::GetInt(DBImpl* db, ColumnFamilyHandle* column_family,
                              const Slice& property, uint64_t* value) {
  const std::string counter = CounterOf(property);
  if (!counter.empty()) {
    *value = 0;
    InstrumentedMutexLock lock(db->mutex());
    return AddCounter(Cfd(column_family), counter, value);
  }
  if (property != kHotRapCopiesProperty) {
    return false;
  }
  *value = CountCopies(db, Cfd(column_family));
  return true;
}

bool HotRapProperties::GetAggregatedInt(DBImpl* db, const Slice& property,
                                        uint64_t* value) {
  const std::string counter = CounterOf(property);
  if (!counter.empty()) {
    *value = 0;
    bool found = false;
    InstrumentedMutexLock lock(db->mutex());
    for (ColumnFamilyData* cfd : *db->GetVersionSet()->GetColumnFamilySet()) {
      if (cfd->initialized() && AddCounter(cfd, counter, value)) {
        found = true;
      }
    }
    return found;
  }
  if (property != kHotRapCopiesProperty) {
    return false;
  }
  *value = CountCopies(db, /*family=*/nullptr);
  return true;
}

void HotRapProperties::Correct(const ColumnFamilyData& cfd,
                               const Slice& property, uint64_t* value) {
  if (property == DB::Properties::kEstimateNumKeys) {
    *value -= std::min(*value, cfd.hotrap.copy_marks().with_originals());
  }
}

}  // namespace ROCKSDB_NAMESPACE
