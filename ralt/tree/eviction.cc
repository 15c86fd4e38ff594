//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/tree/eviction.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE::ralt {

namespace {
// Minimum size of a record in a block, without its key.
constexpr uint64_t kRecordHeaderBytes = 9;
// Points are drawn over the physical bytes, but weights add up to less. More
// points make enough of them fall into that part.
constexpr uint32_t kPointsForWeights = 2;
}  // namespace

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
      by_weight_(physical_bytes, options.eviction_samples * kPointsForWeights,
                 random) {}

void EvictionPlanner::Add(const AccessRecord& record, const Rank& rank) {
  by_tracked_bytes_.Add(rank, record.HotrapBytes());
  const uint64_t weight = kRecordHeaderBytes + record.key.size() -
                          record.key.difference_offset(previous_key_);
  previous_key_.assign(record.key.data(), record.key.size());
  by_weight_.Add(rank, weight);
  ++records_;
  if (rank.stable) {
    stable_bytes_ += record.HotrapBytes();
    ++stable_records_;
    stable_weight_ += weight;
  }
}

void EvictionPlanner::Tune(RaltLimits* limits) const {
  const auto max_bytes = static_cast<double>(options_.MaxHotSetBytes());
  limits->hot_set_bytes = options_.InHotSetBounds(
      stable_bytes_ + options_.unstable_fraction * max_bytes);
  // Count the records that fit into the limit: the stable ones, plus as many
  // others as the rest has room for. The two kinds are counted separately, so
  // that large cold records do not reduce the room for small hot ones.
  const auto hot_set_bytes = static_cast<double>(limits->hot_set_bytes);
  const auto stable_bytes = static_cast<double>(stable_bytes_);
  double records = static_cast<double>(stable_records_);
  if (stable_bytes > hot_set_bytes) {
    records *= hot_set_bytes / stable_bytes;
  } else {
    const auto total = static_cast<double>(records_);
    const auto total_bytes = static_cast<double>(by_tracked_bytes_.total());
    const bool all_stable = records_ == stable_records_;
    const double average_bytes =
        all_stable ? total_bytes / total
                   : (total_bytes - stable_bytes) / (total - records);
    records += (hot_set_bytes - stable_bytes) / std::max(1.0, average_bytes);
  }
  limits->physical_bytes =
      options_.InRecordBounds(records * physical_bytes_per_record_);
}

EvictionPlanner::Plan EvictionPlanner::MakePlan(const RaltLimits& current,
                                                bool tunes,
                                                uint64_t room_to_learn) {
  Plan plan;
  plan.limits = current;
  plan.limits.stable_bytes = stable_bytes_;
  plan.limits.hot_threshold = Rank::LowestStable();
  if (by_tracked_bytes_.total() == 0) {
    return plan;
  }
  // Tune the limits before they are applied, not after as in Algorithm 1.
  // Otherwise a stable hot set that has outgrown its limit would first be cut
  // down to the old limit, and then be learned again.
  if (tunes && options_.auto_tune) {
    Tune(&plan.limits);
  }

  const double kept = 1 - options_.eviction_fraction;
  if (stable_bytes_ > plan.limits.hot_set_bytes) {
    plan.limits.hot_threshold =
        std::max(plan.limits.hot_threshold,
                 by_tracked_bytes_.Threshold(
                     static_cast<uint64_t>(kept * plan.limits.hot_set_bytes)));
  }
  const double limit_weight =
      static_cast<double>(
          options_.RecordLimit(plan.limits.physical_bytes, room_to_learn)) /
      (physical_bytes_per_record_ * static_cast<double>(records_)) *
      static_cast<double>(by_weight_.total());
  if (by_weight_.total() > limit_weight) {
    double target_weight = kept * limit_weight;
    if (stable_weight_ < limit_weight) {
      // Stable records that fit stay, and half of the remaining room is freed.
      // With a fixed limit the remaining room may be much larger; then at most
      // the paper's fraction of the limit is freed.
      const double half_of_the_room =
          (static_cast<double>(stable_weight_) + limit_weight) / 2;
      target_weight = options_.auto_tune
                          ? half_of_the_room
                          : std::max(target_weight, half_of_the_room);
    }
    plan.drop_threshold =
        by_weight_.Threshold(static_cast<uint64_t>(target_weight));
  }
  return plan;
}

}  // namespace ROCKSDB_NAMESPACE::ralt
