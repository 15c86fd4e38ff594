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
#include "plugin/hotrap/db/copies/copy_marks.h"
#include "plugin/hotrap/db/copies/promoted_copies.h"
#include "plugin/hotrap/db/settings/option_fields.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/version.h"
#include "util/string_util.h"

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

// Fills `stats` with what the property has.
// REQUIRES: DB mutex held
void AddStats(ColumnFamilyData* cfd,
              std::map<std::string, std::string>* stats) {
  HotRapTier* const tier = cfd->hotrap.tier();
  const HotRapOptions& hotrap = cfd->GetLatestMutableCFOptions().hotrap;
  if (tier == nullptr) {
    // Only a writable DB gets one (HotRapLifecycle).
    const std::string reason =
        hotrap.enabled ? "the DB is open read-only or as a secondary instance"
        : IsFromEnvironment(hotrap) ? hotrap.source
                                    : "hotrap.enabled is false";
    (*stats)["active"] = "0";
    (*stats)["inactive_reason"] = reason;
    (*stats)["promotion_blocked_reason"] = reason;
  } else {
    tier->AddTo(stats);
  }
  (*stats)["options_source"] =
      hotrap.source.empty() ? kSourceProgram : hotrap.source;
  // Reads nothing: counts copies in tables that have been opened.
  (*stats)["promoted_copies"] =
      std::to_string(cfd->hotrap.copy_marks().with_originals());
}

// Adds a counter of the column family; not if it has no such counter. Returns
// whether it has one.
// REQUIRES: DB mutex held
bool AddCounter(ColumnFamilyData* cfd, const std::string& counter,
                uint64_t* value) {
  std::map<std::string, std::string> stats;
  AddStats(cfd, &stats);
  const auto found = stats.find(counter);
  if (found == stats.end()) {
    return false;
  }
  Slice text(found->second);
  uint64_t number = 0;
  if (!ConsumeDecimalNumber(&text, &number) || !text.empty()) {
    return false;
  }
  *value += number;
  return true;
}

}  // namespace

bool HotRapProperties::GetMap(DBImpl* db, ColumnFamilyHandle* column_family,
                              const Slice& property,
                              std::map<std::string, std::string>* value) {
  if (property != kHotRapStatsProperty) {
    return false;
  }
  value->clear();
  InstrumentedMutexLock lock(db->mutex());
  AddStats(Cfd(column_family), value);
  return true;
}

bool HotRapProperties::Get(DBImpl* db, ColumnFamilyHandle* column_family,
                           const Slice& property, std::string* value) {
  if (property == kHotRapVersionProperty) {
    *value = GetRocksVersionAsString() + "-hotrap." HOTRAP_RELEASE;
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
