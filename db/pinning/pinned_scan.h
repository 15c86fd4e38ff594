//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Reads pinned records of the slow tier, for their promotion, and measures
// ranges: what a SuperVersion has in the levels of each tier.
//
// Invariant: a record that it returns is the newest of its key in the levels >=
// FS of the SuperVersion's version, and a value or an entity that is exactly
// known, as for a read that admits it (HotRapGet::Admit).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/hotrap/db/pinning/pinned_plan.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class TierState;
struct SuperVersion;

// Used by one thread, without the DB mutex.
class PinnedScan {
 public:
  // The SuperVersion must stay referenced during the lifetime of this object.
  PinnedScan(TierState* state, SuperVersion* sv, int first_slow_level);

  TierBytes Measure(const RangeOfKeys& range) const;
  // The smallest keys of the tables in the range.
  std::vector<std::string> Boundaries(const RangeOfKeys& range) const;

  struct Batch {
    // In key order.
    std::vector<PromotionRecordPtr> records;
    // Where to go on; nothing if the end of the range was reached.
    std::optional<std::string> next;
    uint64_t bytes_read = 0;
  };
  // Reads from `from` on, or from the beginning of the range, about
  // `max_bytes`. Leaves out what is not pinned, what the fast levels have, what
  // no promotion would take, and what the compaction filter has refused.
  Status Read(const RangeOfKeys& range, const std::optional<std::string>& from,
              uint64_t max_bytes, Batch* batch) const;

 private:
  TierState* const state_;
  SuperVersion* const sv_;
  const int first_slow_level_;
  // Of everything in the version: no later read sees less.
  const SequenceNumber visible_from_;
  // User keys of all tables; empty if there is none.
  std::optional<Slice> smallest_;
  Slice largest_;
};

}  // namespace ROCKSDB_NAMESPACE
