//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides, from numbers that it is given, how easily records get from the slow
// tier into the promotion cache and out of it to the fast tier.
//
// Records in memory. While a record stays in memory, a copy on the fast tier
// speeds up no read, and adds a file that reads must pass. So each hit of the
// slow tier with I/O earns the admission of one record that was found in
// memory, and at most kMaxIoCredit are saved up.
//
// Known keys. Much of what is admitted has keys that RALT knows only while a
// hot set is being learned. Then records should not need a third read to be
// promoted. If the share is small, reads are spread over all records, and
// promoting what is occasionally read twice is not worth it. Once the share is
// clearly larger than chance explains, RALT should remember more.
//
// Thread safety: any thread, except for NoteAdmissions().

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class AdmissionPolicy {
 public:
  static constexpr int kMaxIoCredit = 64;

  // Returns whether a record that was found in memory may be admitted.
  bool MayAdmitFromMemory() const {
    return io_credit_.load(std::memory_order_relaxed) > 0;
  }
  // Racing readers may overshoot either end a little, which is harmless.
  void OnAdmittedFromMemory() {
    io_credit_.fetch_sub(1, std::memory_order_relaxed);
  }
  void OnSlowTierIo() {
    if (io_credit_.load(std::memory_order_relaxed) < kMaxIoCredit) {
      io_credit_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  // Returns whether a cached record is worth promoting if one more access makes
  // it hot: RALT need not have flushed the last one.
  bool one_more_access_counts() const {
    return one_more_access_counts_.load(std::memory_order_relaxed);
  }
  // Until the next NoteAdmissions(), it is not.
  void Forget() {
    one_more_access_counts_.store(false, std::memory_order_relaxed);
  }

  // Counted since the start. Read them in this order, the opposite of that in
  // which they are counted.
  struct Admissions {
    uint64_t from_memory = 0;
    uint64_t all = 0;
    // Of those from disk, the ones with keys that RALT knew.
    uint64_t known = 0;
  };
  // What RALT has, in HotRAP bytes.
  struct Tracked {
    uint64_t tracked_bytes = 0;
    uint64_t hot_set_bytes = 0;
  };
  // Looks at the share of known keys among records admitted from disk since the
  // last call. `tracked` is empty while RALT is not open; `data_bytes` is the
  // size of all levels. Returns whether RALT should remember more; nothing if
  // there is nothing new. One thread at a time.
  std::optional<bool> NoteAdmissions(const Admissions& admissions,
                                     const std::optional<Tracked>& tracked,
                                     uint64_t data_bytes);

 private:
  std::atomic<int> io_credit_{0};
  std::atomic<bool> one_more_access_counts_{false};

  // Used in NoteAdmissions() only.
  uint64_t admissions_noted_ = 0;
  uint64_t known_noted_ = 0;
  double recent_known_share_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
