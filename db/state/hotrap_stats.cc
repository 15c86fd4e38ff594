//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/hotrap_stats.h"

#include <iterator>

#include "monitoring/statistics_impl.h"
#include "plugin/hotrap/test_util/hotrap_force.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr const char* kNames[] = {
#define COUNTER(counter, name, ticker, unit, meaning) name,
#include "plugin/hotrap/db/state/hotrap_counters.inc"
};
}  // namespace

uint64_t HotRapStats::Get(HotRapCounter counter) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < cores_.Size(); i++) {
    sum += cores_.AccessAtCore(i)->values[static_cast<size_t>(counter)].load(
        std::memory_order_relaxed);
  }
  return sum;
}

void HotRapStats::CountTicker(uint32_t ticker, uint64_t n) {
  RecordTick(statistics_, ticker, n);
  if (HotRapForce* const force = HotRapForce::Get()) {
    force->Note(ticker, n);
  }
}

void HotRapStats::AddTo(Figures* figures) const {
  for (size_t i = 0; i < std::size(kNames); i++) {
    figures->Add(kNames[i], [&] { return Get(static_cast<HotRapCounter>(i)); });
  }
}

}  // namespace ROCKSDB_NAMESPACE
