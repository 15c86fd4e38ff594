//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "plugin/hotrap/ralt/access/lazy_zeroed_array.h"
#include "util/math.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Remembers which keys were accessed, and which twice, since the flush before
// the last one, because the runs' filters do not know accesses that are not
// flushed yet. Keys that share a slot displace each other, and one in 65,536
// keys of a slot is mistaken for another. Thread safety: BeginPeriod() may be
// called by one thread at a time, the other methods by any.
//
// The table grows with the number of keys, so that a column family that is
// rarely read uses only a few pages.
class RecentKeys {
 public:
  // The number of slots, of 4 bytes each, is a power of two, at most `slots`
  // and at least one.
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
    // Do not store needlessly: hot keys would keep the cache line moving
    // between cores.
    if (entry != known) {
      slot.store(entry, std::memory_order_relaxed);
    }
    if (!recent && mask < slots_.size() - 1 && IsSampled(key_hash)) {
      NoteNewKeys(mask);
    }
  }

  bool Accessed(uint64_t key_hash) const {
    return IsRecent(SlotOf(key_hash), key_hash,
                    period_.load(std::memory_order_relaxed));
  }
  bool AccessedTwice(uint64_t key_hash) const {
    return (SlotOf(key_hash) & kTwice) != 0 && Accessed(key_hash);
  }

  // Called before the buffers are flushed. Keys accessed since the previous
  // call are remembered until the next call.
  void BeginPeriod() {
    period_.store((period_.load(std::memory_order_relaxed) + 1) & kPeriodMask,
                  std::memory_order_relaxed);
    sampled_keys_.store(0, std::memory_order_relaxed);
  }

  // Forgets all keys and frees the memory.
  void Clear() {
    mask_.store(LeastMask(), std::memory_order_release);
    slots_.Clear();
  }

 private:
  // A slot has 15 bits of the period, kTwice, and 16 bits of the hash.
  static constexpr uint32_t kTwice = 1u << 16;
  static constexpr int kPeriodShift = 17;
  static constexpr uint32_t kPeriodMask = (1u << (32 - kPeriodShift)) - 1;
  // The initial number of slots, or all if fewer: 16 KiB.
  static constexpr uint64_t kLeastSlots = 4 << 10;
  // One in kKeysASample new keys is counted. The table doubles when a period
  // has brought more than one new key per kSlotsAKey slots.
  static constexpr uint64_t kKeysASample = 64;
  static constexpr uint64_t kSlotsAKey = 8;

  uint32_t SlotOf(uint64_t key_hash) const {
    return slots_[key_hash & mask_.load(std::memory_order_acquire)].load(
        std::memory_order_relaxed);
  }

  uint64_t LeastMask() const {
    return std::min<uint64_t>(slots_.size(), kLeastSlots) - 1;
  }

  // Uses bits that do not choose the slot.
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
    // From now on a key is looked for in either half, so copy the lower half.
    // Concurrent updates may be lost, which is harmless.
    for (uint64_t i = 0; i <= mask; ++i) {
      slots_[mask + 1 + i].store(slots_[i].load(std::memory_order_relaxed),
                                 std::memory_order_relaxed);
    }
    uint64_t expected = mask;
    mask_.compare_exchange_strong(expected, 2 * mask + 1,
                                  std::memory_order_release);
  }

  // Uses bits that do not choose the slot.
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
