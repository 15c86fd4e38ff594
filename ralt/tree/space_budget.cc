//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/space_budget.h"

#include <algorithm>

#include "plugin/hotrap/ralt/ralt_options.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
}  // namespace

// There must be room for one more flush twice: for its run, and for a copy of
// its records during a merge.
bool SpaceBudget::IsShort(const SpaceUse& use, uint64_t limit) {
  return use.total_bytes + use.merge_bytes +
             2 * RaltOptions::FlushShare(limit) >
         limit;
}

uint64_t SpaceBudget::RoomForFlush(const SpaceUse& use, uint64_t limit) const {
  const uint64_t taken =
      std::max(use.total_bytes + use.merge_bytes, merge_peak_bytes_);
  const uint64_t room = Minus(limit, taken) / 2;
  const uint64_t share = RaltOptions::FlushShare(limit);
  // More than the share, if the next flush still has its share.
  return std::max(std::min(share, room), Minus(room, share));
}

bool SpaceBudget::FlushMustWait(const SpaceUse& use, uint64_t limit) const {
  return merge_peak_bytes_ > 0 &&
         RoomForFlush(use, limit) < RaltOptions::FlushShare(limit);
}

void SpaceBudget::NoteFlush(uint64_t run_bytes) {
  if (merge_peak_bytes_ > 0) {
    merge_peak_bytes_ += 2 * run_bytes;
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
