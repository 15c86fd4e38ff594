//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The place of a column family's HotRAP in its ColumnFamilyData.

#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class HotRapTier;

// Thread safety: active() from any thread that keeps the column family alive;
// the rest with the DB mutex held.
class HotRapSlot {
 public:
  HotRapSlot();
  ~HotRapSlot();
  HotRapSlot(const HotRapSlot&) = delete;
  HotRapSlot& operator=(const HotRapSlot&) = delete;

  // nullptr unless HotRAP is on and can work. What it points to lives as long
  // as the column family.
  HotRapTier* active() const { return active_.load(std::memory_order_acquire); }

  // Also when inactive: nullptr only if HotRAP was never switched on.
  HotRapTier* tier() const { return tier_.get(); }

  // Whether the column family may hold promoted copies: HotRAP is or was on.
  // Any thread.
  bool used() const { return used_.load(std::memory_order_acquire); }
  void SetUsed() { used_.store(true, std::memory_order_release); }

  // True the first time.
  bool FirstSight() { return !std::exchange(seen_, true); }

  // Of the default column family: how many RALTs of column families that were
  // dropped are still being torn down.
  int& orphans() { return orphans_; }

  void set_tier(std::unique_ptr<HotRapTier> tier);
  void SetActive(bool active);

 private:
  std::unique_ptr<HotRapTier> tier_;
  std::atomic<HotRapTier*> active_{nullptr};
  std::atomic<bool> used_{false};
  bool seen_ = false;
  int orphans_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
