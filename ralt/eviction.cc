//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/eviction.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE::ralt {

RankSampler::RankSampler(uint64_t expected_total, uint32_t points,
                         Random64* random) {
  points_.reserve(points);
  for (uint32_t i = 0; expected_total > 0 && i < points; ++i) {
    points_.push_back(random->Uniform(expected_total));
  }
  std::sort(points_.begin(), points_.end());
}

Rank RankSampler::Threshold(uint64_t target) {
  if (target >= end_ || samples_.empty()) {
    return Rank::Lowest();
  }
  const auto keep =
      static_cast<size_t>(static_cast<double>(samples_.size()) * target / end_);
  const auto cut = samples_.begin() +
                   static_cast<ptrdiff_t>(std::min(keep, samples_.size() - 1));
  std::nth_element(samples_.begin(), cut, samples_.end(),
                   [](const Rank& a, const Rank& b) { return b < a; });
  return *cut;
}

EvictionPlanner::EvictionPlanner(const RaltOptions& options, uint64_t records,
                                 uint64_t tracked_bytes,
                                 uint64_t physical_bytes, Random64* random)
    : options_(options),
      physical_bytes_per_record_(
          records == 0 ? 0 : static_cast<double>(physical_bytes) / records),
      by_tracked_bytes_(tracked_bytes, options.eviction_samples, random),
      by_records_(records, options.eviction_samples, random) {}

void EvictionPlanner::Add(const AccessRecord& record, const Rank& rank) {
  by_tracked_bytes_.Add(rank, record.HotrapBytes());
  by_records_.Add(rank, 1);
  if (rank.stable) {
    stable_bytes_ += record.HotrapBytes();
    ++stable_records_;
  }
}

void EvictionPlanner::Tune(double physical_ratio, RaltLimits* limits) const {
  const double max_bytes =
      options_.hot_set_max_fraction * options_.fast_budget_bytes;
  limits->hot_set_bytes = options_.InHotSetBounds(
      stable_bytes_ + options_.unstable_fraction * max_bytes);
  limits->physical_bytes =
      static_cast<uint64_t>(limits->hot_set_bytes * physical_ratio);
}

EvictionPlanner::Plan EvictionPlanner::MakePlan(const RaltLimits& current) {
  Plan plan;
  plan.limits = current;
  plan.limits.stable_bytes = stable_bytes_;
  plan.limits.hot_threshold = Rank::LowestStable();
  const uint64_t tracked_bytes = by_tracked_bytes_.total();
  if (tracked_bytes == 0) {
    return plan;
  }
  const double physical_bytes =
      by_records_.total() * physical_bytes_per_record_;
  // The limits move before they are applied, not after as in Algorithm 1: a
  // hot set that has outgrown its limit because it is stable is not cut down
  // to the old limit first, only to be learnt again.
  if (options_.auto_tune) {
    Tune(physical_bytes / tracked_bytes, &plan.limits);
  }

  const double kept = 1 - options_.eviction_fraction;
  if (stable_bytes_ > plan.limits.hot_set_bytes) {
    plan.limits.hot_threshold =
        std::max(plan.limits.hot_threshold,
                 by_tracked_bytes_.Threshold(
                     static_cast<uint64_t>(kept * plan.limits.hot_set_bytes)));
  }
  const double limit_records =
      plan.limits.physical_bytes / physical_bytes_per_record_;
  if (by_records_.total() > limit_records) {
    double target_records = kept * limit_records;
    if (stable_records_ < limit_records) {
      // Stable records that fit stay, and half of the room beside them becomes
      // free. A fixed limit may leave much more room than that: no more than
      // the paper's part of it is freed then.
      const double half_of_the_room = (stable_records_ + limit_records) / 2;
      target_records = options_.auto_tune
                           ? half_of_the_room
                           : std::max(target_records, half_of_the_room);
    }
    plan.drop_threshold =
        by_records_.Threshold(static_cast<uint64_t>(target_records));
  }
  return plan;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
