//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Counts what happens in a column family: for the property, and for tickers of
// the DB's Statistics. The list of counters is hotrap_counters.inc.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "plugin/hotrap/db/state/figures.h"
#include "rocksdb/statistics.h"
#include "util/core_local.h"

namespace ROCKSDB_NAMESPACE {

enum class HotRapCounter : uint32_t {
#define COUNTER(counter, name, ticker, unit, meaning) counter,
#include "plugin/hotrap/db/state/hotrap_counters.inc"
  kCount,
};

// Thread-safe.
class HotRapStats {
 public:
  // Tickers go to `statistics`, which may be nullptr and must outlive this
  // object.
  explicit HotRapStats(Statistics* statistics) : statistics_(statistics) {}

  // Adds to the counter, and to its ticker if it has one.
  void Count(HotRapCounter counter, uint64_t n = 1) {
    const auto index = static_cast<size_t>(counter);
    cores_.Access()->values[index].fetch_add(n, std::memory_order_relaxed);
    if (kTickers[index] != kNoTicker) {
      CountTicker(kTickers[index], n);
    }
  }
  uint64_t Get(HotRapCounter counter) const;

  // Adds the counters, by name.
  void AddTo(Figures* figures) const;

 private:
  static constexpr uint32_t kNoTicker = TICKER_ENUM_MAX;
  static constexpr uint32_t kTickers[] = {
#define COUNTER(counter, name, ticker, unit, meaning) ticker,
#include "plugin/hotrap/db/state/hotrap_counters.inc"
  };

  void CountTicker(uint32_t ticker, uint64_t n);

  Statistics* const statistics_;
  struct ALIGN_AS(CACHE_LINE_SIZE) Core {
    std::array<std::atomic<uint64_t>,
               static_cast<size_t>(HotRapCounter::kCount)>
        values{};
  };
  CoreLocalArray<Core> cores_;
};

}  // namespace ROCKSDB_NAMESPACE
