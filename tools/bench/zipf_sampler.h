//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Zipf sampling without tables. ZipfSampler is constant after construction
// and safe to share between threads.

#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Draws ranks 0 .. n-1 with P(rank = k) proportional to 1 / (k + 1)^theta, for
// any theta >= 0 (theta 0 is uniform).
//
// Rejection-inversion (W. Hoermann and G. Derflinger, "Rejection-inversion to
// generate variates from monotone discrete distributions", 1996). It needs
// constant memory and about one random number a draw, and, unlike the
// approximation that YCSB uses, is exact for every theta including those above
// one, which real caches have (Twitter: up to 2.1).
class ZipfSampler {
 public:
  // REQUIRES: n > 0 and theta >= 0
  ZipfSampler(uint64_t n, double theta);

  uint64_t Sample(std::mt19937_64* rng) const;

  // The probability of each rank; they add up to 1.
  std::vector<double> Probabilities() const;

 private:
  // The continuous hat function x^-theta, its integral and the inverse of that.
  double Hat(double x) const;
  double HatIntegral(double x) const;
  double HatIntegralInverse(double x) const;

  // Constant after construction.
  const uint64_t n_;
  const double theta_;
  const double integral_first_;
  const double integral_last_;
  const double accept_below_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
