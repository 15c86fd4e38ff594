//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/access/access_buffer.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "plugin/hotrap/ralt/access/assert_held.h"
#include "util/coding.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
constexpr size_t kMinChunkBytes = 1 << 10;
constexpr size_t kMaxChunkBytes = 64 << 10;
// Chunks per seal: the granularity at which the use of memory is noticed.
constexpr uint64_t kChunksPerSeal = 32;
// Key length and weight are varint32, value length and tick varint64.
constexpr size_t kMaxHeaderBytes = 5 + 5 + 10 + 10;
// How often per slice a stripe passes its accesses on to the clock.
constexpr uint64_t kClockStepsPerSlice = 16;
}  // namespace

AccessBuffer::AccessBuffer(AccessClock* clock, uint64_t capacity_bytes,
                           uint64_t seal_bytes, uint64_t seal_accessed_bytes)
    : clock_(clock),
      capacity_bytes_(capacity_bytes),
      seal_bytes_(seal_bytes),
      seal_accessed_bytes_(seal_accessed_bytes),
      chunk_bytes_(std::clamp<uint64_t>(seal_bytes / kChunksPerSeal,
                                        kMinChunkBytes, kMaxChunkBytes)) {}

bool AccessBuffer::Record(const Slice& user_key, uint64_t value_bytes,
                          uint32_t weight, bool fast) {
  Stripe* const stripe = LockAnyStripe();
  if (stripe == nullptr) {
    dropped_without_stripe_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  std::lock_guard<SpinMutex> lock(stripe->mutex, std::adopt_lock);

  const uint64_t hotrap_bytes = user_key.size() + value_bytes;
  const uint64_t tick = clock_->tick();
  bool needs_memory = false;
  AccessChunk* const chunk =
      paused_.load(std::memory_order_relaxed)
          ? nullptr
          : ChunkWithRoom(stripe, kMaxHeaderBytes + user_key.size(), tick,
                          &needs_memory);
  if (chunk == nullptr) {
    stripe->dropped.store(stripe->dropped.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
  } else {
    char* const start = chunk->data.get() + chunk->used;
    char* p = EncodeVarint32(start, static_cast<uint32_t>(user_key.size()));
    p = EncodeVarint32(p, weight);
    p = EncodeVarint64(p, value_bytes);
    p = EncodeVarint64(p, tick - chunk->base_tick);
    memcpy(p, user_key.data(), user_key.size());
    p += user_key.size();
    chunk->used += static_cast<size_t>(p - start);
    ++chunk->accesses;
    chunk->weight += weight;
    chunk->slow_weight += fast ? 0 : weight;
    stripe->recorded.store(stripe->recorded.load(std::memory_order_relaxed) + 1,
                           std::memory_order_relaxed);
    if (weight == 1) {
      stripe->pending_seal_bytes += hotrap_bytes;
    }  // Otherwise it is a sample of accesses without I/O: not urgent.
  }

  // Dropped accesses still advance time: a hot set must not look fresher
  // because accesses were lost.
  stripe->pending_clock_bytes += hotrap_bytes * weight;
  if (stripe->pending_clock_bytes * kClockStepsPerSlice <
      clock_->slice_bytes()) {
    // If slices are large, memory fills up first.
    return needs_memory && BecomesReady();
  }
  clock_->Advance(stripe->pending_clock_bytes);
  unsealed_accessed_bytes_.fetch_add(stripe->pending_seal_bytes,
                                     std::memory_order_relaxed);
  stripe->pending_clock_bytes = 0;
  stripe->pending_seal_bytes = 0;
  return BecomesReady();
}

AccessBuffer::Stripe* AccessBuffer::LockAnyStripe() {
  const auto [own, own_index] = stripes_.AccessElementAndIndex();
  if (own->mutex.try_lock()) {
    return own;
  }
  const size_t count = stripes_.Size();
  for (size_t i = 1; i < count; ++i) {
    Stripe* const other = stripes_.AccessAtCore((own_index + i) & (count - 1));
    if (other->mutex.try_lock()) {
      return other;
    }
  }
  return nullptr;
}

AccessChunk* AccessBuffer::ChunkWithRoom(Stripe* stripe, size_t bytes,
                                         uint64_t tick, bool* needs_memory) {
  if (!stripe->chunks.empty()) {
    AccessChunk* const last = &stripe->chunks.back();
    // After a seal in between, this thread's view of the clock may be behind
    // the chunk's base tick, but differences must be >= 0.
    if (last->capacity - last->used >= bytes && tick >= last->base_tick) {
      return last;
    }
  }
  *needs_memory = true;
  // Start small: a store that is rarely read keeps the chunk for long.
  const size_t wanted = stripe->chunks.empty()
                            ? kMinChunkBytes
                            : 2 * stripe->chunks.back().capacity;
  const size_t capacity = std::max(std::min(wanted, chunk_bytes_), bytes);
  if (memory_bytes_.fetch_add(capacity, std::memory_order_relaxed) + capacity >
      capacity_bytes_.load(std::memory_order_relaxed)) {
    memory_bytes_.fetch_sub(capacity, std::memory_order_relaxed);
    return nullptr;
  }
  unsealed_memory_bytes_.fetch_add(capacity, std::memory_order_relaxed);
  AccessChunk chunk;
  chunk.data.reset(new char[capacity]);
  chunk.capacity = capacity;
  chunk.base_tick = tick;
  stripe->chunks.push_back(std::move(chunk));
  return &stripe->chunks.back();
}

bool AccessBuffer::BecomesReady() {
  const bool full = unsealed_memory_bytes_.load(std::memory_order_relaxed) >=
                        seal_bytes_.load(std::memory_order_relaxed) ||
                    unsealed_accessed_bytes_.load(std::memory_order_relaxed) >=
                        seal_accessed_bytes_.load(std::memory_order_relaxed);
  return full && !ready_.load(std::memory_order_relaxed) &&
         !ready_.exchange(true, std::memory_order_relaxed);
}

SealedAccesses AccessBuffer::Seal() {
  SealedAccesses sealed;
  for (size_t i = 0; i < stripes_.Size(); ++i) {
    Stripe* const stripe = stripes_.AccessAtCore(i);
    std::vector<AccessChunk> chunks;
    {
      std::lock_guard<SpinMutex> lock(stripe->mutex);
      chunks.swap(stripe->chunks);
      stripe->pending_seal_bytes = 0;
    }
    for (AccessChunk& chunk : chunks) {
      sealed.accesses += chunk.accesses;
      sealed.weight += chunk.weight;
      sealed.slow_weight += chunk.slow_weight;
      sealed.memory_bytes += chunk.capacity;
      sealed.chunks.push_back(std::move(chunk));
    }
  }
  unsealed_memory_bytes_.fetch_sub(sealed.memory_bytes,
                                   std::memory_order_relaxed);
  unsealed_accessed_bytes_.store(0, std::memory_order_relaxed);
  ready_.store(false, std::memory_order_relaxed);
  return sealed;
}

void AccessBuffer::Release(SealedAccesses&& sealed) {
  memory_bytes_.fetch_sub(sealed.memory_bytes, std::memory_order_relaxed);
  sealed = SealedAccesses();
}

bool AccessBuffer::empty() const {
  return unsealed_memory_bytes_.load(std::memory_order_relaxed) == 0;
}

uint64_t AccessBuffer::recorded() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < stripes_.Size(); ++i) {
    sum += stripes_.AccessAtCore(i)->recorded.load(std::memory_order_relaxed);
  }
  return sum;
}

uint64_t AccessBuffer::dropped() const {
  uint64_t sum = dropped_without_stripe_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < stripes_.Size(); ++i) {
    sum += stripes_.AccessAtCore(i)->dropped.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
