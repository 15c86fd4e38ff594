//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Decides which records an eviction drops (paper section 3.2) and how the
// limits change (paper section 3.7, Algorithm 1).
//
// Not thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access/access_record.h"
#include "plugin/hotrap/ralt/ralt_options.h"
#include "plugin/hotrap/ralt/tree/manifest.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Estimates the rank at which to cut a set of scanned records so that a given
// total size remains. It samples the records at points drawn uniformly over
// their sizes:
//
//     sizes      |  a  |b|    c    | d |      points  x x   x  x   x
//     samples       a a     c  c     d        sorted by rank, the one at
//                                             target / total is the cut
class RankSampler {
 public:
  // `expected_total` must be at least the sum of the sizes to be added.
  RankSampler(uint64_t expected_total, uint32_t points, Random64* random);

  void Add(const Rank& rank, uint64_t size) {
    end_ += size;
    while (next_point_ < points_.size() && points_[next_point_] < end_) {
      samples_.push_back(rank);
      ++next_point_;
    }
  }

  uint64_t total() const { return end_; }

  // Returns a rank such that the sizes of records of at least this rank add up
  // to about `target`.
  Rank Threshold(uint64_t target);

 private:
  std::vector<uint64_t> points_;
  size_t next_point_ = 0;
  uint64_t end_ = 0;
  std::vector<Rank> samples_;
};

// Sees every record once, then makes the plan for an eviction.
class EvictionPlanner {
 public:
  struct Plan {
    RaltLimits limits;
    Rank drop_threshold = Rank::Lowest();
  };

  // The sums are those of the version that will be scanned, where a key may
  // occur more than once.
  EvictionPlanner(const RaltOptions& options, uint64_t records,
                  uint64_t tracked_bytes, uint64_t physical_bytes,
                  Random64* random);

  void Add(const AccessRecord& record, const Rank& rank);

  uint64_t records() const { return records_; }

  // `tunes` says whether the limits may change, if they are tuned at all.
  // `room_to_learn` is in physical bytes beyond the limit.
  Plan MakePlan(const RaltLimits& current, bool tunes, uint64_t room_to_learn);

 private:
  void Tune(RaltLimits* limits) const;

  const RaltOptions& options_;
  // The average, including further records of the same key. The physical bytes
  // of one record are in proportion to its weight: its size in a block after
  // the previous record.
  const double physical_bytes_per_record_;
  // Samplers by HotRAP size and by weight.
  RankSampler by_tracked_bytes_;
  RankSampler by_weight_;
  std::string previous_key_;
  uint64_t records_ = 0;
  uint64_t stable_bytes_ = 0;
  uint64_t stable_records_ = 0;
  uint64_t stable_weight_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
