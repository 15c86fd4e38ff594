//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Who must not change the tiers of a column family, and until when.
//
// Thread safety: every method requires the DB mutex.

#pragma once

#include <cassert>

#include "monitoring/instrumented_mutex.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class VersionEdit;

class TierFences {
 public:
  explicit TierFences(InstrumentedMutex* db_mutex) : mutex_(db_mutex) {}
  TierFences(const TierFences&) = delete;
  TierFences& operator=(const TierFences&) = delete;

  // Somebody changes the slow tier without a compaction: has chosen the files,
  // and no version shows it until the end. Compactions that promote wait for
  // that before their last check. Each change ends with a write of the
  // MANIFEST.
  void BeginSlowTierChange() {
    mutex_->AssertHeld();
    slow_tier_changes_++;
  }
  void EndSlowTierChange() {
    mutex_->AssertHeld();
    assert(slow_tier_changes_ > 0);
    slow_tier_changes_--;
  }
  bool slow_tier_changes() const {
    mutex_->AssertHeld();
    return slow_tier_changes_ > 0;
  }

  // Until the end, nothing is retained or promoted by flush.
  void BeginLevelChange() {
    mutex_->AssertHeld();
    level_changes_++;
  }
  void EndLevelChange() {
    mutex_->AssertHeld();
    assert(level_changes_ > 0);
    level_changes_--;
  }
  bool level_changes() const {
    mutex_->AssertHeld();
    return level_changes_ > 0;
  }

  // The edit that installs a promoted file, from the point where it can no
  // longer be cancelled until it is installed; else nullptr.
  void set_promotion_edit(const VersionEdit* edit) {
    mutex_->AssertHeld();
    promotion_edit_ = edit;
  }
  const VersionEdit* promotion_edit() const {
    mutex_->AssertHeld();
    return promotion_edit_;
  }

 private:
  InstrumentedMutex* const mutex_;
  int slow_tier_changes_ = 0;
  int level_changes_ = 0;
  const VersionEdit* promotion_edit_ = nullptr;
};

}  // namespace ROCKSDB_NAMESPACE
