//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The user keys of a compaction's inputs above FS. In this range no other file
// of the last fast level and no other compaction into it has a key, so what the
// compaction writes there must be in it.

#pragma once

#include "db/dbformat.h"
#include "rocksdb/comparator.h"

namespace ROCKSDB_NAMESPACE {

class FastInputRange {
 public:
  // The range from `smallest` to `largest`. `ucmp` must outlive this object.
  FastInputRange(const Comparator* ucmp, const InternalKey& smallest,
                 const InternalKey& largest)
      : ucmp_(ucmp),
        smallest_(smallest),
        largest_(largest),
        largest_is_exclusive_(ExtractInternalKeyFooter(largest.Encode()) ==
                              kRangeTombstoneSentinel) {}

  Slice smallest() const { return smallest_.user_key(); }
  // Exclusive if it is the end of a range tombstone.
  Slice largest() const { return largest_.user_key(); }

  bool Contains(const Slice& user_key) const {
    const int upper = ucmp_->Compare(user_key, largest());
    return (largest_is_exclusive_ ? upper < 0 : upper <= 0) &&
           ucmp_->Compare(user_key, smallest()) >= 0;
  }

 private:
  const Comparator* const ucmp_;
  const InternalKey smallest_;
  const InternalKey largest_;
  const bool largest_is_exclusive_;
};

}  // namespace ROCKSDB_NAMESPACE
