//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/advice/hit_rate_model.h"

#include <algorithm>
#include <cmath>

#include "logging/event_logger.h"
#include "plugin/hotrap/ralt/ralt_options.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Rates nearer to 0 or 1 than this say nothing about the odds.
constexpr double kNearest = 1e-3;

double LogOddsOfMiss(double hit_rate) {
  const double rate = std::clamp(hit_rate, kNearest, 1 - kNearest);
  return std::log((1 - rate) / rate);
}

// Part of the budget that tables fill where nothing better is known: the rest
// is for RALT and for the room of one compaction.
constexpr double kTableShare = 0.7;

}  // namespace

HitRateModel::HitRateModel(const HitRateCurve& curve, const TierBytes& bytes)
    : curve_(curve), bytes_(bytes) {
  if (known()) {
    double error = 0;
    const double rate = Uncorrected(static_cast<double>(bytes_.budget), &error);
    correction_ = LogOddsOfMiss(curve_.fast_share) - LogOddsOfMiss(rate);
  }
}

bool HitRateModel::known() const {
  return !curve_.points.empty() && bytes_.budget > 0;
}

double HitRateModel::Uncorrected(double budget_bytes, double* error) const {
  const auto budget = static_cast<double>(bytes_.budget);
  const auto data = static_cast<double>(bytes_.all_tables);
  // Tables fill the same part of another budget.
  const double share =
      bytes_.fast_tables > 0
          ? std::clamp(static_cast<double>(bytes_.fast_tables) / budget, 0.3,
                       1.0)
          : kTableShare;
  const double tables = std::min(data, budget_bytes * share);
  const double ratio = std::max(bytes_.file_ratio, 1e-3);
  // RALT's cap on the hot set is in HotRAP bytes. What is beyond it stays while
  // there is room, the best first.
  const double room = std::min(
      std::max(RaltOptions().hot_set_max_fraction * budget_bytes, tables),
      tables / ratio);
  const HitRateCurve::Point hot = curve_.At(room);
  *error = hot.error;
  // Beside the hot records lie others, of which each is as likely to be read.
  const double hot_file_bytes = std::min(room, curve_.stable_bytes) * ratio;
  const double others = data - hot_file_bytes;
  const double chance =
      others > 0 ? std::clamp((tables - hot_file_bytes) / others, 0.0, 1.0) : 1;
  return hot.hit_rate + (1 - hot.hit_rate) * chance;
}

HitRateModel::Point HitRateModel::At(double budget_bytes) const {
  if (!known()) {
    return Point{budget_bytes, 0, 0};
  }
  double error = 0;
  const double rate = Uncorrected(budget_bytes, &error);
  const double corrected =
      1 / (1 + std::exp(LogOddsOfMiss(rate) + correction_));
  return Point{budget_bytes, corrected,
               std::min(1.0, 2 * error + std::abs(corrected - rate))};
}

std::vector<HitRateModel::Point> HitRateModel::Points() const {
  std::vector<Point> points;
  if (!known()) {
    return points;
  }
  for (const double factor : {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0,
                              1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0}) {
    const double budget = factor * static_cast<double>(bytes_.budget);
    points.push_back(At(budget));
    if (factor > 1 && budget > 1.5 * static_cast<double>(bytes_.all_tables)) {
      break;
    }
  }
  return points;
}

std::string HitRateModel::ToJson() const {
  JSONWriter json;
  json << "budget_bytes" << bytes_.budget << "known" << (known() ? 1 : 0)
       << "accesses" << static_cast<uint64_t>(curve_.accesses) << "sampled_keys"
       << curve_.sampled_keys << "measured_hit_rate" << curve_.fast_share
       << "hot_set_bytes" << static_cast<uint64_t>(curve_.stable_bytes);
  json.AddKey("points");
  json.StartArray();
  for (const Point& point : Points()) {
    json.StartArrayedObject();
    json << "budget_bytes" << static_cast<uint64_t>(point.budget_bytes)
         << "hit_rate" << point.hit_rate << "error" << point.error;
    json.EndArrayedObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Get();
}

}  // namespace ROCKSDB_NAMESPACE
