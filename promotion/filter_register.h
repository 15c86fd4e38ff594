//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keeps apart, key by key, what a compaction filter changes and what is
// promoted meanwhile. A compaction knows which copies there are as it begins,
// and a promotion knows the changes of compactions that have been installed.
// This register knows the rest:
//
//     compaction:   Claim(key), then the cached record is erased, then the
//                   decision is applied
//     promotion:    Publish(keys), then Claimed() for each of them
//
// Whichever comes second sees the first. If that is the compaction, it keeps
// the record as it is; if it is the promotion, it leaves the record out. A read
// that wants to put a claimed record into the promotion cache is refused.
//
// Both kinds are remembered after their end, for as long as one of the other
// kind runs that began before.
//
// Thread-safe. The lock is a leaf: nothing is called under it but comparators.

#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "memory/arena.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "port/port.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"
#include "util/dynamic_bloom.h"

namespace ROCKSDB_NAMESPACE {

// A set of user keys. May say of a key that is not in it that it is, never the
// reverse. Not thread-safe.
class KeySet {
 public:
  // Has room for `expected` keys, at 16 bits each, and takes more at the price
  // of more errors. Uses memory from the first key on.
  KeySet(const Comparator* ucmp, size_t expected)
      : ucmp_(ucmp), expected_(expected) {}

  void Add(const Slice& user_key);
  // Adds every key in [start, end], and perhaps all those between this range
  // and the others.
  void AddRange(const Slice& start, const Slice& end);

  bool empty() const { return empty_; }
  // The least and the greatest key. REQUIRES: !empty()
  const std::string& smallest() const { return smallest_; }
  const std::string& largest() const { return largest_; }

  bool MayContain(const Slice& user_key) const;
  // Returns whether some key in [start, end) lies between smallest() and
  // largest().
  bool MayContainAny(const Slice& start, const Slice& end) const;

 private:
  void Widen(const Slice& user_key);

  const Comparator* const ucmp_;
  const size_t expected_;
  bool empty_ = true;
  bool has_range_ = false;
  std::string smallest_;
  std::string largest_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<DynamicBloom> bloom_;
};

class FilterRegister {
 private:
  struct Party;
  using Parties = std::vector<std::shared_ptr<Party>>;

 public:
  FilterRegister() = default;
  FilterRegister(const FilterRegister&) = delete;
  FilterRegister& operator=(const FilterRegister&) = delete;

  // A compaction with a filter, from before it looks for copies until its
  // result is installed.
  class Compaction {
   public:
    // `filters` must outlive this object.
    Compaction(FilterRegister* filters, const Comparator* ucmp);
    ~Compaction();
    Compaction(const Compaction&) = delete;
    Compaction& operator=(const Compaction&) = delete;

    // The compaction is about to change or remove the record. Returns false if
    // a promotion may have copied it since this object was created: then it has
    // to stay.
    bool Claim(const Slice& user_key);
    // The same for all records in [start, end).
    bool ClaimRange(const Slice& start, const Slice& end);
    // Gets the range of the keys that were claimed. Returns false if there are
    // none.
    bool GetRange(std::string* smallest, std::string* largest) const;

   private:
    FilterRegister* const filters_;
    const std::shared_ptr<Party> party_;
  };

  // A promotion, from before it takes records from the cache until they are
  // installed.
  class Promotion {
   public:
    // `filters` must outlive this object.
    Promotion(FilterRegister* filters, const Comparator* ucmp);
    ~Promotion();
    Promotion(const Promotion&) = delete;
    Promotion& operator=(const Promotion&) = delete;

    // From now on compactions keep these records as they are. May be called at
    // most once. Those of them that are claimed already have to be left out.
    void Publish(const std::vector<PromotionRecordPtr>& records);

   private:
    FilterRegister* const filters_;
    const Comparator* const ucmp_;
    const std::shared_ptr<Party> party_;
  };

  // Returns whether a compaction may change or remove the newest record of the
  // key in the slow tier, or may have done so since the oldest promotion that
  // runs has begun.
  bool Claimed(const Slice& user_key) const;

 private:
  static constexpr uint64_t kRuns = std::numeric_limits<uint64_t>::max();
  // 256 KiB.
  static constexpr size_t kClaimsExpected = 128 << 10;

  struct Party {
    uint64_t begin = 0;
    uint64_t end = kRuns;
    // What a compaction has claimed, or a promotion has published. nullptr
    // until the latter.
    std::unique_ptr<KeySet> keys;
  };

  std::shared_ptr<Party> Begin(std::unique_ptr<KeySet> keys, Parties* parties);
  void End(Party* party);
  // Forgets those of `parties` that ended before all of `others` began.
  static void Prune(const Parties& others, Parties* parties);

  mutable port::Mutex mutex_;
  // Protected by mutex_.
  uint64_t time_ = 0;
  Parties compactions_;
  Parties promotions_;
  // compactions_.size(), so that reads need no lock while there are none.
  std::atomic<size_t> num_compactions_{0};
};

}  // namespace ROCKSDB_NAMESPACE
