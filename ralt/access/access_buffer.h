//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Collects the accesses of all threads and passes them on in bulk, unsorted
// (paper section 3.2).
//
// Thread safety: Record() may be called concurrently and never waits: it tries
// the stripes, its own core's first, and drops the access if all are locked.
// Seal() may run concurrently with Record(), but not with itself.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "plugin/hotrap/ralt/access/access_clock.h"
#include "rocksdb/slice.h"
#include "util/core_local.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

// A block of memory with accesses of one stripe, in time order.
struct AccessChunk {
  std::unique_ptr<char[]> data;
  size_t capacity = 0;
  size_t used = 0;
  uint64_t accesses = 0;
  // Sums of weights: of all accesses, and of those on the slow tier.
  uint64_t weight = 0;
  uint64_t slow_weight = 0;
  // The accesses' ticks are stored relative to this one.
  uint64_t base_tick = 0;
};

// The contents of a buffer when it was sealed. Its memory counts as the
// buffer's until AccessBuffer::Release().
struct SealedAccesses {
  std::vector<AccessChunk> chunks;
  uint64_t accesses = 0;
  uint64_t weight = 0;
  uint64_t slow_weight = 0;
  uint64_t memory_bytes = 0;
};

class AccessBuffer {
 public:
  // `clock` must outlive the buffer. See RaltOptions for the three sizes.
  AccessBuffer(AccessClock* clock, uint64_t capacity_bytes, uint64_t seal_bytes,
               uint64_t seal_accessed_bytes);

  AccessBuffer(const AccessBuffer&) = delete;
  AccessBuffer& operator=(const AccessBuffer&) = delete;

  // Changes the sizes. Any thread.
  void SetSizes(uint64_t capacity_bytes, uint64_t seal_bytes,
                uint64_t seal_accessed_bytes) {
    capacity_bytes_.store(capacity_bytes, std::memory_order_relaxed);
    seal_bytes_.store(seal_bytes, std::memory_order_relaxed);
    seal_accessed_bytes_.store(seal_accessed_bytes, std::memory_order_relaxed);
  }

  // Records an access. Returns true if the buffer became ready to be sealed;
  // exactly one caller between two seals gets true.
  bool Record(const Slice& user_key, uint64_t value_bytes, uint32_t weight,
              bool fast);

  // Removes everything recorded so far from the buffer and returns it.
  SealedAccesses Seal();

  // Releases the memory of sealed accesses.
  void Release(SealedAccesses&& sealed);

  // While paused, every access is dropped and counted.
  void SetPaused(bool paused) {
    paused_.store(paused, std::memory_order_relaxed);
  }

  bool empty() const;
  bool ready_to_seal() const { return ready_.load(std::memory_order_relaxed); }
  uint64_t memory_bytes() const {
    return memory_bytes_.load(std::memory_order_relaxed);
  }
  // The numbers of accesses recorded and dropped since construction.
  uint64_t recorded() const;
  uint64_t dropped() const;

 private:
  struct ALIGN_AS(CACHE_LINE_SIZE) Stripe {
    SpinMutex mutex;
    // Protected by mutex.
    std::vector<AccessChunk> chunks;
    uint64_t pending_clock_bytes = 0;
    uint64_t pending_seal_bytes = 0;
    // Written under mutex, read without.
    std::atomic<uint64_t> recorded{0};
    std::atomic<uint64_t> dropped{0};
  };

  // Returns a stripe with its mutex held, or nullptr if all are locked.
  Stripe* LockAnyStripe();
  // Returns a chunk with room for one more access, or nullptr if that would
  // exceed the capacity. Sets *needs_memory to whether another chunk is needed.
  // REQUIRES: stripe->mutex held.
  AccessChunk* ChunkWithRoom(Stripe* stripe, size_t bytes, uint64_t tick,
                             bool* needs_memory);
  bool BecomesReady();

  AccessClock* const clock_;
  std::atomic<uint64_t> capacity_bytes_;
  std::atomic<uint64_t> seal_bytes_;
  std::atomic<uint64_t> seal_accessed_bytes_;
  const size_t chunk_bytes_;

  CoreLocalArray<Stripe> stripes_;
  // Bytes of chunks in the stripes, and of sealed chunks not released yet.
  std::atomic<uint64_t> memory_bytes_{0};
  // Since the last seal.
  std::atomic<uint64_t> unsealed_memory_bytes_{0};
  std::atomic<uint64_t> unsealed_accessed_bytes_{0};
  std::atomic<bool> ready_{false};
  std::atomic<bool> paused_{false};
  std::atomic<uint64_t> dropped_without_stripe_{0};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
