//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Checks what reads return while other threads write.
//
// For each key, the verifier keeps the newest version whose write has started,
// the newest whose write has finished, and the newest that was a deletion.
// Versions count 1, 2, 3, ... per key. A read that starts after version f was
// finished, and ends after version s was started, may return any version in [f,
// s], and "not found" if f is 0 or a deletion is in [f, s].
//
// Thread safety: all methods may be called from any thread. Writers to one key
// take its lock (LockKey), so that versions grow in the order of the writes;
// readers take no lock.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

class Verifier {
 public:
  // Key ids are [0, capacity).
  explicit Verifier(uint64_t capacity);

  uint64_t capacity() const { return capacity_; }

  // Held from BeginWrite to FinishWrite.
  std::unique_lock<std::mutex> LockKey(uint64_t id);

  // Returns the version to write. REQUIRES: LockKey(id) is held.
  uint32_t BeginWrite(uint64_t id);
  // Like BeginWrite, for a deletion. REQUIRES: LockKey(id) is held.
  uint32_t BeginDelete(uint64_t id);
  // Called when the write of `version` has returned OK. REQUIRES: LockKey(id)
  // is held.
  void FinishWrite(uint64_t id, uint32_t version);

  // Adopts a value found in an existing DB. REQUIRES: no reader or writer runs.
  Status Adopt(uint64_t id, const Slice& value);

  // Returns the oldest version that a read starting now may return.
  uint32_t Floor(uint64_t id) const;
  // Returns whether a read that starts now must find the key.
  bool MustExist(uint64_t id) const;

  // Check the result of a read. `floor` is Floor(id) from before the read.
  Status CheckFound(uint64_t id, uint32_t floor, const Slice& value) const;
  Status CheckMissing(uint64_t id, uint32_t floor) const;

 private:
  struct KeyState {
    std::atomic<uint32_t> started{0};
    std::atomic<uint32_t> finished{0};
    std::atomic<uint32_t> deleted{0};
  };

  // Far more stripes than threads, so that writers to different keys rarely
  // collide.
  static constexpr size_t kStripes = 4096;

  // Constant after construction.
  const uint64_t capacity_;

  std::unique_ptr<KeyState[]> keys_;
  std::vector<std::mutex> stripes_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
