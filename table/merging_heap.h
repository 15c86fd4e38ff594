//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Helpers for MergingIterator when two levels hold the same internal key: a
// record and its promoted copy. RocksDB assumes that internal keys are unique,
// and therefore that the boundary key of a file and the end of a range
// tombstone truncated there are adjacent in its heap. The copy of the file's
// last record, or the boundary of the copy's own file, can come between them.

#pragma once

#include "util/autovector.h"

namespace ROCKSDB_NAMESPACE {

// REQUIRES: both items are point iterators and valid, at equal internal keys.
// Returns whether `a` must leave the heap after `b`, in either direction. A
// level may move to its next file, and forget the range tombstones of the
// current one, only after they have covered the copy.
template <typename HeapItem>
bool LeavesAfterItsEqual(const HeapItem& a, const HeapItem& b) {
  return a.iter.IsDeleteRangeSentinelKey() &&
         !b.iter.IsDeleteRangeSentinelKey();
}

// REQUIRES: `item` is in the heap, and all items' keys can be read. Removes
// `item`, wherever it is in the heap; it is nearly always the top.
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
