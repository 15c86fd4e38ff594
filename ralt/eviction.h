//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides what an eviction gives up (paper section 3.2) and where the limits
// go (section 3.7, Algorithm 1).
//
// Not thread safe.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access_record.h"
#include "plugin/hotrap/ralt/manifest.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Estimates at which rank to cut a scanned set of records so that a given
// size remains, from points drawn uniformly over their sizes:
//
//     sizes      |  a  |b|    c    | d |      points  x x   x  x   x
//     samples       a a     c  c     d        sorted by rank, the one at
//                                             target / total is the cut
class RankSampler {
 public:
  // `expected_total`: at least the sum of the sizes to come.
  RankSampler(uint64_t expected_total, uint32_t points, Random64* random);

  void Add(const Rank& rank, uint64_t size) {
    end_ += size;
    while (next_point_ < points_.size() && points_[next_point_] < end_) {
      samples_.push_back(rank);
      ++next_point_;
    }
  }

  uint64_t total() const { return end_; }

  // Records of at least this rank have about `target` as the sum of their
  // sizes.
  Rank Threshold(uint64_t target);

 private:
  std::vector<uint64_t> points_;
  size_t next_point_ = 0;
  uint64_t end_ = 0;
  std::vector<Rank> samples_;
};

// Sees every record once, then says what to do.
class EvictionPlanner {
 public:
  struct Plan {
    RaltLimits limits;
    Rank drop_threshold = Rank::Lowest();
  };

  // The sums are those of the version to be scanned, in which a key can
  // occur more than once.
  EvictionPlanner(const RaltOptions& options, uint64_t records,
                  uint64_t tracked_bytes, uint64_t physical_bytes,
                  Random64* random);

  void Add(const AccessRecord& record, const Rank& rank);

  uint64_t records() const { return records_; }

  // `room_to_learn`: physical bytes beyond the limit.
  Plan MakePlan(const RaltLimits& current, uint64_t room_to_learn = 0);

 private:
  void Tune(RaltLimits* limits) const;

  const RaltOptions& options_;
  // The average, a second record of a key included. A record's own is in
  // proportion to its weight: what it takes in a block, next to the record
  // before it.
  const double physical_bytes_per_record_;
  // By HotRAP size, and by weight.
  RankSampler by_tracked_bytes_;
  RankSampler by_weight_;
  std::string previous_key_;
  uint64_t records_ = 0;
  uint64_t stable_bytes_ = 0;
  uint64_t stable_records_ = 0;
  uint64_t stable_weight_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
