//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include <algorithm>
#include <sstream>

#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/ralt_impl.h"

namespace ROCKSDB_NAMESPACE {

std::string RaltStats::ToString() const {
  std::ostringstream out;
  const auto field = [&out](const char* name, auto value) {
    out << name << ": " << value << "\n";
  };
  field("accesses", accesses);
  field("accesses_dropped", accesses_dropped);
  field("accesses_too_large", accesses_too_large);
  field("records_without_room", records_without_room);
  field("accessed_bytes", accessed_bytes);
  field("flushes", flushes);
  field("merges", merges);
  field("evictions", evictions);
  field("bytes_flushed", bytes_flushed);
  field("bytes_written", bytes_written);
  field("bytes_read", bytes_read);
  field("background_micros", background_micros);
  field("background_errors", background_errors);
  field("resets", resets);
  field("runs", runs);
  field("levels", levels);
  field("records", records);
  field("hot_records", hot_records);
  field("hot_set_bytes", hot_set_bytes);
  field("tracked_bytes", tracked_bytes);
  field("physical_bytes", physical_bytes);
  field("hot_set_limit_bytes", hot_set_limit_bytes);
  field("physical_limit_bytes", physical_limit_bytes);
  field("record_limit_bytes", record_limit_bytes);
  field("stable_bytes", stable_bytes);
  field("hot_score_threshold", hot_score_threshold);
  field("buffer_memory_bytes", buffer_memory_bytes);
  field("filter_memory_bytes", filter_memory_bytes);
  field("index_memory_bytes", index_memory_bytes);
  field("tick", tick);
  field("learning", learning);
  field("paused", paused);
  return out.str();
}

namespace ralt {

RaltStats RaltImpl::GetStats() const {
  RaltStats stats;
  stats.accesses = buffer_.recorded();
  stats.accesses_dropped =
      buffer_.dropped() + lost_accesses_.load(std::memory_order_relaxed);
  stats.accesses_too_large =
      accesses_too_large_.load(std::memory_order_relaxed);
  stats.records_without_room =
      records_without_room_.load(std::memory_order_relaxed);
  stats.accessed_bytes = access_clock_.accessed_bytes();
  stats.tick = access_clock_.tick();
  stats.flushes = flushes_.load(std::memory_order_relaxed);
  stats.merges = merges_.load(std::memory_order_relaxed);
  stats.evictions = evictions_.load(std::memory_order_relaxed);
  stats.background_micros = background_micros_.load(std::memory_order_relaxed);
  stats.background_errors = background_errors_.load(std::memory_order_relaxed);
  stats.bytes_flushed = bytes_flushed_.load(std::memory_order_relaxed);
  stats.bytes_written =
      store_.env().bytes_written.load(std::memory_order_relaxed);
  stats.bytes_read = store_.env().bytes_read.load(std::memory_order_relaxed);
  stats.resets = store_.resets();
  stats.learning = learning_.load(std::memory_order_relaxed);
  stats.paused = paused_.load(std::memory_order_relaxed);

  const auto version = store_.versions().Get();
  const VersionTotals totals(*version, new_share());
  stats.runs = totals.runs;
  stats.levels = static_cast<uint64_t>(
      std::count_if(version->levels.begin(), version->levels.end(),
                    [](const auto& level) { return !level.empty(); }));
  stats.records = totals.records;
  stats.hot_records = totals.hot_records;
  stats.hot_set_bytes = totals.distinct_hot_bytes;
  stats.tracked_bytes = totals.tracked_bytes;
  stats.physical_bytes = totals.physical_bytes;
  stats.filter_memory_bytes = totals.filter_memory_bytes;
  stats.index_memory_bytes = totals.index_memory_bytes;
  stats.buffer_memory_bytes = buffer_.memory_bytes();

  const RaltLimits limits = store_.limits();
  stats.hot_set_limit_bytes = limits.hot_set_bytes;
  stats.physical_limit_bytes = options_.PhysicalLimit(limits.physical_bytes);
  stats.record_limit_bytes = limits.physical_bytes;
  stats.stable_bytes = limits.stable_bytes;
  stats.hot_score_threshold = limits.hot_threshold.score;
  return stats;
}

}  // namespace ralt

}  // namespace ROCKSDB_NAMESPACE
