//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/heat/hit_rate_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "util/hash.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE::ralt {

namespace {

// A key with one in this many accesses of a flush is counted always.
constexpr uint64_t kHeavyDivisor = 1024;
// ... if it has at least so many.
constexpr uint64_t kMinHeavyWeight = 8;
// The first periods only teach the sample what is hot.
constexpr uint64_t kWarmUpPeriods = 2;
// Periods after which accesses count half.
constexpr double kHalfLifePeriods = 4;
// Slices after which a key that was not accessed is forgotten. Its score has
// faded to e^-33.
constexpr uint64_t kForgetAfterSlices = 32768;
constexpr double kMinAccesses = 1000;
// Points of the curve: one for so many buckets.
constexpr size_t kBucketsAPoint = 4;

uint64_t PeriodsBetween(LogicalTime begin, LogicalTime end) {
  return end.period > begin.period ? (end.period - begin.period) / kCounterUnit
                                   : 0;
}

}  // namespace

HitRateSample::HitRateSample(const Scoring& scoring, size_t max_keys)
    : scoring_(scoring), max_keys_(max_keys) {}

double HitRateSample::Scale() const {
  return std::ldexp(1.0, 64) / (static_cast<double>(threshold_) + 1);
}

size_t HitRateSample::BucketOf(double bytes) {
  if (bytes <= 1) {
    return 0;
  }
  return std::min(kBuckets - 1, static_cast<size_t>(
                                    std::ceil(std::log2(bytes) * kPerOctave)));
}

double HitRateSample::BytesOf(size_t bucket) {
  return std::exp2(static_cast<double>(bucket) / kPerOctave);
}

void HitRateSample::Begin(LogicalTime now, uint64_t weight,
                          uint64_t slow_weight) {
  if (begun_.period == 0) {
    begun_ = now;
    now_ = now;
  }
  const LogicalTime before = std::exchange(now_, now);
  warm_ = PeriodsBetween(begun_, now) >= kWarmUpPeriods;
  heavy_weight_ = std::max(kMinHeavyWeight, weight / kHeavyDivisor);
  if (sums_ == nullptr) {
    auto sums = std::make_unique<Sums>();
    MutexLock lock(&mutex_);
    sums_ = std::move(sums);
  }
  Rank();
  MutexLock lock(&mutex_);
  const uint64_t periods = PeriodsBetween(before, now);
  if (periods > 0) {
    const double factor =
        std::exp2(-static_cast<double>(periods) / kHalfLifePeriods);
    const auto age = [factor](Histogram* histogram) {
      for (double& value : *histogram) {
        value *= factor;
      }
    };
    age(&sums_->heavy);
    std::for_each(sums_->sampled.begin(), sums_->sampled.end(),
                  [&](Histogram& group) { age(&group); });
    weight_ *= factor;
    slow_weight_ *= factor;
    heavy_weight_sum_ *= factor;
  }
  if (warm_) {
    flushes_++;
    weight_ += static_cast<double>(weight);
    slow_weight_ += static_cast<double>(slow_weight);
  }
}

void HitRateSample::Rank() {
  // Records that are no longer stable come after those that are: they stay on
  // the fast tier while there is room.
  std::vector<std::pair<ralt::Rank, Entry*>> ranks;
  ranks.reserve(keys_.size());
  for (auto& [hash, entry] : keys_) {
    entry.bucket = kMiss;
    if (entry.record.repeated) {
      ranks.emplace_back(scoring_.RankAt(now_, entry.record, Upper32of64(hash)),
                         &entry);
    }
  }
  std::sort(ranks.begin(), ranks.end(),
            [](const auto& a, const auto& b) { return b.first < a.first; });
  const double scale = Scale();
  double bytes = 0;
  double stable_bytes = 0;
  uint32_t ranked = 0;
  std::array<uint32_t, kBuckets> keys_within{};
  for (const auto& [rank, entry] : ranks) {
    if (entry->sampled) {
      bytes += scale * static_cast<double>(entry->record.value_bytes);
      ranked++;
    }
    stable_bytes = rank.stable ? bytes : stable_bytes;
    entry->bucket = BucketOf(bytes);
    keys_within[entry->bucket] = ranked;
  }
  for (size_t i = 1; i < kBuckets; i++) {
    keys_within[i] = std::max(keys_within[i], keys_within[i - 1]);
  }
  MutexLock lock(&mutex_);
  stable_bytes_ = stable_bytes;
  ranked_bytes_ = bytes;
  sums_->keys_within = keys_within;
  sampled_keys_ = keys_.size();
}

void HitRateSample::Add(uint64_t key_hash, const AccessRecord& record,
                        uint64_t weight) {
  const bool heavy = weight >= heavy_weight_;
  const bool sampled = IsSampled(key_hash);
  if (!heavy && !sampled) {
    return;
  }
  AccessRecord accesses = record;
  accesses.key = Slice();
  // Key and value: the sample needs their sum only.
  accesses.value_bytes = record.HotrapBytes();
  const auto [found, is_new] = keys_.try_emplace(key_hash);
  Entry& entry = found->second;
  if (is_new) {
    entry.record = accesses;
  } else {
    scoring_.Merge(now_, accesses, &entry.record);
  }
  entry.sampled = sampled;
  if (!warm_) {
    return;
  }
  MutexLock lock(&mutex_);
  if (heavy) {
    sums_->heavy[entry.bucket] += static_cast<double>(weight);
    heavy_weight_sum_ += static_cast<double>(weight);
  } else {
    // The lowest bits are independent of whether the key is sampled.
    sums_->sampled[key_hash % kGroups][entry.bucket] +=
        Scale() * static_cast<double>(weight);
  }
}

void HitRateSample::End() { Fit(); }

void HitRateSample::Fit() {
  if (now_.tick > last_purge_tick_ + kForgetAfterSlices / 8) {
    last_purge_tick_ = now_.tick;
    for (auto it = keys_.begin(); it != keys_.end();) {
      it = it->second.record.tick + kForgetAfterSlices < now_.tick
               ? keys_.erase(it)
               : std::next(it);
    }
    if (keys_.size() < max_keys_ / 4 && threshold_ <= UINT64_MAX / 2) {
      threshold_ = threshold_.load() * 2 + 1;
    }
  }
  while (keys_.size() > max_keys_) {
    threshold_ = threshold_.load() / 2;
    for (auto it = keys_.begin(); it != keys_.end();) {
      it->second.sampled = IsSampled(it->first);
      it = it->second.sampled ? std::next(it) : keys_.erase(it);
    }
  }
}

HitRateCurve HitRateSample::Curve() const {
  HitRateCurve curve;
  MutexLock lock(&mutex_);
  curve.accesses = weight_;
  curve.sampled_keys = sampled_keys_;
  curve.stable_bytes = stable_bytes_;
  curve.ranked_bytes = ranked_bytes_;
  if (sums_ == nullptr || weight_ < kMinAccesses) {
    return curve;
  }
  curve.fast_share = 1 - slow_weight_ / weight_;
  std::array<double, kGroups> group_weight{};
  double sampled_weight = 0;
  for (size_t g = 0; g < kGroups; g++) {
    for (const double value : sums_->sampled[g]) {
      group_weight[g] += value;
    }
    sampled_weight += group_weight[g];
  }
  // What the sample stands for is known exactly.
  const double light = std::max(0.0, weight_ - heavy_weight_sum_);
  std::array<double, kGroups> group_hits{};
  double heavy_hits = 0;
  double hits = 0;
  std::vector<double> rates(kBuckets);
  std::vector<double> errors(kBuckets);
  for (size_t b = 0; b < kBuckets; b++) {
    heavy_hits += sums_->heavy[b];
    for (size_t g = 0; g < kGroups; g++) {
      group_hits[g] += sums_->sampled[g][b];
      hits += sums_->sampled[g][b];
    }
    const double rate = sampled_weight > 0 ? hits / sampled_weight : 0;
    rates[b] = std::min(1.0, (heavy_hits + light * rate) / weight_);
    // Jackknife: what the rate would be without each of the groups.
    double squares = 0;
    for (size_t g = 0; g < kGroups; g++) {
      const double rest = sampled_weight - group_weight[g];
      const double without = rest > 0 ? (hits - group_hits[g]) / rest : rate;
      squares += (without - rate) * (without - rate);
    }
    errors[b] = light / weight_ * std::sqrt(squares * (kGroups - 1) / kGroups);
  }
  for (size_t b = kBucketsAPoint; b < kBuckets; b += kBucketsAPoint) {
    if (b + kBucketsAPoint < kBuckets && rates[b + kBucketsAPoint] == 0 &&
        BytesOf(b) < ranked_bytes_) {
      continue;  // less than a record
    }
    // The distance is an estimate as well: n keys of the sample are within it,
    // give or take the root of n.
    const double keys = std::max<double>(1, sums_->keys_within[b]);
    const auto shift = std::min<size_t>(
        kPerOctave, static_cast<size_t>(std::ceil(
                        kPerOctave * std::log2(1 + 1 / std::sqrt(keys)))));
    const size_t low = b > shift ? b - shift : 0;
    const size_t high = std::min(kBuckets - 1, b + shift);
    const double sideways =
        threshold_ == UINT64_MAX ? 0 : (rates[high] - rates[low]) / 2;
    curve.points.push_back(
        {BytesOf(b), rates[b],
         std::sqrt(errors[b] * errors[b] + sideways * sideways)});
    if (BytesOf(b) > ranked_bytes_ * 2 && b > kBucketsAPoint) {
      break;
    }
  }
  return curve;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
