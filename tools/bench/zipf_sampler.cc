//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/zipf_sampler.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

// log1p(x) / x and expm1(x) / x have removable singularities at 0; below this
// the second order series is exact to double precision.
constexpr double kSeriesLimit = 1e-8;

double Log1pOverX(double x) {
  return std::abs(x) > kSeriesLimit ? std::log1p(x) / x : 1 - x * (0.5 - x / 3);
}

double Expm1OverX(double x) {
  return std::abs(x) > kSeriesLimit ? std::expm1(x) / x
                                    : 1 + x * 0.5 * (1 + x / 3);
}

}  // namespace

ZipfSampler::ZipfSampler(uint64_t n, double theta)
    : n_(n),
      theta_(theta),
      integral_first_(HatIntegral(1.5) - 1),
      integral_last_(HatIntegral(static_cast<double>(n) + 0.5)),
      accept_below_(2 - HatIntegralInverse(HatIntegral(2.5) - Hat(2))) {
  assert(n > 0);
  assert(theta >= 0);
}

double ZipfSampler::Hat(double x) const {
  return std::exp(-theta_ * std::log(x));
}

double ZipfSampler::HatIntegral(double x) const {
  const double log_x = std::log(x);
  return Expm1OverX((1 - theta_) * log_x) * log_x;
}

double ZipfSampler::HatIntegralInverse(double x) const {
  // Rounding may push t slightly under the domain of log1p.
  const double t = std::max(-1.0, x * (1 - theta_));
  return std::exp(Log1pOverX(t) * x);
}

uint64_t ZipfSampler::Sample(std::mt19937_64* rng) const {
  std::uniform_real_distribution<double> uniform(0, 1);
  while (true) {
    const double u =
        integral_last_ + uniform(*rng) * (integral_first_ - integral_last_);
    const double x = HatIntegralInverse(u);
    const double k =
        std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(n_));
    if (k - x <= accept_below_ || u >= HatIntegral(k + 0.5) - Hat(k)) {
      return std::min(n_, static_cast<uint64_t>(k)) - 1;
    }
  }
}

std::vector<double> ZipfSampler::Probabilities() const {
  std::vector<double> probabilities(n_);
  double total = 0;
  // The smallest first, so that rounding does not lose them.
  for (uint64_t rank = n_; rank-- > 0;) {
    probabilities[rank] = Hat(static_cast<double>(rank + 1));
    total += probabilities[rank];
  }
  for (double& probability : probabilities) {
    probability /= total;
  }
  return probabilities;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
