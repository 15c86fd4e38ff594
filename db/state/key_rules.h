//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What the user has said about keys: which are pinned, and which never hot.
//
// Pinned ranges count as far as they fit: PinnedLifter measures them, and cuts
// what is in force.
//
// Thread safety: any thread, unless a comment says otherwise. A look-up takes a
// lock of its own core, which only a change of the rules contends for. Without
// rules, it is one load.

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "plugin/hotrap/db/state/key_range_set.h"
#include "plugin/hotrap/db/state/pinned_figures.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/status.h"
#include "util/core_local.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

class KeyRules {
 public:
  enum class Rule { kNone, kPinned, kExcluded };

  explicit KeyRules(const Comparator* ucmp);
  KeyRules(const KeyRules&) = delete;
  KeyRules& operator=(const KeyRules&) = delete;

  // Whether there are any.
  bool any() const { return any_.load(std::memory_order_relaxed); }

  Rule Of(const Slice& user_key) const {
    if (!any()) {
      return Rule::kNone;
    }
    return LookUp(user_key);
  }

  // Whether all of, or a part of, [smallest, largest] is pinned.
  bool PinsAll(const Slice& smallest, const Slice& largest) const;
  bool PinsAny(const Slice& smallest, const Slice& largest) const;

  // How much of what is pinned is fast.
  PinnedFigures& figures() { return figures_; }
  const PinnedFigures& figures() const { return figures_; }

  // Returns InvalidArgument if the ranges cannot be meant.
  static Status Validate(const Comparator* ucmp, const HotRapOptions& options);

  // ---- REQUIRES: DB mutex held -------------------------------------------

  // Takes the options over. Returns whether the pinned ranges changed: then all
  // of them are in force.
  bool Configure(const HotRapOptions& options);
  // The pinned ranges of the options, in their order.
  std::vector<RangeOfKeys> wanted() const;
  // How often they have changed.
  uint64_t wanted_number() const { return wanted_number_; }
  const KeyRangeSet& pinned_in_force() const { return pinned_; }
  // Puts a part of them in force.
  void SetPinnedInForce(const KeyRangeSet& pinned);

 private:
  Rule LookUp(const Slice& user_key) const;
  void Publish();

  struct ALIGN_AS(CACHE_LINE_SIZE) Core {
    mutable SpinMutex mutex;
    // Protected by mutex.
    KeyRangeSet pinned{nullptr};
    KeyRangeSet excluded{nullptr};
  };

  const Comparator* const ucmp_;
  std::atomic<bool> any_{false};
  CoreLocalArray<Core> cores_;
  PinnedFigures figures_;

  // Protected by the DB mutex.
  std::vector<HotRapKeyRange> pinned_option_;
  std::vector<HotRapKeyRange> excluded_option_;
  uint64_t wanted_number_ = 0;
  KeyRangeSet pinned_;
  KeyRangeSet excluded_;
};

}  // namespace ROCKSDB_NAMESPACE
