//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The bytes that a crossing may still keep on the fast tier. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class RetentionBudget {
 public:
  void Set(uint64_t bytes) { bytes_.store(static_cast<int64_t>(bytes)); }

  // Takes `bytes` if as many are left, else nothing. Returns whether they were.
  bool Take(uint64_t bytes) {
    const int64_t cost = static_cast<int64_t>(bytes);
    if (bytes_.fetch_sub(cost, std::memory_order_relaxed) >= cost) {
      return true;
    }
    bytes_.fetch_add(cost, std::memory_order_relaxed);
    return false;
  }

 private:
  std::atomic<int64_t> bytes_{0};
};

}  // namespace ROCKSDB_NAMESPACE
