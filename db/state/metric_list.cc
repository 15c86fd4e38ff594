//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include <string_view>

#include "plugin/hotrap/ralt/ralt_stats.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/hotrap_metrics.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr HotRapMetric::Kind KindOf(const char* unit) {
  return std::string_view(unit) == "text" ? HotRapMetric::Kind::kText
                                          : HotRapMetric::Kind::kGauge;
}

// The name of the ticker, or an empty one.
const char* TickerName(const char* ticker) {
#define NAME_OF(symbol, name)                \
  if (std::string_view(#symbol) == ticker) { \
    return name;                             \
  }
  HOTRAP_TICKERS(NAME_OF)
#undef NAME_OF
  return "";
}

std::vector<HotRapMetric> MakeList() {
  constexpr auto counter = HotRapMetric::Kind::kCounter;
  constexpr auto gauge = HotRapMetric::Kind::kGauge;
  std::vector<HotRapMetric> list;
#define FIGURE(name, unit, meaning) \
  list.push_back({name, KindOf(#unit), #unit, meaning, ""});
#include "plugin/hotrap/db/state/tier_figures.inc"
#define COUNTER(id, name, ticker, unit, meaning) \
  list.push_back({name, counter, #unit, meaning, TickerName(#ticker)});
#include "plugin/hotrap/db/state/hotrap_counters.inc"
#define RALT_METRIC(type, kind, name, unit, meaning) \
  list.push_back({"ralt_" #name, kind, #unit, meaning, ""});
  RALT_STATS(RALT_METRIC)
#undef RALT_METRIC
  return list;
}

}  // namespace

const std::vector<HotRapMetric>& HotRapMetrics() {
  static const std::vector<HotRapMetric> list = MakeList();
  return list;
}

}  // namespace ROCKSDB_NAMESPACE
