//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Written on RocksDB's own C API, whose types only RocksDB's c.cc can look
// into.

#include "rocksdb/hotrap_c.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "rocksdb/hotrap.h"
#include "rocksdb/statistics.h"
#include "rocksdb/version.h"
#include "util/string_util.h"

struct rocksdb_hotrap_stats_t {
  std::map<std::string, std::string> values;
};

namespace ROCKSDB_NAMESPACE {
namespace {

std::string Group(const char* fields) {
  return "{" + std::string(fields) + "}";
}

const std::string* Find(const rocksdb_hotrap_stats_t* stats, const char* name) {
  const auto found = stats->values.find(name);
  return found == stats->values.end() ? nullptr : &found->second;
}

uint64_t Number(const rocksdb_hotrap_stats_t* stats, const char* name) {
  uint64_t value = 0;
  rocksdb_hotrap_stats_uint64(stats, name, &value);
  return value;
}

}  // namespace
}  // namespace ROCKSDB_NAMESPACE

using ROCKSDB_NAMESPACE::Find;
using ROCKSDB_NAMESPACE::Group;
using ROCKSDB_NAMESPACE::Number;

extern "C" {

const char* rocksdb_hotrap_version(void) {
  static const std::string version =
      ROCKSDB_NAMESPACE::GetRocksVersionAsString() + "-hotrap." HOTRAP_RELEASE;
  return version.c_str();
}

void rocksdb_hotrap_set_options(rocksdb_options_t* options, const char* fields,
                                char** errptr) {
  rocksdb_get_options_from_string(options, ("hotrap=" + Group(fields)).c_str(),
                                  options, errptr);
}

void rocksdb_hotrap_change_options(rocksdb_t* db,
                                   rocksdb_column_family_handle_t* family,
                                   const char* fields, char** errptr) {
  const std::string group = Group(fields);
  const char* const keys[] = {"hotrap"};
  const char* const values[] = {group.c_str()};
  if (family == nullptr) {
    rocksdb_set_options(db, 1, keys, values, errptr);
  } else {
    rocksdb_set_options_cf(db, family, 1, keys, values, errptr);
  }
}

rocksdb_hotrap_stats_t* rocksdb_hotrap_stats_create(
    rocksdb_t* db, rocksdb_column_family_handle_t* family) {
  const char* const name = ROCKSDB_NAMESPACE::kHotRapStatsProperty;
  const std::unique_ptr<char, decltype(&rocksdb_free)> text(
      family == nullptr ? rocksdb_property_value(db, name)
                        : rocksdb_property_value_cf(db, family, name),
      &rocksdb_free);
  if (text == nullptr) {
    return nullptr;
  }
  auto stats = std::make_unique<rocksdb_hotrap_stats_t>();
  for (const std::string& line :
       ROCKSDB_NAMESPACE::StringSplit(text.get(), '\n')) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) {
      stats->values[line.substr(0, colon)] = line.substr(colon + 2);
    }
  }
  return stats.release();
}

void rocksdb_hotrap_stats_destroy(rocksdb_hotrap_stats_t* stats) {
  delete stats;
}

unsigned char rocksdb_hotrap_stats_active(const rocksdb_hotrap_stats_t* stats) {
  return Number(stats, "active") == 1 ? 1 : 0;
}

uint64_t rocksdb_hotrap_stats_promoted_records(
    const rocksdb_hotrap_stats_t* stats) {
  return Number(stats, "promoted_records") +
         Number(stats, "compaction_promoted_records");
}

uint64_t rocksdb_hotrap_stats_promoted_bytes(
    const rocksdb_hotrap_stats_t* stats) {
  return Number(stats, "promoted_bytes") +
         Number(stats, "compaction_promoted_bytes");
}

unsigned char rocksdb_hotrap_stats_uint64(const rocksdb_hotrap_stats_t* stats,
                                          const char* name, uint64_t* value) {
  const std::string* const text = Find(stats, name);
  if (text == nullptr || text->empty() ||
      text->find_first_not_of("0123456789") != std::string::npos) {
    return 0;
  }
  *value = ROCKSDB_NAMESPACE::ParseUint64(*text);
  return 1;
}

unsigned char rocksdb_hotrap_stats_double(const rocksdb_hotrap_stats_t* stats,
                                          const char* name, double* value) {
  const std::string* const text = Find(stats, name);
  if (text == nullptr || text->empty()) {
    return 0;
  }
  char* end = nullptr;
  const double number = std::strtod(text->c_str(), &end);
  if (*end != '\0') {
    return 0;
  }
  *value = number;
  return 1;
}

const char* rocksdb_hotrap_stats_text(const rocksdb_hotrap_stats_t* stats,
                                      const char* name) {
  const std::string* const text = Find(stats, name);
  return text == nullptr ? nullptr : text->c_str();
}

unsigned char rocksdb_hotrap_ticker(const char* name, uint32_t* ticker) {
  const std::string wanted = name;
  for (const auto& [number, known] : ROCKSDB_NAMESPACE::TickersNameMap) {
    if (known == wanted &&
        number >= ROCKSDB_NAMESPACE::HOTRAP_CROSSING_COMPACTIONS) {
      *ticker = number;
      return 1;
    }
  }
  return 0;
}

}  // extern "C"
