//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which share of the accesses would find their records among the hottest ones,
// by the room for these: a miss-ratio curve, the other way up.
//
// Thread safety: plain values.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct HitRateCurve {
  struct Point {
    // Room for hot records, in HotRAP bytes: key and value bytes of the user's
    // records.
    double bytes = 0;
    // Share of the accesses whose record was among the hottest that fit.
    double hit_rate = 0;
    // One standard error of it, from sampling.
    double error = 0;
  };

  // Ascending by bytes. Empty while too little is known.
  std::vector<Point> points;
  // Recent accesses that this is about, older ones counted less; how many of
  // them a table on the fast path answered, as a share; and sampled keys.
  double accesses = 0;
  double fast_share = 0;
  uint64_t sampled_keys = 0;
  // All stable records: more room would hold no more hot records.
  double stable_bytes = 0;

  // The curve at `bytes`, between its points and flat beyond them. Zero
  // without points.
  Point At(double bytes) const;

  void EncodeTo(std::string* dst) const;
  // Returns Corruption if the input is damaged.
  Status DecodeFrom(const Slice& input);
};

}  // namespace ROCKSDB_NAMESPACE
