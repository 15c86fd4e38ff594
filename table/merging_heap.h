//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What MergingIterator needs where two levels hold one internal key, a record
// and its promoted copy. RocksDB counts on internal keys to be unique: it takes
// the boundary key of a file and the end of a range tombstone that is truncated
// there for neighbours in its heap. The copy of the file's last record, or that
// copy's own file boundary, comes between.

#pragma once

#include "util/autovector.h"

namespace ROCKSDB_NAMESPACE {

// REQUIRES: both items are point iterators and valid, at equal internal keys.
// True if `a` must leave the heap after `b`, in either direction: a level goes
// on to its next file, and forgets the range tombstones of this one, only once
// they have covered the copy.
template <typename HeapItem>
bool LeavesAfterItsEqual(const HeapItem& a, const HeapItem& b) {
  return a.iter.IsDeleteRangeSentinelKey() &&
         !b.iter.IsDeleteRangeSentinelKey();
}

// REQUIRES: `item` is in the heap, and all items' keys can be read.
// Takes it out, wherever it is; nearly always it is the top.
template <typename Heap, typename HeapItem>
void EraseFromHeap(Heap* heap, HeapItem* item) {
  autovector<HeapItem*> above;
  while (heap->top() != item) {
    above.push_back(heap->top());
    heap->pop();
  }
  heap->pop();
  for (HeapItem* other : above) {
    heap->push(other);
  }
}

}  // namespace ROCKSDB_NAMESPACE
