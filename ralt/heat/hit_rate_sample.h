//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Estimates which share of the accesses a fast tier of any size would answer,
// from a sample of the keys that is chosen by their hash (SHARDS), and a stack
// distance for each access: the bytes of all keys that rank above it. HotRAP
// keeps records by rank, so an access would have been a hit in every tier with
// room for its distance. The sample remembers keys that RALT has evicted.
//
//   one flush of the buffers:
//     rank the sampled keys as they were before it  -> distance of each key
//     each accessed key: weight -> histogram[distance], or a miss if new
//
// A key's rank before the flush counts, as it does for promotion. The hottest
// keys have so large a share that chance must not decide about them: a key with
// more than a 1/1024 of a flush's accesses is always counted, and the sample
// stands for the others only. Groups of sampled keys tell the sampling error.
//
// Thread safety: Begin(), Add() and End() are for the background job; Curve()
// for any thread.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "plugin/hotrap/ralt/access/access_record.h"
#include "plugin/hotrap/ralt/heat/hit_rate_curve.h"
#include "port/port.h"

namespace ROCKSDB_NAMESPACE::ralt {

class HitRateSample {
 public:
  static constexpr size_t kDefaultMaxKeys = 8192;

  // `scoring` must outlive this object. About 100 bytes of memory a key.
  explicit HitRateSample(const Scoring& scoring,
                         size_t max_keys = kDefaultMaxKeys);

  // Begins a flush of accesses, with this sum of weights, of which `slow` were
  // on the slow tier.
  void Begin(LogicalTime now, uint64_t weight, uint64_t slow_weight);
  // A key's accesses in the flush, folded into one record.
  void Add(uint64_t key_hash, const AccessRecord& record, uint64_t weight);
  void End();

  // Empty until enough has been seen.
  HitRateCurve Curve() const;

 private:
  static constexpr size_t kGroups = 8;
  // Of a histogram over distances: kPerOctave buckets for each power of two.
  static constexpr size_t kPerOctave = 16;
  static constexpr size_t kBuckets = 40 * kPerOctave;
  static constexpr size_t kMiss = kBuckets;

  struct Entry {
    AccessRecord record;
    // Bucket of its distance before the current flush.
    size_t bucket = kMiss;
    // Whether it is in the sample by its hash; else only because it is hot.
    bool sampled = false;
  };

  using Histogram = std::array<double, kBuckets + 1>;

  // 48 KiB, which a column family that nobody reads does not need.
  struct Sums {
    // Of keys that are counted always, and of sampled keys by group.
    Histogram heavy{};
    std::array<Histogram, kGroups> sampled{};
    // Number of sampled keys that rank within a bucket's distance.
    std::array<uint32_t, kBuckets> keys_within{};
  };

  bool IsSampled(uint64_t key_hash) const { return key_hash <= threshold_; }
  // The inverse of the share of keys that is sampled.
  double Scale() const;
  static size_t BucketOf(double bytes);
  // Upper end of the bucket.
  static double BytesOf(size_t bucket);

  // Ranks the sampled keys, which gives each its distance.
  void Rank();
  // Forgets keys until the sample is small enough. Samples more if it is small.
  void Fit();

  const Scoring& scoring_;
  const size_t max_keys_;

  // For the background job only.
  LogicalTime now_;
  LogicalTime begun_;
  bool warm_ = false;
  uint64_t heavy_weight_ = 0;
  uint64_t last_purge_tick_ = 0;
  std::unordered_map<uint64_t, Entry> keys_;

  // Keys with a hash up to this are sampled. Written by the background job.
  std::atomic<uint64_t> threshold_{UINT64_MAX};

  mutable port::Mutex mutex_;
  // Protected by mutex_; older accesses count less. nullptr before the first
  // flush.
  std::unique_ptr<Sums> sums_;
  double weight_ = 0;
  double slow_weight_ = 0;
  double heavy_weight_sum_ = 0;
  // Number of flushes counted.
  uint64_t flushes_ = 0;
  uint64_t sampled_keys_ = 0;
  double stable_bytes_ = 0;
  double ranked_bytes_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
