//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/budget/write_brake.h"

#include <algorithm>
#include <cmath>

namespace ROCKSDB_NAMESPACE {

namespace {

// If no crossing was timed yet, the tier is taken to be emptied at this
// fraction of the user's limit on the rate.
constexpr uint64_t kUnknownDrainDivisor = 2;
// The fraction of the drain that writes get at the end of the ramp.
constexpr uint64_t kRampEndDivisor = 4;

// Returns `low` at 0 and `high` at 1.
double Between(double low, double high, double at) {
  return low * std::pow(high / low, std::clamp(at, 0.0, 1.0));
}

}  // namespace

WriteBrake::Decision WriteBrake::Decide(const Input& input) {
  const auto limit = static_cast<double>(input.limit_bytes);
  const double free = limit - static_cast<double>(input.held_bytes);
  const double room = free - static_cast<double>(input.crossing_bytes) -
                      static_cast<double>(input.kept_bytes);
  const auto next = static_cast<double>(input.next_compaction_bytes);
  const double ramp =
      input.ramp_bytes > 0
          ? static_cast<double>(input.ramp_bytes)
          : std::max(1.0, limit / static_cast<double>(kRampDivisor));
  const double spare = room - next;
  const double leaving =
      std::min(ramp, static_cast<double>(input.leaving_bytes));
  // In ramps, from the place on where nothing is spare: for writes, and for
  // what would stay.
  const double at = (spare - leaving) / ramp;
  const double lasting = (free - next) / ramp;

  Decision decision;
  decision.promotes = lasting >= 1.5;
  decision.most_retained =
      kLeastRetained +
      (kMostRetained - kLeastRetained) * std::clamp(lasting - 1, 0.0, 1.0);
  decision.close = at < 2;
  if (at >= 1) {
    return decision;
  }

  const auto least = static_cast<double>(std::min(
      kLeastBytesPerSec, std::max<uint64_t>(1, input.max_bytes_per_sec)));
  const double most =
      std::max(least, static_cast<double>(input.max_bytes_per_sec));
  const double drain = input.drain_bytes_per_sec > 0
                           ? static_cast<double>(input.drain_bytes_per_sec)
                           : most / static_cast<double>(kUnknownDrainDivisor);
  const double low =
      std::clamp(drain / static_cast<double>(kRampEndDivisor), least, most);
  if (room <= 0 && input.drains) {
    decision.state = State::kStopped;
    return decision;
  }
  decision.state = State::kDelayed;
  const double rate = spare > 0
                          ? Between(low, most, at)
                          : Between(least, low, room / std::max(1.0, next));
  decision.bytes_per_sec = static_cast<uint64_t>(rate);
  return decision;
}

}  // namespace ROCKSDB_NAMESPACE
