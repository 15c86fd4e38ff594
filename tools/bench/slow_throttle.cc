//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/slow_throttle.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

struct Profile {
  const char* name;
  int64_t iops;
  int64_t read_bytes_per_sec;
  int64_t write_bytes_per_sec;
};

constexpr int64_t kMiB = int64_t{1} << 20;

constexpr Profile kProfiles[] = {
    {"gp3", 10000, 1000 * kMiB, 1000 * kMiB},
    {"hdd", 400, 260 * kMiB, 250 * kMiB},
};

// A cloud disk charges a large request as several operations of this size.
constexpr uint64_t kBytesAnOperation = uint64_t{256} << 10;

// Short, so that latencies stay close to a disk's, but long enough that a
// refill holds a few operations of the slowest profile.
constexpr int64_t kRefillMicros = 10 * 1000;
constexpr int32_t kFairness = 10;

std::unique_ptr<RateLimiter> NewLimiter(int64_t tokens_per_sec) {
  return std::unique_ptr<RateLimiter>(NewGenericRateLimiter(
      tokens_per_sec, kRefillMicros, kFairness, RateLimiter::Mode::kAllIo));
}

void Take(RateLimiter* limiter, uint64_t tokens) {
  // Requests larger than one burst are never granted, so split them.
  const uint64_t burst = static_cast<uint64_t>(limiter->GetSingleBurstBytes());
  while (tokens > 0) {
    const uint64_t part = std::min(tokens, burst);
    limiter->Request(static_cast<int64_t>(part), Env::IO_USER,
                     /*stats=*/nullptr, RateLimiter::OpType::kRead);
    tokens -= part;
  }
}

}  // namespace

Status SlowThrottle::FromProfile(const std::string& profile,
                                 std::shared_ptr<SlowThrottle>* result) {
  for (const Profile& known : kProfiles) {
    if (profile == known.name) {
      auto throttle = std::make_shared<SlowThrottle>();
      throttle->read_ = {NewLimiter(known.iops),
                         NewLimiter(known.read_bytes_per_sec)};
      throttle->write_ = {NewLimiter(known.iops),
                          NewLimiter(known.write_bytes_per_sec)};
      *result = std::move(throttle);
      return Status::OK();
    }
  }
  return Status::InvalidArgument("unknown throttle profile (gp3, hdd)",
                                 profile);
}

void SlowThrottle::Wait(const Direction& direction, uint64_t bytes) {
  Take(direction.operations.get(),
       std::max<uint64_t>(1,
                          (bytes + kBytesAnOperation - 1) / kBytesAnOperation));
  Take(direction.bytes.get(), bytes);
}

void SlowThrottle::WaitToRead(uint64_t bytes) { Wait(read_, bytes); }

void SlowThrottle::WaitToWrite(uint64_t bytes) { Wait(write_, bytes); }

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
