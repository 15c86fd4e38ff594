//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How large the fast tier is, and what must stay free on it: from the shape of
// the levels, in bytes; and what the budget of its path allows at the moment
// (FastBudget). Written with the DB mutex held, unless a comment says
// otherwise; any thread reads.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/db/budget/write_brake.h"
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
  // The target of the last fast level, and the sum over all fast levels: in the
  // newest version, or by a share that has changed since.
  uint64_t last_target_bytes() const {
    return last_target_bytes_.load(std::memory_order_relaxed);
  }
  uint64_t target_bytes() const {
    return target_bytes_.load(std::memory_order_relaxed);
  }
  // What is left for RALT in it.
  uint64_t ralt_room_bytes() const {
    return ralt_room_bytes_.load(std::memory_order_relaxed);
  }
  // What L0 and L1 are when L0's compaction starts.
  uint64_t upper_bytes() const {
    return upper_bytes_.load(std::memory_order_relaxed);
  }

  void Configure(const HotRapLevelShape& shape,
                 const MutableCFOptions& options) {
    budget_bytes_.store(shape.budget_bytes, std::memory_order_relaxed);
    spare_bytes_.store(SpareForFlushes(options) + shape.level0_bytes +
                           options.max_bytes_for_level_base,
                       std::memory_order_relaxed);
    compaction_room_bytes_.store(shape.compaction_bytes,
                                 std::memory_order_relaxed);
    upper_bytes_.store(shape.level0_bytes + options.max_bytes_for_level_base,
                       std::memory_order_relaxed);
  }
  // With the measurements of a new version, or for a new share. Needs no mutex.
  void SetTargets(const HotRapLevelShape& shape) {
    last_target_bytes_.store(shape.last_fast_target_bytes(),
                             std::memory_order_relaxed);
    target_bytes_.store(shape.fast_target_bytes(), std::memory_order_relaxed);
    ralt_room_bytes_.store(shape.ralt_bytes, std::memory_order_relaxed);
  }

  // ---- What the budget of the path allows ----------------------------------

  // Set once, before anybody reads it.
  const std::shared_ptr<FastLedger>& ledger() const { return ledger_; }
  void set_ledger(std::shared_ptr<FastLedger> ledger) {
    ledger_ = std::move(ledger);
  }
  // The column family's share; LevelFeedback::kUnknown if it need not share.
  uint64_t share_bytes() const {
    return share_bytes_.load(std::memory_order_relaxed);
  }
  void set_share_bytes(uint64_t bytes) {
    share_bytes_.store(bytes, std::memory_order_relaxed);
  }
  // Whether records may be promoted, and which part of its fast input a
  // crossing may keep.
  bool promotes() const { return promotes_.load(std::memory_order_relaxed); }
  double most_retained() const {
    return most_retained_.load(std::memory_order_relaxed);
  }
  void SetLimits(const WriteBrake::Decision& decision) {
    promotes_.store(decision.promotes, std::memory_order_relaxed);
    most_retained_.store(decision.most_retained, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> budget_bytes_{0};
  std::atomic<uint64_t> spare_bytes_{0};
  std::atomic<uint64_t> compaction_room_bytes_{0};
  std::atomic<uint64_t> last_target_bytes_{0};
  std::atomic<uint64_t> target_bytes_{0};
  std::atomic<uint64_t> ralt_room_bytes_{0};
  std::atomic<uint64_t> upper_bytes_{0};

  std::shared_ptr<FastLedger> ledger_;
  std::atomic<uint64_t> share_bytes_{LevelFeedback::kUnknown};
  std::atomic<bool> promotes_{true};
  std::atomic<double> most_retained_{WriteBrake::kMostRetained};
};

}  // namespace ROCKSDB_NAMESPACE
