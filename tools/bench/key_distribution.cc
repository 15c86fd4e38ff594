//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/key_distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plugin/hotrap/tools/bench/zipf_sampler.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr double kInverseGoldenRatio = 0.6180339887498949;

uint64_t DrawBelow(std::mt19937_64* rng, uint64_t limit) {
  return std::uniform_int_distribution<uint64_t>(0, limit - 1)(*rng);
}

class UniformDistribution : public KeyDistribution {
 public:
  explicit UniformDistribution(uint64_t records) : records_(records) {}

  uint64_t Draw(std::mt19937_64* rng, uint64_t /*key_count*/) const override {
    return DrawBelow(rng, records_);
  }

  std::vector<double> Probabilities() const override {
    return std::vector<double>(records_, 1 / static_cast<double>(records_));
  }

 private:
  const uint64_t records_;
};

class HotspotDistribution : public KeyDistribution {
 public:
  HotspotDistribution(uint64_t records, double fraction, double ops,
                      double start)
      : records_(records),
        hot_records_(std::clamp<uint64_t>(
            static_cast<uint64_t>(
                std::llround(static_cast<double>(records) * fraction)),
            1, records)),
        first_rank_(static_cast<uint64_t>(
            std::floor(static_cast<double>(records) * start))),
        ops_(ops),
        scrambler_(records) {}

  uint64_t Draw(std::mt19937_64* rng, uint64_t /*key_count*/) const override {
    const bool hot =
        hot_records_ == records_ || std::bernoulli_distribution(ops_)(*rng);
    const uint64_t rank =
        hot ? DrawBelow(rng, hot_records_)
            : hot_records_ + DrawBelow(rng, records_ - hot_records_);
    return scrambler_.IdOf((first_rank_ + rank) % records_);
  }

  std::vector<double> Probabilities() const override {
    const uint64_t cold_records = records_ - hot_records_;
    const double hot_ops = cold_records == 0 ? 1 : ops_;
    std::vector<double> by_id(records_);
    for (uint64_t rank = 0; rank < records_; ++rank) {
      by_id[scrambler_.IdOf((first_rank_ + rank) % records_)] =
          rank < hot_records_
              ? hot_ops / static_cast<double>(hot_records_)
              : (1 - hot_ops) / static_cast<double>(cold_records);
    }
    return by_id;
  }

  uint64_t hot_keys() const override { return hot_records_; }

 private:
  const uint64_t records_;
  const uint64_t hot_records_;
  const uint64_t first_rank_;
  const double ops_;
  const RankScrambler scrambler_;
};

class ScrambledZipfDistribution : public KeyDistribution {
 public:
  ScrambledZipfDistribution(uint64_t records, double theta)
      : sampler_(records, theta), scrambler_(records) {}

  uint64_t Draw(std::mt19937_64* rng, uint64_t /*key_count*/) const override {
    return scrambler_.IdOf(sampler_.Sample(rng));
  }

  std::vector<double> Probabilities() const override {
    const std::vector<double> by_rank = sampler_.Probabilities();
    std::vector<double> by_id(by_rank.size());
    for (uint64_t rank = 0; rank < by_rank.size(); ++rank) {
      by_id[scrambler_.IdOf(rank)] = by_rank[rank];
    }
    return by_id;
  }

 private:
  const ZipfSampler sampler_;
  const RankScrambler scrambler_;
};

// Zipf over age: the newest key is the most popular one (YCSB D).
class LatestDistribution : public KeyDistribution {
 public:
  LatestDistribution(uint64_t records, double theta)
      : sampler_(records, theta) {}

  uint64_t Draw(std::mt19937_64* rng, uint64_t key_count) const override {
    return key_count - 1 - std::min(key_count - 1, sampler_.Sample(rng));
  }

  std::vector<double> Probabilities() const override {
    std::vector<double> by_age = sampler_.Probabilities();
    std::reverse(by_age.begin(), by_age.end());
    return by_age;
  }

  bool follows_inserts() const override { return true; }

 private:
  const ZipfSampler sampler_;
};

}  // namespace

RankScrambler::RankScrambler(uint64_t n)
    : n_(n),
      stride_(std::max<uint64_t>(
          1,
          static_cast<uint64_t>(static_cast<double>(n) * kInverseGoldenRatio))),
      offset_(n / 3) {
  while (std::gcd(stride_, n_) != 1) {
    ++stride_;
  }
}

uint64_t RankScrambler::IdOf(uint64_t rank) const {
  // 128 bits, because the product of two 64 bit numbers would wrap.
  using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(rank) * stride_ + offset_) %
                               n_);
}

Status NewKeyDistribution(const KeyDistributionOptions& options,
                          std::unique_ptr<KeyDistribution>* result) {
  if (options.records == 0) {
    return Status::InvalidArgument("a key distribution needs records");
  }
  if (options.zipf_theta < 0) {
    return Status::InvalidArgument("zipf_theta must not be negative");
  }
  if (options.name == "uniform") {
    *result = std::make_unique<UniformDistribution>(options.records);
  } else if (options.name == "hotspot") {
    if (!(options.hotspot_fraction > 0 && options.hotspot_fraction <= 1) ||
        !(options.hotspot_ops >= 0 && options.hotspot_ops <= 1) ||
        !(options.hotspot_start >= 0 && options.hotspot_start < 1)) {
      return Status::InvalidArgument(
          "hotspot_fraction must be in (0, 1], hotspot_ops in [0, 1], "
          "hotspot_start in [0, 1)");
    }
    *result = std::make_unique<HotspotDistribution>(
        options.records, options.hotspot_fraction, options.hotspot_ops,
        options.hotspot_start);
  } else if (options.name == "zipf") {
    *result = std::make_unique<ScrambledZipfDistribution>(options.records,
                                                          options.zipf_theta);
  } else if (options.name == "latest") {
    *result = std::make_unique<LatestDistribution>(options.records,
                                                   options.zipf_theta);
  } else {
    return Status::InvalidArgument(
        "unknown distribution (hotspot, zipf, uniform, latest)", options.name);
  }
  return Status::OK();
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
