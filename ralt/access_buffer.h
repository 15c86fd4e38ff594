//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Takes the accesses of all threads and hands them on in bulk, unsorted
// (paper section 3.2).
//
// Thread safety: Record() is safe for concurrent use and never waits: it
// looks for a stripe that nobody holds, its own core's first, and drops the
// access when there is none. Seal() is safe beside Record(), but one at a
// time.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "plugin/hotrap/ralt/access_clock.h"
#include "rocksdb/slice.h"
#include "util/core_local.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

// A piece of memory with the accesses of one stripe, in order of time.
struct AccessChunk {
  std::unique_ptr<char[]> data;
  size_t capacity = 0;
  size_t used = 0;
  uint64_t accesses = 0;
  // Sums of weights, of all and of those on the slow tier.
  uint64_t weight = 0;
  uint64_t slow_weight = 0;
  // Ticks of the accesses are stored relative to it.
  uint64_t base_tick = 0;
};

// What a buffer held when it was sealed. The owner of the buffer gets the
// memory's accounting back through AccessBuffer::Release().
struct SealedAccesses {
  std::vector<AccessChunk> chunks;
  uint64_t accesses = 0;
  uint64_t weight = 0;
  uint64_t slow_weight = 0;
  uint64_t memory_bytes = 0;
};

class AccessBuffer {
 public:
  // `clock` outlives the buffer. See RaltOptions for the three sizes.
  AccessBuffer(AccessClock* clock, uint64_t capacity_bytes, uint64_t seal_bytes,
               uint64_t seal_accessed_bytes);

  AccessBuffer(const AccessBuffer&) = delete;
  AccessBuffer& operator=(const AccessBuffer&) = delete;

  // True when the buffer has become ready to be sealed: said to one caller
  // once between two seals.
  bool Record(const Slice& user_key, uint64_t value_bytes, uint32_t weight,
              bool fast);

  // Takes everything recorded so far out of the buffer.
  SealedAccesses Seal();

  // Gives back the memory of sealed accesses.
  void Release(SealedAccesses&& sealed);

  // Until it is lifted every access is dropped and counted.
  void SetPaused(bool paused) {
    paused_.store(paused, std::memory_order_relaxed);
  }

  bool empty() const;
  bool ready_to_seal() const { return ready_.load(std::memory_order_relaxed); }
  uint64_t memory_bytes() const {
    return memory_bytes_.load(std::memory_order_relaxed);
  }
  // Of both, those that were not counted because no stripe was free are
  // missing from the first only.
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

  // A stripe with its mutex held, or nullptr.
  Stripe* LockAnyStripe();
  // Room for one more access, or nullptr. *needs_memory: whether it takes, or
  // would take, another chunk. REQUIRES: stripe->mutex held.
  AccessChunk* ChunkWithRoom(Stripe* stripe, size_t bytes, uint64_t tick,
                             bool* needs_memory);
  bool BecomesReady();

  AccessClock* const clock_;
  const uint64_t capacity_bytes_;
  const uint64_t seal_bytes_;
  const uint64_t seal_accessed_bytes_;
  const size_t chunk_bytes_;

  CoreLocalArray<Stripe> stripes_;
  // Chunks in the stripes, and sealed ones that were not released yet.
  std::atomic<uint64_t> memory_bytes_{0};
  // Since the last seal.
  std::atomic<uint64_t> unsealed_memory_bytes_{0};
  std::atomic<uint64_t> unsealed_accessed_bytes_{0};
  std::atomic<bool> ready_{false};
  std::atomic<bool> paused_{false};
  std::atomic<uint64_t> dropped_without_stripe_{0};
};

}  // namespace ROCKSDB_NAMESPACE::ralt
