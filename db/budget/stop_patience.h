//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How long a full path may stop writes: as long as what it holds sinks, and
// some seconds beyond. A compaction that is to make room may itself wait for a
// write: of a listener on its thread, of a filter, of a file system. Nothing
// tells such a wait from a slow disk, so writes trickle then, until what the
// path holds has sunk further.
//
// Thread safety: none.

#pragma once

#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class StopPatience {
 public:
  static constexpr uint64_t kMicros = 5 * 1000 * 1000;

  // The path is full, and compactions are to make room. Returns whether writes
  // may be stopped until the next call.
  bool MayStop(uint64_t held_bytes, uint64_t now_micros) {
    if (!full_ || held_bytes < least_bytes_) {
      full_ = true;
      least_bytes_ = held_bytes;
      since_micros_ = now_micros;
    }
    return now_micros < since_micros_ + kMicros;
  }

  // The path is not full any more.
  void Reset() { full_ = false; }

 private:
  bool full_ = false;
  uint64_t least_bytes_ = 0;
  // When it came to that.
  uint64_t since_micros_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
