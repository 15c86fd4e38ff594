//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The bytes that a crossing may still keep on the fast tier: a part of its fast
// input for what is hot, and as far as the disk has room for what is pinned.
// Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class RetentionBudget {
 public:
  // `room_bytes` for all, of which what is hot may take `hot_bytes`.
  void Set(uint64_t hot_bytes, uint64_t room_bytes) {
    hot_bytes_.store(static_cast<int64_t>(hot_bytes));
    room_bytes_.store(static_cast<int64_t>(room_bytes));
  }

  // Take `bytes` if as many are left, else nothing. Return whether they were.
  bool TakeHot(uint64_t bytes) {
    if (!TakeFrom(&hot_bytes_, bytes)) {
      return false;
    }
    if (TakeFrom(&room_bytes_, bytes)) {
      return true;
    }
    hot_bytes_.fetch_add(static_cast<int64_t>(bytes),
                         std::memory_order_relaxed);
    return false;
  }
  bool TakePinned(uint64_t bytes) { return TakeFrom(&room_bytes_, bytes); }

 private:
  static bool TakeFrom(std::atomic<int64_t>* left, uint64_t bytes) {
    const int64_t cost = static_cast<int64_t>(bytes);
    if (left->fetch_sub(cost, std::memory_order_relaxed) >= cost) {
      return true;
    }
    left->fetch_add(cost, std::memory_order_relaxed);
    return false;
  }

  std::atomic<int64_t> hot_bytes_{0};
  std::atomic<int64_t> room_bytes_{0};
};

}  // namespace ROCKSDB_NAMESPACE
