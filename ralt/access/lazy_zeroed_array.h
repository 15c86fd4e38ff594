//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// An array of atomics that uses memory only where it was written. A column
// family that is never read must not pay for tables that serve reads.
//
// Thread safety: elements are atomics. They may be used concurrently with
// Clear(), which leaves each element unchanged or 0.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "port/mmap.h"

#ifdef OS_LINUX
#include <sys/mman.h>
#endif

namespace ROCKSDB_NAMESPACE {

template <typename T>
class LazyZeroedArray {
 public:
  explicit LazyZeroedArray(size_t size)
      : size_(size),
        mapping_(MemMapping::AllocateLazyZeroed(std::max<size_t>(size, 1) *
                                                sizeof(std::atomic<T>))) {
    static_assert(sizeof(std::atomic<T>) == sizeof(T));
    elements_ = static_cast<std::atomic<T>*>(mapping_.Get());
    if (elements_ == nullptr) {
      heap_.reset(new std::atomic<T>[size]());
      elements_ = heap_.get();
    }
#ifdef OS_LINUX
    else {
      // Writing one element must not allocate a huge page.
      madvise(mapping_.Get(), mapping_.Length(), MADV_NOHUGEPAGE);
    }
#endif
  }

  LazyZeroedArray(const LazyZeroedArray&) = delete;
  LazyZeroedArray& operator=(const LazyZeroedArray&) = delete;

  size_t size() const { return size_; }
  std::atomic<T>& operator[](size_t i) const { return elements_[i]; }

  // Sets all elements to 0 and frees their memory.
  void Clear() {
#ifdef OS_LINUX
    if (heap_ == nullptr &&
        madvise(mapping_.Get(), mapping_.Length(), MADV_DONTNEED) == 0) {
      return;
    }
#endif
    for (size_t i = 0; i < size_; ++i) {
      elements_[i].store(0, std::memory_order_relaxed);
    }
  }

 private:
  const size_t size_;
  const MemMapping mapping_;
  // Fallback if memory cannot be mapped.
  std::unique_ptr<std::atomic<T>[]> heap_;
  std::atomic<T>* elements_;
};

}  // namespace ROCKSDB_NAMESPACE
