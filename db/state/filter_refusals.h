//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Remembers for a while which records a promotion has left out because the
// compaction filter would not keep them. A record that has expired may stay hot
// until a compaction removes it. Without this memory each read would put it
// into the promotion cache again, for the next promotion to ask in vain.
//
// Fixed in size: records that share a slot displace each other, and one record
// in some four billion is mistaken for another. All of them are forgotten at
// the latest after kForgetMicros, as a filter may change its mind.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "db/dbformat.h"
#include "port/port.h"
#include "rocksdb/slice.h"
#include "rocksdb/system_clock.h"
#include "util/hash.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

class FilterRefusals {
 public:
  static constexpr uint64_t kForgetMicros = 60ull * 1000 * 1000;

  // `clock` must outlive this object.
  explicit FilterRefusals(SystemClock* clock) : clock_(clock) {}
  ~FilterRefusals() { delete[] slots_.load(std::memory_order_relaxed); }
  FilterRefusals(const FilterRefusals&) = delete;
  FilterRefusals& operator=(const FilterRefusals&) = delete;

  // Notes a record, with its sequence number on the slow tier.
  void Add(const Slice& user_key, SequenceNumber seq) {
    MutexLock lock(&mutex_);
    Slot* slots = slots_.load(std::memory_order_relaxed);
    if (slots == nullptr) {
      slots = new Slot[kSlots]();
      slots_.store(slots, std::memory_order_release);
    }
    const uint64_t now = clock_->NowMicros();
    if (now - since_micros_.load(std::memory_order_relaxed) > kForgetMicros) {
      for (size_t i = 0; i < kSlots; i++) {
        slots[i].store(0, std::memory_order_relaxed);
      }
      since_micros_.store(now, std::memory_order_relaxed);
    }
    const uint64_t hash = Hash(user_key, seq);
    slots[hash % kSlots].store(Fingerprint(hash), std::memory_order_relaxed);
  }

  // Returns whether it was noted, and is not forgotten. One load while nothing
  // was ever noted.
  bool Contains(const Slice& user_key, SequenceNumber seq) const {
    const Slot* const slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) {
      return false;
    }
    const uint64_t hash = Hash(user_key, seq);
    return slots[hash % kSlots].load(std::memory_order_relaxed) ==
               Fingerprint(hash) &&
           clock_->NowMicros() -
                   since_micros_.load(std::memory_order_relaxed) <=
               kForgetMicros;
  }

 private:
  using Slot = std::atomic<uint32_t>;
  // 256 KiB, used from the first record on.
  static constexpr size_t kSlots = 64 << 10;

  static uint64_t Hash(const Slice& user_key, SequenceNumber seq) {
    return NPHash64(user_key.data(), user_key.size(), seq);
  }
  // Uses bits that do not choose the slot. An empty slot has 0.
  static uint32_t Fingerprint(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32) | 1;
  }

  SystemClock* const clock_;
  port::Mutex mutex_;  // for Add()
  std::atomic<Slot*> slots_{nullptr};
  std::atomic<uint64_t> since_micros_{0};
};

}  // namespace ROCKSDB_NAMESPACE
