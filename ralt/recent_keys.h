//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "plugin/hotrap/ralt/lazy_zeroed_array.h"
#include "util/math.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Which keys were accessed twice since the flush before the last one: what is
// not flushed yet the runs' filters don't know. Keys that fall on the same slot
// make it forget, and of 65,536 keys on a slot one is taken for another.
// Thread safety: BeginPeriod() is for one thread at a time, the others for any.
//
// The table grows with the keys that it is given: what is hardly read shall not
// take more than a few pages.
class RecentKeys {
 public:
  // A power of two of slots, 4 bytes each: at most `slots`, at least one.
  explicit RecentKeys(uint64_t slots)
      : slots_(size_t{1} << FloorLog2(std::max<uint64_t>(1, slots))),
        mask_(LeastMask()) {}

  void Add(uint64_t key_hash) {
    const uint64_t mask = mask_.load(std::memory_order_acquire);
    std::atomic<uint32_t>& slot = slots_[key_hash & mask];
    const uint32_t period = period_.load(std::memory_order_relaxed);
    const uint32_t known = slot.load(std::memory_order_relaxed);
    const bool recent = IsRecent(known, key_hash, period);
    const uint32_t entry =
        period << kPeriodShift | Fingerprint(key_hash) | (recent ? kTwice : 0);
    // Hot keys would keep the slot's cache line moving between the cores.
    if (entry != known) {
      slot.store(entry, std::memory_order_relaxed);
    }
    if (!recent && mask < slots_.size() - 1 && IsSampled(key_hash)) {
      NoteNewKeys(mask);
    }
  }

  bool AccessedTwice(uint64_t key_hash) const {
    const uint32_t known =
        slots_[key_hash & mask_.load(std::memory_order_acquire)].load(
            std::memory_order_relaxed);
    return (known & kTwice) != 0 &&
           IsRecent(known, key_hash, period_.load(std::memory_order_relaxed));
  }

  // The buffers are about to be flushed. What was accessed since the call
  // before this one is remembered until the next one.
  void BeginPeriod() {
    period_.store((period_.load(std::memory_order_relaxed) + 1) & kPeriodMask,
                  std::memory_order_relaxed);
    sampled_keys_.store(0, std::memory_order_relaxed);
  }

  // Forgets all, and gives the memory back.
  void Clear() {
    mask_.store(LeastMask(), std::memory_order_release);
    slots_.Clear();
  }

 private:
  // A slot: 15 bits of period, kTwice, 16 bits of the hash.
  static constexpr uint32_t kTwice = 1u << 16;
  static constexpr int kPeriodShift = 17;
  static constexpr uint32_t kPeriodMask = (1u << (32 - kPeriodShift)) - 1;
  // At first, or all: 16 KiB.
  static constexpr uint64_t kLeastSlots = 4 << 10;
  // One in so many new keys is counted; the table doubles when a period has
  // brought one for so many slots.
  static constexpr uint64_t kKeysASample = 64;
  static constexpr uint64_t kSlotsAKey = 8;

  uint64_t LeastMask() const {
    return std::min<uint64_t>(slots_.size(), kLeastSlots) - 1;
  }

  // Of bits that choose no slot.
  static bool IsSampled(uint64_t key_hash) {
    return (key_hash >> 40) % kKeysASample == 0;
  }

  void NoteNewKeys(uint64_t mask) {
    const uint64_t keys =
        (sampled_keys_.fetch_add(1, std::memory_order_relaxed) + 1) *
        kKeysASample;
    if (keys * kSlotsAKey <= mask) {
      return;
    }
    // A key is looked for in the lower or the upper half from now on. Whoever
    // races with that loses a few.
    for (uint64_t i = 0; i <= mask; ++i) {
      slots_[mask + 1 + i].store(slots_[i].load(std::memory_order_relaxed),
                                 std::memory_order_relaxed);
    }
    uint64_t expected = mask;
    mask_.compare_exchange_strong(expected, 2 * mask + 1,
                                  std::memory_order_release);
  }

  // Of the bits that do not choose the slot.
  static uint32_t Fingerprint(uint64_t key_hash) {
    return static_cast<uint32_t>(key_hash >> 48);
  }

  static bool IsRecent(uint32_t entry, uint64_t key_hash, uint32_t period) {
    return (entry & (kTwice - 1)) == Fingerprint(key_hash) &&
           ((period - (entry >> kPeriodShift)) & kPeriodMask) <= 1;
  }

  LazyZeroedArray<uint32_t> slots_;
  std::atomic<uint64_t> mask_;
  std::atomic<uint64_t> sampled_keys_{0};
  // Empty slots, of period 0, are not recent.
  std::atomic<uint32_t> period_{2};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
