//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How large the fast tier is, and what must stay free on it: from the shape of
// the levels, in bytes. Written with the DB mutex held; any thread reads.

#pragma once

#include <atomic>
#include <cstdint>

#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/state/space_reservation.h"

namespace ROCKSDB_NAMESPACE {

class FastTierSizes {
 public:
  uint64_t budget_bytes() const {
    return budget_bytes_.load(std::memory_order_relaxed);
  }
  // What a promotion leaves free, on the fast disk and under a limit on space:
  // for flushes, and for the compaction of L0 that follows.
  uint64_t spare_bytes() const {
    return spare_bytes_.load(std::memory_order_relaxed);
  }
  // What one compaction writes beside its inputs.
  uint64_t compaction_room_bytes() const {
    return compaction_room_bytes_.load(std::memory_order_relaxed);
  }
  // The target of the last fast level in the newest version.
  uint64_t last_target_bytes() const {
    return last_target_bytes_.load(std::memory_order_relaxed);
  }

  void Configure(const HotRapLevelShape& shape,
                 const MutableCFOptions& options) {
    budget_bytes_.store(shape.budget_bytes, std::memory_order_relaxed);
    spare_bytes_.store(SpareForFlushes(options) + shape.level0_bytes +
                           options.max_bytes_for_level_base,
                       std::memory_order_relaxed);
    compaction_room_bytes_.store(shape.compaction_bytes,
                                 std::memory_order_relaxed);
  }
  // With the measurements of a new version. Needs no mutex.
  void set_last_target_bytes(uint64_t bytes) {
    last_target_bytes_.store(bytes, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> budget_bytes_{0};
  std::atomic<uint64_t> spare_bytes_{0};
  std::atomic<uint64_t> compaction_room_bytes_{0};
  std::atomic<uint64_t> last_target_bytes_{0};
};

}  // namespace ROCKSDB_NAMESPACE
