//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Which key an operation goes to. A KeyDistribution is constant after
// construction and safe to share between threads; each thread brings its own
// random engine.

#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// A bijection of [0, n) that sends ranks (0 = hottest) to key ids, so that the
// hot keys are scattered over the load order instead of being the first ones.
//
//   id = (rank * stride + offset) mod n,  gcd(stride, n) = 1
//
// stride is the number next to n * 0.618 that is coprime to n: consecutive
// ranks then fall as far apart as they can.
class RankScrambler {
 public:
  explicit RankScrambler(uint64_t n);

  uint64_t IdOf(uint64_t rank) const;

 private:
  // Constant after construction.
  const uint64_t n_;
  uint64_t stride_;
  uint64_t offset_;
};

class KeyDistribution {
 public:
  virtual ~KeyDistribution() = default;

  // Returns a key id. `key_count` is the number of keys that exist now, loaded
  // and inserted. Only "latest" uses it; the others draw from the loaded keys.
  virtual uint64_t Draw(std::mt19937_64* rng, uint64_t key_count) const = 0;

  // The probability of each loaded key, by id, while there are no others; they
  // add up to 1.
  virtual std::vector<double> Probabilities() const = 0;

  // Whether inserted keys are drawn, so that a key's probability falls with
  // each insert.
  virtual bool follows_inserts() const { return false; }

  // Keys in the hotspot; 0 for distributions that have none.
  virtual uint64_t hot_keys() const { return 0; }
};

struct KeyDistributionOptions {
  // "hotspot", "zipf", "uniform" or "latest".
  std::string name = "hotspot";
  // Number of loaded keys.
  uint64_t records = 0;
  // hotspot: this fraction of the keys gets hotspot_ops of the operations,
  // uniformly; the other operations go uniformly to the other keys.
  double hotspot_fraction = 0.05;
  double hotspot_ops = 0.95;
  // hotspot: its first popularity rank, as a fraction of all keys in [0, 1).
  // Hotspots whose ranges of ranks overlap share keys.
  double hotspot_start = 0;
  // zipf and latest: the exponent.
  double zipf_theta = 0.99;
};

Status NewKeyDistribution(const KeyDistributionOptions& options,
                          std::unique_ptr<KeyDistribution>* result);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
