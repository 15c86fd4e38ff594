//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Models of caches with a fixed number of records, which hold keys only. Not
// thread-safe.

#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE::ralt_bench {

// Holds the `capacity` most recently accessed records.
class Lru {
 public:
  explicit Lru(uint64_t capacity) : capacity_(capacity) {}

  bool Access(uint64_t key) {
    const auto found = position_.find(key);
    if (found != position_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    order_.push_front(key);
    position_[key] = order_.begin();
    if (order_.size() > capacity_) {
      position_.erase(order_.back());
      order_.pop_back();
    }
    return false;
  }

 private:
  const uint64_t capacity_;
  std::list<uint64_t> order_;
  std::unordered_map<uint64_t, std::list<uint64_t>::iterator> position_;
};

// Multi-bit CLOCK: a hand moves round and lowers counters until it finds a 0.
class Clock {
 public:
  explicit Clock(uint64_t capacity) : capacity_(capacity) {}

  bool Access(uint64_t key) {
    const auto found = slot_of_.find(key);
    if (found != slot_of_.end()) {
      uint32_t& counter = slots_[found->second].counter;
      counter = std::min(counter + 1, kMaxCounter);
      return true;
    }
    if (slots_.size() < capacity_) {
      slot_of_[key] = slots_.size();
      slots_.push_back({key, 0});
      return false;
    }
    while (slots_[hand_].counter > 0) {
      --slots_[hand_].counter;
      hand_ = (hand_ + 1) % slots_.size();
    }
    slot_of_.erase(slots_[hand_].key);
    slots_[hand_] = {key, 0};
    slot_of_[key] = hand_;
    hand_ = (hand_ + 1) % slots_.size();
    return false;
  }

 private:
  static constexpr uint32_t kMaxCounter = 3;
  struct Slot {
    uint64_t key;
    uint32_t counter;
  };

  const uint64_t capacity_;
  std::vector<Slot> slots_;
  std::unordered_map<uint64_t, uint64_t> slot_of_;
  uint64_t hand_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt_bench
