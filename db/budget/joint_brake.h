//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What the brakes of a DB's fast paths ask for together. RocksDB delays all
// writes of a DB, by one rate, which it also changes itself: so the smallest
// rate counts, and what RocksDB would have without any brake is kept once.
//
// Thread safety: none.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "plugin/hotrap/db/budget/write_brake.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class JointBrake {
 public:
  struct Wish {
    WriteBrake::State state = WriteBrake::State::kFree;
    uint64_t bytes_per_sec = 0;  // if delayed
    // All compaction threads may work.
    bool hastens = false;

    bool any() const { return state != WriteBrake::State::kFree || hastens; }
  };

  // Comes before any change: the rate in force, and whether RocksDB delays
  // writes for reasons of its own. Without such a delay, it raises the rate of
  // a brake with each version.
  void Observe(uint64_t rate, bool rocksdb_delays) {
    if (!brakes() || (rocksdb_delays && rate != set_rate_)) {
      rocksdb_rate_ = rate;
    }
  }
  // A path's brake asks for this from now on. `who` is only compared.
  void Set(const void* who, const Wish& wish) {
    if (wish.any()) {
      wishes_[who] = wish;
    } else {
      wishes_.erase(who);
    }
  }
  bool Has(const void* who) const { return wishes_.count(who) > 0; }

  bool delays() const { return Any(WriteBrake::State::kDelayed); }
  bool stops() const { return Any(WriteBrake::State::kStopped); }
  bool brakes() const { return delays() || stops(); }
  bool hastens() const {
    return std::any_of(wishes_.begin(), wishes_.end(),
                       [](const auto& entry) { return entry.second.hastens; });
  }

  // The rate to set.
  uint64_t Rate(bool rocksdb_delays) const {
    if (!delays()) {
      return rocksdb_rate_;
    }
    uint64_t rate =
        rocksdb_delays ? rocksdb_rate_ : std::numeric_limits<uint64_t>::max();
    for (const auto& [who, wish] : wishes_) {
      if (wish.state == WriteBrake::State::kDelayed) {
        rate = std::min(rate, wish.bytes_per_sec);
      }
    }
    return rate;
  }
  // It was set, to this.
  void NoteSet(uint64_t rate) { set_rate_ = rate; }
  uint64_t set_rate() const { return set_rate_; }

 private:
  bool Any(WriteBrake::State state) const {
    return std::any_of(wishes_.begin(), wishes_.end(), [&](const auto& entry) {
      return entry.second.state == state;
    });
  }

  std::map<const void*, Wish> wishes_;
  uint64_t set_rate_ = 0;
  uint64_t rocksdb_rate_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
