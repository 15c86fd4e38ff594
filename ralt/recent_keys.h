//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "util/math.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Which keys were accessed twice since the flush before the last one: what is
// not flushed yet the runs' filters don't know. Keys that fall on the same slot
// make it forget, and of 65,536 keys on a slot one is taken for another.
// Thread safety: BeginPeriod() is for one thread at a time, the others for any.
class RecentKeys {
 public:
  // A power of two of slots, 4 bytes each: at most `slots`, at least one.
  explicit RecentKeys(uint64_t slots)
      : slots_(size_t{1} << FloorLog2(std::max<uint64_t>(1, slots))) {}

  void Add(uint64_t key_hash) {
    std::atomic<uint32_t>& slot = SlotOf(key_hash);
    const uint32_t period = period_.load(std::memory_order_relaxed);
    const uint32_t known = slot.load(std::memory_order_relaxed);
    const uint32_t entry = period << kPeriodShift | Fingerprint(key_hash) |
                           (IsRecent(known, key_hash, period) ? kTwice : 0);
    // Hot keys would keep the slot's cache line moving between the cores.
    if (entry != known) {
      slot.store(entry, std::memory_order_relaxed);
    }
  }

  bool AccessedTwice(uint64_t key_hash) const {
    const uint32_t known = SlotOf(key_hash).load(std::memory_order_relaxed);
    return (known & kTwice) != 0 &&
           IsRecent(known, key_hash, period_.load(std::memory_order_relaxed));
  }

  // The buffers are about to be flushed. What was accessed since the call
  // before this one is remembered until the next one.
  void BeginPeriod() {
    period_.store((period_.load(std::memory_order_relaxed) + 1) & kPeriodMask,
                  std::memory_order_relaxed);
  }

 private:
  // A slot: 15 bits of period, kTwice, 16 bits of the hash.
  static constexpr uint32_t kTwice = 1u << 16;
  static constexpr int kPeriodShift = 17;
  static constexpr uint32_t kPeriodMask = (1u << (32 - kPeriodShift)) - 1;

  // Of the bits that do not choose the slot.
  static uint32_t Fingerprint(uint64_t key_hash) {
    return static_cast<uint32_t>(key_hash >> 48);
  }

  static bool IsRecent(uint32_t entry, uint64_t key_hash, uint32_t period) {
    return (entry & (kTwice - 1)) == Fingerprint(key_hash) &&
           ((period - (entry >> kPeriodShift)) & kPeriodMask) <= 1;
  }

  std::atomic<uint32_t>& SlotOf(uint64_t key_hash) {
    return slots_[key_hash & (slots_.size() - 1)];
  }
  const std::atomic<uint32_t>& SlotOf(uint64_t key_hash) const {
    return slots_[key_hash & (slots_.size() - 1)];
  }

  std::vector<std::atomic<uint32_t>> slots_;
  // Empty slots, of period 0, are not recent.
  std::atomic<uint32_t> period_{2};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
