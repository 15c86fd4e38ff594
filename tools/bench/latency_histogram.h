//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// A histogram of latencies with a relative error of at most 1/64.
//
//   nanoseconds, as bits:   1 b5..b0 xxxxxxxx   (highest bit first)
//   bucket:                 exponent * 64 + b5..b0
//
// Not thread-safe: use one histogram per thread and merge them in the end.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

class LatencyHistogram {
 public:
  void Add(uint64_t nanos) {
    ++buckets_[BucketOf(nanos)];
    ++count_;
    sum_nanos_ += nanos;
    max_nanos_ = std::max(max_nanos_, nanos);
  }

  void Merge(const LatencyHistogram& other) {
    for (size_t i = 0; i < kBuckets; ++i) {
      buckets_[i] += other.buckets_[i];
    }
    count_ += other.count_;
    sum_nanos_ += other.sum_nanos_;
    max_nanos_ = std::max(max_nanos_, other.max_nanos_);
  }

  uint64_t count() const { return count_; }
  double MeanMicros() const {
    return count_ == 0 ? 0
                       : static_cast<double>(sum_nanos_) / 1e3 /
                             static_cast<double>(count_);
  }
  double MaxMicros() const { return static_cast<double>(max_nanos_) / 1e3; }

  // The upper bound of the bucket in which the given share of the latencies
  // (0.99: all but the slowest 1 %) ends; 0 if there are none.
  double QuantileMicros(double quantile) const {
    const double wanted = quantile * static_cast<double>(count_);
    uint64_t seen = 0;
    for (size_t i = 0; i < kBuckets; ++i) {
      seen += buckets_[i];
      if (seen > 0 && static_cast<double>(seen) >= wanted) {
        return static_cast<double>(std::min(UpperNanos(i), max_nanos_)) / 1e3;
      }
    }
    return 0;
  }

 private:
  static constexpr int kSubBits = 6;
  static constexpr size_t kSubBuckets = size_t{1} << kSubBits;
  // Exponent 0 holds the values below kSubBuckets, one each.
  static constexpr size_t kBuckets = (64 - kSubBits + 1) * kSubBuckets;

  static size_t BucketOf(uint64_t nanos) {
    if (nanos < kSubBuckets) {
      return static_cast<size_t>(nanos);
    }
    const int shift = 63 - __builtin_clzll(nanos) - kSubBits;
    const size_t exponent = static_cast<size_t>(shift) + 1;
    return exponent * kSubBuckets +
           static_cast<size_t>((nanos >> shift) - kSubBuckets);
  }

  static uint64_t UpperNanos(size_t bucket) {
    if (bucket < kSubBuckets) {
      return bucket;
    }
    const int shift = static_cast<int>(bucket / kSubBuckets) - 1;
    return ((bucket % kSubBuckets + kSubBuckets + 1) << shift) - 1;
  }

  std::array<uint64_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  uint64_t sum_nanos_ = 0;
  uint64_t max_nanos_ = 0;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
