//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The model of TiKV's data: which versions each key has. It is in files that
// outlive the process. Plain data, protected by the region's lock.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "plugin/hotrap/tools/engines/mapped_array.h"
#include "plugin/hotrap/tools/engines/tikv_codec.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

constexpr int kMaxRegions = 64;
constexpr uint32_t kVersionsOfKey = 16;
constexpr int kMaxKeysOfTransaction = 4;

struct KeyModel {
  struct Version {
    uint64_t start_ts;
    uint64_t commit_ts;
    // A WriteType: put or delete.
    uint64_t type;
  };

  // The transaction that has a lock on the key, or 0.
  uint64_t locked_by;
  // Versions ever committed; the last few are at their remainders.
  std::atomic<uint64_t> count;
  Version versions[kVersionsOfKey];

  // The newest version that a read at `ts` sees, or nullptr.
  const Version* At(uint64_t ts) const;
  // Whether one more version can be noted, so that all that a read at
  // `safe_point` or above can see are still known.
  bool HasRoom(uint64_t safe_point) const;
  void Add(uint64_t start_ts, uint64_t commit_ts, WriteType type);
  void Clear();
};

struct RegionModel {
  enum Phase : uint32_t { kStable, kCommitting, kMoving };

  // Whether the region is on this store.
  std::atomic<uint32_t> present;
  std::atomic<uint32_t> phase;
  // Indexes of the region's raft log.
  uint64_t first_index;
  uint64_t last_index;
  // The commit that is under way.
  uint64_t start_ts;
  uint64_t commit_ts;
  uint64_t keys;
  struct Change {
    uint64_t key;
    uint64_t type;
  } changes[kMaxKeysOfTransaction];
};

struct RawModel {
  // As in MyRocks' model: acknowledged and pending version.
  std::atomic<uint64_t> acked;
  std::atomic<uint64_t> pending;
  std::atomic<uint64_t> expire_secs;
};

struct TikvClock {
  // PD's: timestamps are given out once.
  std::atomic<uint64_t> next_ts;
  std::atomic<uint64_t> safe_point;
};

struct TikvModel {
  TikvModel(const std::string& folder, uint64_t key_count, uint64_t raw_count)
      : keys(folder + "/keys", key_count),
        raws(folder + "/raws", raw_count),
        regions(folder + "/regions", kMaxRegions),
        clock(folder + "/clock", 1) {}

  uint64_t NextTs() { return clock[0].next_ts.fetch_add(1) + 1; }

  MappedArray<KeyModel> keys;
  MappedArray<RawModel> raws;
  MappedArray<RegionModel> regions;
  MappedArray<TikvClock> clock;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
