//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The arithmetic of access records (paper sections 3.2 and 3.7): scores by
// exponential smoothing, counters by Algorithm 1, and the order in which
// records are evicted.
//
// Thread safety: plain values and const functions.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE::ralt {

// What RALT knows about one key. `key` points into memory of the record's
// creator.
//
// The score is evaluated lazily: `score` is its value at slice `tick`, and
// score * alpha^(now - tick) is its value now, so that records need no rewrite
// as time passes. So is the counter c: it falls by 1 at the end of each period,
// and `counter_end` is the time, in periods since RALT was created, at which it
// reaches 0. Hence c = counter_end - periods ended.
//
//     periods    0        1        2        3        4
//     access     |---*    |        |        |
//     c          |   2.6  |  1.6   |  0.6   |  none
//                |<-------- 2.6 -------->|
//                                        counter_end
struct AccessRecord {
  Slice key;
  uint64_t value_bytes = 0;
  uint64_t tick = 0;
  // In fractions of a period: see kCounterUnit.
  uint64_t counter_end = 0;
  float score = 0;
  // Whether the key was accessed again after the first access (the paper's
  // tag).
  bool repeated = false;
  // Whether the rank reached the hot threshold in force when the record was
  // written.
  bool hot = false;

  uint64_t HotrapBytes() const { return key.size() + value_bytes; }
};

// Units per period of the counters, which makes values like 2.6 integers.
constexpr uint64_t kCounterUnit = 64;

// The priority of a record to be kept: stable records above unstable ones, then
// by score. A hash of the key breaks ties, which are common among keys accessed
// once; without it a threshold could not split a group of equal scores.
struct Rank {
  bool stable = false;
  float score = 0;
  uint32_t tie = 0;

  bool operator<(const Rank& other) const {
    return std::tie(stable, score, tie) <
           std::tie(other.stable, other.score, other.tie);
  }

  // Not above any record; not above any stable record.
  static Rank Lowest() { return Rank(); }
  static Rank LowestStable() { return Rank{true, 0, 0}; }
};

// A point in RALT's logical time.
struct LogicalTime {
  uint64_t tick = 0;
  // In fractions of a period: see kCounterUnit.
  uint64_t period = 0;
  // Not a time, but what a job must not see change either: whether records are
  // stable from their first access on (FirstReads). Not stored.
  bool first_access_counts = false;
};

class Scoring {
 public:
  // The score of one access at the time of the access.
  static constexpr float kFirstScore = 1;

  Scoring(double alpha, double counter_max, double counter_step)
      : log_alpha_(std::log(alpha)),
        score_max_(static_cast<float>(1 / (1 - alpha))),
        counter_max_(static_cast<uint64_t>(counter_max * kCounterUnit)),
        counter_step_(static_cast<uint64_t>(counter_step * kCounterUnit)) {}

  // Sets score, counter and tag of a record for a first access now. A sampled
  // access represents `weight` accesses, which count as accesses in as many
  // slices.
  void SetFirstAccess(LogicalTime now, uint32_t weight,
                      AccessRecord* record) const {
    record->tick = now.tick;
    record->score =
        std::min(kFirstScore * static_cast<float>(weight), score_max_);
    record->counter_end =
        now.period + std::min(counter_max_, counter_step_ * weight);
    record->repeated = false;
  }

  // Merges `other`, a record of the same key, into `record`.
  void Merge(LogicalTime now, const AccessRecord& other,
             AccessRecord* record) const {
    const uint64_t counter =
        std::min(counter_max_, Counter(now, *record) + Counter(now, other));
    if (record->tick == other.tick) {
      // Both scores include an access in this slice, but a slice counts once.
      record->score =
          std::max({record->score, other.score,
                    std::min(record->score + other.score - 1, score_max_)});
    } else {
      const bool newer = other.tick > record->tick;
      const float newer_score = newer ? other.score : record->score;
      const float older_score = newer ? record->score : other.score;
      const uint64_t newer_tick = newer ? other.tick : record->tick;
      const uint64_t older_tick = newer ? record->tick : other.tick;
      record->score =
          std::min(newer_score + older_score * Fade(newer_tick - older_tick),
                   score_max_);
      if (newer) {
        record->value_bytes = other.value_bytes;
      }
      record->tick = newer_tick;
    }
    record->counter_end = now.period + counter;
    record->repeated = true;
  }

  bool IsStable(LogicalTime now, const AccessRecord& record) const {
    return (record.repeated || now.first_access_counts) &&
           record.counter_end > now.period;
  }

  Rank RankAt(LogicalTime now, const AccessRecord& record,
              uint32_t key_hash) const {
    const uint64_t age = now.tick > record.tick ? now.tick - record.tick : 0;
    return Rank{IsStable(now, record), record.score * Fade(age), key_hash};
  }

  // Returns the accesses in a slice that would keep a key at this score, if
  // they come at random: a slice in which the key is accessed counts once, so
  // that the score of a key with r accesses a slice tends to 1 - e^-r of the
  // highest. Of the hottest keys it only says that they have several.
  double AccessesPerSlice(float score) const {
    constexpr double kHighest = 0.999;
    return -std::log1p(-std::min<double>(score / score_max_, kHighest));
  }

  uint64_t Counter(LogicalTime now, const AccessRecord& record) const {
    return record.counter_end > now.period ? record.counter_end - now.period
                                           : 0;
  }

 private:
  // Returns alpha^slices; 0 if that is too small for a float.
  float Fade(uint64_t slices) const {
    return std::exp(static_cast<float>(log_alpha_ * slices));
  }

  double log_alpha_;
  // The limit of the score of a key that is accessed in every slice.
  float score_max_;
  uint64_t counter_max_;
  uint64_t counter_step_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
