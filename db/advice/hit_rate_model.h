//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Which hit rate another fast budget would give: what hot records would bring
// (HitRateCurve), what cold ones that lie on the fast tier bring by chance, and
// what was measured with the budget in force.
//
// Thread safety: constant after construction.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/heat/hit_rate_curve.h"

namespace ROCKSDB_NAMESPACE {

// What is known of a column family, in bytes.
struct TierBytes {
  // The fast budget, and what of it may hold tables.
  uint64_t budget = 0;
  uint64_t fast_target = 0;
  // File bytes of tables: on the fast path, and all.
  uint64_t fast_tables = 0;
  uint64_t all_tables = 0;
  // Bytes of a record in a file for each HotRAP byte: below 1 if values
  // compress.
  double file_ratio = 1;
};

class HitRateModel {
 public:
  struct Point {
    double budget_bytes = 0;
    // Share of the point reads from tables that the fast tier would answer.
    double hit_rate = 0;
    // It should lie within so much of that: two standard errors of the
    // sampling, and how far the model is from what was measured.
    double error = 0;
  };

  HitRateModel(const HitRateCurve& curve, const TierBytes& bytes);

  // Whether enough is known; else the rates are 0.
  bool known() const;
  Point At(double budget_bytes) const;
  // From an eighth of the budget to eight times as much, or all data.
  std::vector<Point> Points() const;

  // As measured with the budget in force, by the same accesses.
  double measured() const { return curve_.fast_share; }
  double budget_bytes() const { return static_cast<double>(bytes_.budget); }
  // File bytes of all tables.
  double data_bytes() const { return static_cast<double>(bytes_.all_tables); }
  const HitRateCurve& curve() const { return curve_; }

  // {"budget_bytes":..,"measured_hit_rate":..,"accesses":..,"points":[..]}
  std::string ToJson() const;

 private:
  // The rate that follows from the curve alone.
  double Uncorrected(double budget_bytes, double* error) const;

  const HitRateCurve curve_;
  const TierBytes bytes_;
  // Logarithm of the odds of a miss as measured, less those of the model.
  double correction_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
