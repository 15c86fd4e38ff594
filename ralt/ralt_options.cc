//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/ralt_options.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr uint64_t kMinPhysicalLimit = 32 << 10;
constexpr uint64_t kMinFileBytes = 256 << 10;
constexpr uint64_t kUsualFileBytes = 16 << 20;
// All files stay open, which limits their number.
constexpr uint64_t kMaxFiles = 512;
constexpr uint32_t kMaxBlockBytes = 8 << 10;

bool IsFraction(double value) { return value > 0 && value < 1; }

template <typename Number>
void Default(uint64_t derived, Number* value) {
  if (*value == 0) {
    *value = std::max<uint64_t>(derived, 1);
  }
}
}  // namespace

Status RaltOptions::Sanitize() {
  if (env == nullptr || comparator == nullptr) {
    return Status::InvalidArgument("RALT needs an Env and a Comparator");
  }
  if (path.empty()) {
    return Status::InvalidArgument("RALT needs a path");
  }
  if (fast_budget_bytes == 0) {
    return Status::InvalidArgument("RALT's fast_budget_bytes must be > 0");
  }
  if (!IsFraction(alpha) || !IsFraction(slice_fraction) ||
      !IsFraction(eviction_fraction)) {
    return Status::InvalidArgument(
        "RALT's alpha, slice_fraction and eviction_fraction must be in (0, 1)");
  }
  if (eviction_samples == 0) {
    return Status::InvalidArgument("RALT's eviction_samples must be > 0");
  }
  if (counter_step <= 0 || counter_max < counter_step || counter_max > 1e6) {
    return Status::InvalidArgument(
        "RALT needs 0 < counter_step <= counter_max <= 1e6");
  }
  if (hot_set_min_fraction <= 0 ||
      hot_set_max_fraction < hot_set_min_fraction || hot_set_max_fraction > 1 ||
      unstable_fraction < 0 || unstable_fraction > 1) {
    return Status::InvalidArgument(
        "RALT needs 0 < hot_set_min_fraction <= hot_set_max_fraction <= 1 and "
        "unstable_fraction in [0, 1]");
  }
  if (bloom_bits_per_key < 1 || bloom_bits_per_key > 50) {
    return Status::InvalidArgument(
        "RALT's bloom_bits_per_key must be in [1, 50]");
  }
  if (level_ratio < 2 || level0_runs == 0) {
    return Status::InvalidArgument(
        "RALT needs level_ratio >= 2 and level0_runs >= 1");
  }
  if (block_bytes == 0 || block_bytes > kMaxBlockBytes) {
    return Status::InvalidArgument("RALT's block_bytes must be in [1, 8192]");
  }
  if (buffer_bytes == 0) {
    return Status::InvalidArgument("RALT's buffer_bytes must be > 0");
  }

  if (fs == nullptr) {
    fs = env->GetFileSystem();
  }
  if (clock == nullptr) {
    clock = env->GetSystemClock().get();
  }
  Default(fast_budget_bytes, &counter_period_bytes);
  SetDefaults();
  return Status::OK();
}

void RaltOptions::SetDefaults() {
  Default(fast_budget_bytes / 2, &hot_set_limit_bytes);
  Default(
      std::max(DefaultRaltPhysicalLimit(fast_budget_bytes), kMinPhysicalLimit),
      &physical_limit_bytes);
  Default(std::min(buffer_bytes / 4, FlushShare(physical_limit_bytes)),
          &seal_bytes);
  Default(fast_budget_bytes / 20, &seal_accessed_bytes);
  Default(
      std::clamp(physical_limit_bytes / 16,
                 std::min(kMinFileBytes, FlushShare(physical_limit_bytes)),
                 std::max(kUsualFileBytes, physical_limit_bytes / kMaxFiles)),
      &file_bytes);
}

void RaltOptions::SetCaps(const RaltCaps& caps) {
  // Readers of what is live must not see a zero.
  RaltOptions fresh;
  fresh.fast_budget_bytes = caps.fast_budget_bytes;
  fresh.buffer_bytes = caps.buffer_bytes;
  fresh.SetDefaults();
  fast_budget_bytes = caps.fast_budget_bytes;
  auto_tune = caps.auto_tune;
  hot_set_limit_bytes = fresh.hot_set_limit_bytes;
  physical_limit_bytes = fresh.physical_limit_bytes;
  file_bytes = fresh.file_bytes;
  buffer_bytes = caps.buffer_bytes;
  seal_bytes = fresh.seal_bytes;
  seal_accessed_bytes = fresh.seal_accessed_bytes;
}

uint64_t RaltOptions::InRecordBounds(double bytes) const {
  const uint64_t largest = RecordShare(
      std::max<uint64_t>(physical_limit_bytes, fast_budget_bytes / 2));
  return static_cast<uint64_t>(
      std::clamp(bytes, 1.0, std::max(1.0, static_cast<double>(largest))));
}

uint64_t RaltOptions::RoomToLearn(uint64_t tracked_bytes,
                                  uint64_t physical_bytes) const {
  if (!auto_tune || tracked_bytes == 0) {
    return 0;
  }
  const double largest_hot_set_bytes =
      hot_set_max_fraction * static_cast<double>(fast_budget_bytes);
  return static_cast<uint64_t>(largest_hot_set_bytes *
                               static_cast<double>(physical_bytes) /
                               static_cast<double>(tracked_bytes));
}

uint64_t RaltOptions::RecordLimit(uint64_t tuned_bytes,
                                  uint64_t room_to_learn) const {
  return std::max(tuned_bytes, std::min(tuned_bytes + room_to_learn,
                                        RecordShare(physical_limit_bytes)));
}

uint64_t RaltOptions::PhysicalLimit(uint64_t record_limit) const {
  return std::max<uint64_t>(physical_limit_bytes, record_limit / 5 * 8);
}

uint64_t RaltOptions::MaxHotSetBytes() const {
  double most = hot_set_max_fraction * static_cast<double>(fast_budget_bytes);
  if (hot_level_bytes > 0) {
    // It may still be that of a larger budget.
    most = std::min(most, kMaxHotShare * static_cast<double>(hot_level_bytes));
  }
  return static_cast<uint64_t>(std::max(
      most, hot_set_min_fraction * static_cast<double>(fast_budget_bytes)));
}

uint64_t RaltOptions::InHotSetBounds(double bytes) const {
  const auto most = static_cast<double>(MaxHotSetBytes());
  const double least = hot_set_min_fraction * fast_budget_bytes;
  return static_cast<uint64_t>(std::clamp(bytes, std::min(least, most), most));
}

}  // namespace ROCKSDB_NAMESPACE
