//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The runs that make up a Ralt at one point in time.
//
// Thread safety: a Version is constant once it is published. VersionHolder is
// thread-safe.
//
// Invariants:
// 1. Level 0 holds runs of sealed buffers, newest first; their ranges overlap.
// 2. Each deeper level is one sorted run: its slices are in key order and do
//    not overlap.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/run/run_file.h"
#include "util/core_local.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

// A run file from `begin` on. A merge works step by step and leaves the part of
// its inputs that it has not processed yet:
//
//     input     a b c d | e f g h        begin = e
//     output    A B C D
struct RunSlice {
  std::shared_ptr<RunFile> file;
  // Empty for the whole file.
  std::string begin;
};

struct Version {
  std::vector<std::vector<RunSlice>> levels;

  // Return whether, according to the filters, the key is hot, or is in the
  // version at all. `key_hash` is RunFilter::HashKey of the key.
  bool IsHot(const Slice& key, uint64_t key_hash, const KeyOrder& order) const;
  bool IsTracked(const Slice& key, uint64_t key_hash,
                 const KeyOrder& order) const;
  // `new_share` is the share of records above the deepest level whose keys are
  // not in it. *error receives the bytes by which the result may be wrong in
  // either direction.
  uint64_t HotBytes(const Slice& begin, const Slice& end, const KeyOrder& order,
                    double new_share, uint64_t* error) const;

  bool empty() const;
  // Returns the deepest non-empty level, or 0.
  size_t deepest_level() const;
  uint64_t LevelBytes(size_t level) const;
  uint64_t LevelRecords(size_t level) const;

  template <typename Function>
  void ForEachSlice(const Function& function) const {
    for (const auto& level : levels) {
      for (const RunSlice& slice : level) {
        function(slice);
      }
    }
  }

 private:
  // Returns whether test(filter) is true for any run that may have the key.
  template <typename Test>
  bool AnyFilter(const Slice& key, const KeyOrder& order,
                 const Test& test) const;
};

// Sums over a version's files. A key counts once per level, except in the
// estimates. For a file that a merge has partly consumed, only the remaining
// blocks count; but bytes of files and memory count in full.
struct VersionTotals {
  uint64_t runs = 0;
  uint64_t records = 0;
  uint64_t hot_records = 0;
  uint64_t hot_bytes = 0;
  uint64_t tracked_bytes = 0;
  uint64_t physical_bytes = 0;
  uint64_t filter_memory_bytes = 0;
  uint64_t index_memory_bytes = 0;

  // Estimates that count each key once.
  uint64_t distinct_hot_bytes = 0;
  uint64_t distinct_physical_bytes = 0;

  // See Version::HotBytes for `new_share`.
  VersionTotals(const Version& version, double new_share);
};

// Publishes the current version. Each core has its own reference, so that
// readers on different cores share no cache line. A spin lock is held only to
// copy a reference.
class VersionHolder {
 public:
  VersionHolder() { Set(std::make_shared<Version>()); }

  std::shared_ptr<const Version> Get() const {
    Slot* const slot = slots_.Access();
    std::lock_guard<SpinMutex> lock(slot->mutex);
    return slot->version;
  }

  // One caller at a time.
  void Set(std::shared_ptr<const Version> version);

 private:
  struct ALIGN_AS(CACHE_LINE_SIZE) Slot {
    SpinMutex mutex;
    // Protected by mutex.
    std::shared_ptr<const Version> version;
  };

  CoreLocalArray<Slot> slots_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
