//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Holds the HotRAP state of a column family in its ColumnFamilyData.

#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "plugin/hotrap/db/copies/copy_marks.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class FilterRegister;
class HotRapTier;
class KeyRanges;
class TierState;

// Thread safety: active(), and methods that say so, may be called from any
// thread that keeps the column family alive. The others require the DB mutex.
class HotRapSlot {
 public:
  HotRapSlot();
  ~HotRapSlot();
  HotRapSlot(const HotRapSlot&) = delete;
  HotRapSlot& operator=(const HotRapSlot&) = delete;

  // Returns nullptr unless HotRAP is on and can work. The tier lives as long as
  // the column family.
  HotRapTier* active() const { return active_.load(std::memory_order_acquire); }

  // Returns the tier even if it is inactive; nullptr only if HotRAP was never
  // switched on.
  HotRapTier* tier() const { return tier_.get(); }

  // The same for code that needs the state only: compactions, and copies. Any
  // thread for active_state().
  TierState* active_state() const;
  TierState* state() const;

  // The marks of tables with promoted copies. Any thread.
  CopyMarks& copy_marks() { return copy_marks_; }
  const CopyMarks& copy_marks() const { return copy_marks_; }

  // Keeps what compaction filters change and what is promoted apart, also while
  // HotRAP is being switched on. Any thread.
  FilterRegister& filter_register() { return *filter_register_; }

  // Compactions leave out copies in the ranges that are there when they start.
  // One entry for each CopyRemoval that runs. REQUIRES: DB mutex held
  std::vector<std::shared_ptr<const KeyRanges>>& copies_to_remove() {
    return copies_to_remove_;
  }

  // An ingestion that replaces a range was prepared, and may begin at any time.
  // It never expires, as nobody tells when such an ingestion is over. Any
  // thread.
  void NoteReplacement() { replacements_.store(true); }
  bool replacements() const { return replacements_.load(); }

  // Used in the slot of the default column family only: the number of dropped
  // column families whose RALT is still being torn down.
  int orphans() const { return orphans_; }
  void set_orphans(int count) { orphans_ = count; }

  void set_tier(std::unique_ptr<HotRapTier> tier);
  void SetActive(bool active);

 private:
  // Outlives the tier.
  const std::unique_ptr<FilterRegister> filter_register_;
  std::unique_ptr<HotRapTier> tier_;
  std::atomic<HotRapTier*> active_{nullptr};
  CopyMarks copy_marks_;
  std::vector<std::shared_ptr<const KeyRanges>> copies_to_remove_;
  std::atomic<bool> replacements_{false};
  int orphans_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
