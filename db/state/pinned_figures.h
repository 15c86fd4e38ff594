//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// How much is pinned, and where it lies, as last measured; and whether pinned
// records have gone down since they were last brought up.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <set>

#include "plugin/hotrap/db/state/figures.h"
#include "port/port.h"
#include "rocksdb/rocksdb_namespace.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

class PinnedFigures {
 public:
  // In bytes of tables.
  struct Bytes {
    uint64_t wanted = 0;    // what the ranges of the option hold
    uint64_t in_force = 0;  // of these, what fits
    uint64_t fast = 0;      // of those in force, what the fast levels hold
    uint64_t limit = 0;     // what would fit
  };

  void Set(const Bytes& bytes) {
    wanted_.store(bytes.wanted, std::memory_order_relaxed);
    in_force_.store(bytes.in_force, std::memory_order_relaxed);
    fast_.store(bytes.fast, std::memory_order_relaxed);
    limit_.store(bytes.limit, std::memory_order_relaxed);
  }

  // Whether more is pinned on the fast tier than may be. Then a crossing treats
  // pinned records like hot ones, so that the level shrinks.
  bool over_limit() const {
    return fast_.load(std::memory_order_relaxed) >
           limit_.load(std::memory_order_relaxed);
  }

  // Pinned records went down, or came in below: all are to be looked at again.
  void RequestLift() { lift_requests_.fetch_add(1); }
  uint64_t lift_requests() const { return lift_requests_.load(); }

  void AddTo(Figures* figures) const {
    figures->Add("pinned_bytes",
                 [&] { return wanted_.load(std::memory_order_relaxed); });
    figures->Add("pinned_bytes_fast",
                 [&] { return fast_.load(std::memory_order_relaxed); });
    figures->Add("pinned_bytes_beyond", [&] {
      const uint64_t wanted = wanted_.load(std::memory_order_relaxed);
      const uint64_t in_force = in_force_.load(std::memory_order_relaxed);
      return wanted > in_force ? wanted - in_force : 0;
    });
    figures->Add("pinned_limit_bytes",
                 [&] { return limit_.load(std::memory_order_relaxed); });
  }

  // Files of the last fast level that a crossing could hardly take anything
  // from, because nearly all of their records are pinned: by number. Ranges
  // that are smaller than a file cannot tell. The newest ones are remembered.
  void NoteFullFile(uint64_t number) {
    MutexLock lock(&mutex_);
    full_files_.insert(number);
    if (full_files_.size() > kMaxFullFiles) {
      full_files_.erase(full_files_.begin());
    }
    has_full_files_.store(true, std::memory_order_relaxed);
  }
  bool IsFullFile(uint64_t number) const {
    // Asked for each file of a level, with the DB mutex held.
    if (!has_full_files_.load(std::memory_order_relaxed)) {
      return false;
    }
    MutexLock lock(&mutex_);
    return full_files_.count(number) > 0;
  }
  void ForgetFullFiles() {
    MutexLock lock(&mutex_);
    full_files_.clear();
    has_full_files_.store(false, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kMaxFullFiles = 1000;

  std::atomic<uint64_t> wanted_{0};
  std::atomic<uint64_t> in_force_{0};
  std::atomic<uint64_t> fast_{0};
  std::atomic<uint64_t> limit_{0};
  std::atomic<uint64_t> lift_requests_{0};
  std::atomic<bool> has_full_files_{false};
  mutable port::Mutex mutex_;  // a leaf
  std::set<uint64_t> full_files_;
};

}  // namespace ROCKSDB_NAMESPACE
