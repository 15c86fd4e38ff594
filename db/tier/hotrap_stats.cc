//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/tier/hotrap_stats.h"

#include <iterator>

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr const char* kNames[] = {
    "get_hits_fast",
    "get_hits_slow",
    "get_hits_promotion_cache",
    "get_hits_slow_with_io",
    "accesses",
    "admissions",
    "admissions_from_memory",
    "admissions_known",
    "refused_inexact",
    "refused_type",
    "refused_blob",
    "refused_read_option",
    "refused_snapshot",
    "refused_stale",
    "refused_cold",
    "refused_in_memory",
    "refused_full",
    "refused_present",
    "refused_on_fast_path",
    "refused_at_fast_level",
    "refused_filtered",
    "invalidated_records",
    "crossing_compactions",
    "retained_records",
    "retained_bytes",
    "hot_bytes_estimated",
    "hot_bytes_found",
    "compaction_promoted_records",
    "compaction_promoted_bytes",
    "compaction_reruns",
    "seals",
    "promotions",
    "promoted_records",
    "promoted_bytes",
    "returned_records",
    "dropped_cold",
    "dropped_newer",
    "dropped_invalidated",
    "dropped_conflict",
    "dropped_error",
    "dropped_shutdown",
    "backoffs",
    "orderings",
    "ordering_nanos",
    "relocation_tables_moved",
    "relocation_bytes_moved",
};
static_assert(std::size(kNames) == static_cast<size_t>(HotRapCounter::kCount),
              "one name a counter");
}  // namespace

uint64_t HotRapStats::Get(HotRapCounter counter) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < cores_.Size(); i++) {
    sum += cores_.AccessAtCore(i)->values[static_cast<size_t>(counter)].load(
        std::memory_order_relaxed);
  }
  return sum;
}

void HotRapStats::AddTo(std::map<std::string, std::string>* values) const {
  for (size_t i = 0; i < std::size(kNames); i++) {
    (*values)[kNames[i]] = std::to_string(Get(static_cast<HotRapCounter>(i)));
  }
}

}  // namespace ROCKSDB_NAMESPACE
