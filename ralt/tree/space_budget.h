//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keeps RALT's files within the physical limit: there must be room before
// anything is written. Given the files' sizes and the limit (see SpaceUse).
//
// Not thread-safe.

#pragma once

#include <cstdint>

#include "plugin/hotrap/ralt/tree/space_use.h"

namespace ROCKSDB_NAMESPACE::ralt {

class SpaceBudget {
 public:
  // Returns whether existing runs must be merged or evicted before the next
  // flush.
  static bool IsShort(const SpaceUse& use, uint64_t limit);

  // Returns the room for the run of a flush. Between BeginMerge() and
  // EndMerge(), it excludes what the merge may need.
  uint64_t RoomForFlush(const SpaceUse& use, uint64_t limit) const;

  // Returns whether a flush has to wait for the end of the running merge.
  bool FlushMustWait(const SpaceUse& use, uint64_t limit) const;

  void BeginMerge(const SpaceUse& use) {
    merge_peak_bytes_ = use.total_bytes + use.merge_bytes;
  }
  void EndMerge() { merge_peak_bytes_ = 0; }

  // Called after a flush, perhaps during a merge.
  void NoteFlush(uint64_t run_bytes);

 private:
  // The maximum size of all files during the running merge; 0 if none runs.
  uint64_t merge_peak_bytes_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
