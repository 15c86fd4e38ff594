//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Keeps RALT's files within the physical limit: the background job checks for
// room before it writes, and drops what does not fit.

#include <algorithm>

#include "plugin/hotrap/ralt/ralt_impl.h"
#include "plugin/hotrap/ralt/space_use.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
}  // namespace

uint64_t RaltImpl::PhysicalLimit() const {
  return options_.PhysicalLimit(store_.limits().physical_bytes);
}

// There must be room for one more flush twice: for its run, and for a copy of
// its records during a merge.
bool RaltImpl::SpaceIsShort(const Version& version) const {
  const SpaceUse use(version, store_.manifest_bytes(), options_.file_bytes);
  const uint64_t limit = PhysicalLimit();
  return use.total_bytes + use.merge_bytes +
             2 * RaltOptions::FlushShare(limit) >
         limit;
}

uint64_t RaltImpl::RoomForFlush() const {
  const SpaceUse use(*store_.versions().Get(), store_.manifest_bytes(),
                     options_.file_bytes);
  const uint64_t limit = PhysicalLimit();
  const uint64_t taken =
      std::max(use.total_bytes + use.merge_bytes, merge_peak_bytes_);
  const uint64_t room = Minus(limit, taken) / 2;
  const uint64_t share = RaltOptions::FlushShare(limit);
  // More than the share, if the next flush still has its share.
  return std::max(std::min(share, room), Minus(room, share));
}

bool RaltImpl::FlushMustWait() const {
  return merge_peak_bytes_ > 0 &&
         RoomForFlush() < RaltOptions::FlushShare(PhysicalLimit());
}

void RaltImpl::BeginMerge() {
  const SpaceUse use(*store_.versions().Get(), store_.manifest_bytes(),
                     options_.file_bytes);
  merge_peak_bytes_ = use.total_bytes + use.merge_bytes;
}

void RaltImpl::EndMerge() { merge_peak_bytes_ = 0; }

void RaltImpl::NoteFlushedBytes(uint64_t bytes) {
  if (merge_peak_bytes_ > 0) {
    merge_peak_bytes_ += 2 * bytes;
  }
}

}  // namespace ROCKSDB_NAMESPACE::ralt
