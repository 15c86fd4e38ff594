//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How long Get takes, by where it was answered. Measured only where the DB has
// Statistics with timers, as RocksDB's own rocksdb.db.get.micros; else a read
// pays for a test of the level.
//
// Thread safety: any thread.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "monitoring/histogram.h"
#include "rocksdb/statistics.h"
#include "rocksdb/system_clock.h"
#include "util/core_local.h"

namespace ROCKSDB_NAMESPACE {

class ReadLatencies {
 public:
  enum class Source : uint32_t {
#define SOURCE(source, name, meaning) source,
#include "plugin/hotrap/db/state/read_sources.inc"
    kCount,
  };

  // `statistics` may be nullptr. Both must outlive this object.
  ReadLatencies(Statistics* statistics, SystemClock* clock)
      : statistics_(statistics), clock_(clock) {}
  ~ReadLatencies() { delete cores_.load(); }
  ReadLatencies(const ReadLatencies&) = delete;
  ReadLatencies& operator=(const ReadLatencies&) = delete;

  // Whether reads are to be measured.
  bool on() const {
    return statistics_ != nullptr &&
           statistics_->get_stats_level() > StatsLevel::kExceptTimers;
  }
  uint64_t NowNanos() const { return clock_->NowNanos(); }
  // Counts a read that was answered, if it is to be measured.
  void Count(Source source, uint64_t nanos) {
    if (on()) {
      Add(source, nanos);
    }
  }

  // The property's fields: count, average, p50, p95, p99, p999 and max of each
  // source, in microseconds.
  void AddTo(std::map<std::string, std::string>* values) const;

 private:
  static constexpr size_t kSources = static_cast<size_t>(Source::kCount);
  struct ALIGN_AS(CACHE_LINE_SIZE) Core {
    std::array<HistogramImpl, kSources> nanos;
  };
  using Cores = CoreLocalArray<Core>;

  void Add(Source source, uint64_t nanos);

  Statistics* const statistics_;
  SystemClock* const clock_;
  // Made by the first read that is measured: some 4 KiB a core.
  std::atomic<Cores*> cores_{nullptr};
};

}  // namespace ROCKSDB_NAMESPACE
