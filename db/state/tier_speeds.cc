//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/tier_speeds.h"

#include <algorithm>

#include "logging/logging.h"
#include "rocksdb/env.h"
#include "util/math.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint64_t kSecond = 1000 * 1000 * 1000;
// The first look needs so many samples of the slow tier, a later one so many
// new ones.
constexpr uint64_t kFirstSamples = 64;
constexpr uint64_t kMinSamples = 16;
// Left out of the mean: one in so many samples, and at least this number.
constexpr uint64_t kOutlierDivisor = 50;
constexpr uint64_t kMinOutliers = 4;
// After this number of looks at which it was slower, a slow tier that was not
// counts as slower.
constexpr uint64_t kConfirmations = 2;
constexpr uint64_t kFirstCredit = kSecond;
constexpr uint64_t kMaxCredit = 600 * kSecond;
// For longer, nobody has read.
constexpr uint64_t kMaxSinceLook = 10 * kSecond;

}  // namespace

void TierSpeeds::Latencies::Add(uint64_t nanos) {
  nanos = std::max<uint64_t>(nanos, kBucketsPerOctave);
  const auto octave = static_cast<size_t>(FloorLog2(nanos));
  // The two bits below the highest one.
  const size_t part = (nanos >> (octave - 2)) % kBucketsPerOctave;
  counts[octave * kBucketsPerOctave + part].fetch_add(
      1, std::memory_order_relaxed);
  fresh.fetch_add(1, std::memory_order_relaxed);
}

uint64_t TierSpeeds::Latencies::Mean() const {
  std::array<uint32_t, kBuckets> now;
  uint64_t all = 0;
  for (size_t i = 0; i < kBuckets; i++) {
    now[i] = counts[i].load(std::memory_order_relaxed);
    all += now[i];
  }
  const uint64_t outliers = std::max(kMinOutliers, all / kOutlierDivisor);
  if (all <= outliers) {
    return 0;
  }
  uint64_t left = all - outliers;
  double sum = 0;
  for (size_t i = 0; i < kBuckets && left > 0; i++) {
    const uint64_t taken = std::min<uint64_t>(left, now[i]);
    const auto octave =
        static_cast<double>(uint64_t{1} << (i / kBucketsPerOctave));
    const double part = static_cast<double>(i % kBucketsPerOctave) + 0.5;
    sum += static_cast<double>(taken) * octave * (1 + part / kBucketsPerOctave);
    left -= taken;
  }
  return static_cast<uint64_t>(sum / static_cast<double>(all - outliers));
}

void TierSpeeds::Latencies::Age() {
  for (auto& count : counts) {
    const uint32_t was = count.load(std::memory_order_relaxed);
    count.fetch_sub(was - was / 2, std::memory_order_relaxed);
  }
  fresh.store(0, std::memory_order_relaxed);
}

TierSpeeds::TierSpeeds(SystemClock* clock, Logger* logger,
                       const std::string& cf_name)
    : clock_(clock), logger_(logger), cf_name_(cf_name) {}

void TierSpeeds::Configure(const HotRapOptions& options) {
  const bool enabled = options.enabled && options.promote_only_if_slower;
  MutexLock lock(&mutex_);
  if (enabled != enabled_) {
    enabled_ = enabled;
    Forget();
  }
}

void TierSpeeds::Forget() {
  slower_.store(true, std::memory_order_relaxed);
  decided_.store(false, std::memory_order_relaxed);
  for (Latencies& latencies : latencies_) {
    for (auto& count : latencies.counts) {
      count.store(0, std::memory_order_relaxed);
    }
    latencies.fresh.store(0, std::memory_order_relaxed);
  }
  samples_.store(0, std::memory_order_relaxed);
  looked_nanos_ = clock_->NowNanos();
  decided_nanos_ = looked_nanos_;
  credit_nanos_ = 0;
  slow_looks_ = 0;
  slow_nanos_ = 0;
  fast_nanos_ = 0;
  next_look_nanos_.store(looked_nanos_ + kIntervalNanos,
                         std::memory_order_relaxed);
  one_in_.store(enabled_ ? 1 : 0, std::memory_order_relaxed);
}

void TierSpeeds::Count(Device device, uint64_t begin_nanos,
                       uint64_t end_nanos) {
  samples_.fetch_add(1, std::memory_order_relaxed);
  if (device != Device::kNone) {
    latencies_[static_cast<size_t>(device)].Add(
        end_nanos - std::min(begin_nanos, end_nanos));
  }
  if (end_nanos >= next_look_nanos_.load(std::memory_order_relaxed) ||
      (!decided_.load(std::memory_order_relaxed) &&
       slow().fresh.load(std::memory_order_relaxed) >= kFirstSamples)) {
    Look(end_nanos);
  }
}

void TierSpeeds::Look(uint64_t now_nanos) {
  if (!mutex_.TryLock()) {
    return;
  }
  const uint64_t elapsed =
      std::max<uint64_t>(1, now_nanos - std::min(looked_nanos_, now_nanos));
  const bool due = elapsed >= kIntervalNanos || !decided_.load();
  bool changed = false;
  if (enabled_ && due) {
    // More samples where there are few reads: they cost nothing there.
    const double reads = static_cast<double>(samples_.exchange(0)) *
                         one_in_.load() * kIntervalNanos /
                         static_cast<double>(elapsed);
    one_in_.store(static_cast<uint32_t>(std::clamp<double>(
                      reads / kSamplesAnInterval, 1, kMaxOneIn)),
                  std::memory_order_relaxed);
    looked_nanos_ = now_nanos;
    next_look_nanos_.store(now_nanos + kIntervalNanos,
                           std::memory_order_relaxed);
    if (slow().fresh.load() >=
        (decided_.load() ? kMinSamples : kFirstSamples)) {
      changed = Decide(now_nanos);
    }
  }
  const double slow_micros = static_cast<double>(slow_nanos_) / 1000;
  const double fast_micros = static_cast<double>(fast_nanos_) / 1000;
  const bool slower = slower_.load();
  mutex_.Unlock();
  if (changed) {
    ROCKS_LOG_INFO(logger_,
                   "[%s] HotRAP: a read of the slow disk takes %.1f us, of the "
                   "fast disk %.1f us; %s",
                   cf_name_.c_str(), slow_micros, fast_micros,
                   slower ? "hot records are promoted"
                          : "nothing is promoted as long as that is so");
  }
}

bool TierSpeeds::Decide(uint64_t now_nanos) {
  slow_nanos_ = slow().Mean();
  fast_nanos_ = fast().Mean();
  const bool decided = decided_.exchange(true);
  const bool was_slower = slower_.load();
  const uint64_t gain = slow_nanos_ - std::min(slow_nanos_, fast_nanos_);
  uint64_t needed = std::max(kMinGainNanos, fast_nanos_ / 2);
  if (decided && was_slower) {
    needed /= 2;
  }
  const uint64_t since =
      std::min(kMaxSinceLook, now_nanos - std::min(decided_nanos_, now_nanos));
  decided_nanos_ = now_nanos;
  slow().Age();
  if (fast().fresh.load() >= kMinSamples) {
    fast().Age();
  }
  bool slower = was_slower;
  if (gain >= needed) {
    slow_looks_++;
    credit_nanos_ =
        decided ? std::min(kMaxCredit, credit_nanos_ + kCreditASecond * since)
                : kFirstCredit;
    slower = was_slower || slow_looks_ >= kConfirmations;
  } else {
    slow_looks_ = 0;
    credit_nanos_ -= std::min(credit_nanos_, since);
    slower = was_slower && credit_nanos_ > 0;
  }
  slower_.store(slower, std::memory_order_relaxed);
  return slower != was_slower || !decided;
}

void TierSpeeds::AddTo(Figures* figures) const {
  MutexLock lock(&mutex_);
  figures->Add("slow_reads_are_slower", [&] { return slower(); });
  figures->Add("slow_read_nanos", [&] { return slow_nanos_; });
  figures->Add("fast_read_nanos", [&] { return fast_nanos_; });
  figures->Add("tracked_one_in", [&] {
    return slower() ? 1 : one_in_.load(std::memory_order_relaxed);
  });
}

}  // namespace ROCKSDB_NAMESPACE
