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
// A decision needs so many new samples of the slow tier; the first one more,
// because it has no other before it.
constexpr uint64_t kMinSamples = 16;
constexpr uint64_t kFirstSamples = 64;
// The first one is only that the slow tier is not slower after reads of this
// time: disks that are throttled answer the first reads at once.
constexpr uint64_t kFirstNanos = 150 * 1000 * 1000;
constexpr uint64_t kFirstIntervalNanos = 25 * 1000 * 1000;
constexpr uint64_t kFirstSamplesAnInterval = 1024;
// After this number of looks at which it was slower, a slow tier that was not
// counts as slower.
constexpr uint64_t kConfirmations = 2;
constexpr uint64_t kFirstCredit = kSecond;
constexpr uint64_t kMaxCredit = 600 * kSecond;
// For longer, nobody has read.
constexpr uint64_t kMaxSinceLook = 10 * kSecond;
// What a read of the fast disk takes as long as there was none: more than one
// that the page cache answers on a busy machine, less than one of a disk.
constexpr double kUnknownFastNanos = 40 * 1000;
constexpr size_t kWaited = 1;
// A mean of the fast disk that no read has renewed for so many decisions, four
// a second, says nothing any more.
constexpr uint64_t kMaxFastAge = 1000;

}  // namespace

double TierSpeeds::Latencies::Mean() const {
  return static_cast<double>(nanos.load()) /
         static_cast<double>(std::max<uint64_t>(1, count.load()));
}

void TierSpeeds::Latencies::Clear() {
  count.store(0);
  nanos.store(0);
}

TierSpeeds::TierSpeeds(SystemClock* clock, Logger* logger,
                       const std::string& cf_name)
    : clock_(clock), logger_(logger), cf_name_(cf_name) {}

void TierSpeeds::Configure(const HotRapOptions& options, TierDisks disks) {
  const bool enabled = options.enabled && options.promote_only_if_slower;
  MutexLock lock(&mutex_);
  disks_ = disks;
  if (enabled == enabled_) {
    return;
  }
  enabled_ = enabled;
  Forget();
  if (!slower()) {
    ROCKS_LOG_INFO(logger_,
                   "[%s] HotRAP: reads promote nothing, since all paths are on "
                   "one file system (hotrap.promote_only_if_slower)",
                   cf_name_.c_str());
  }
}

void TierSpeeds::Forget() {
  // Of one file system no part is slower, whatever its reads take.
  const bool one_disk = enabled_ && disks_ == TierDisks::kOne;
  slower_.store(!one_disk, std::memory_order_relaxed);
  for (TierLatencies& tier : latencies_) {
    tier[0].Clear();
    tier[1].Clear();
  }
  decided_ = false;
  begun_nanos_ = 0;
  looked_nanos_ = 0;
  decided_nanos_ = 0;
  credit_nanos_ = 0;
  slow_looks_ = 0;
  fast_means_ = {};
  fast_ages_ = {};
  slow_nanos_ = 0;
  fast_nanos_ = 0;
  samples_.store(0, std::memory_order_relaxed);
  next_look_nanos_.store(0, std::memory_order_relaxed);
  one_in_.store(enabled_ && !one_disk ? 1 : 0, std::memory_order_relaxed);
}

bool TierSpeeds::Count(Device device, bool waited, uint64_t nanos,
                       uint64_t now_nanos) {
  samples_.fetch_add(1, std::memory_order_relaxed);
  if (device != Device::kNone) {
    Latencies& latencies =
        latencies_[static_cast<size_t>(device)][waited ? kWaited : 0];
    latencies.nanos.fetch_add(nanos, std::memory_order_relaxed);
    latencies.count.fetch_add(1, std::memory_order_relaxed);
  }
  return now_nanos >= next_look_nanos_.load(std::memory_order_relaxed) &&
         Look(now_nanos);
}

bool TierSpeeds::Look(uint64_t now_nanos) {
  if (!mutex_.TryLock()) {
    return false;
  }
  bool changed = false;
  if (enabled_ && begun_nanos_ == 0) {
    begun_nanos_ = now_nanos;
    looked_nanos_ = now_nanos;
    decided_nanos_ = now_nanos;
    next_look_nanos_.store(now_nanos + kFirstIntervalNanos / 8,
                           std::memory_order_relaxed);
  } else if (enabled_ && now_nanos >= next_look_nanos_.load()) {
    AdaptSampling(now_nanos);
    if (!decided_ && slow_count() == 0) {
      begun_nanos_ = now_nanos;
    }
    changed = Decide(now_nanos);
    next_look_nanos_.store(
        now_nanos + (decided_ ? kIntervalNanos : kFirstIntervalNanos),
        std::memory_order_relaxed);
  }
  const double slow_micros = slow_nanos_ / 1000;
  const double fast_micros = fast_nanos_ / 1000;
  const bool slower = slower_.load();
  mutex_.Unlock();
  if (changed) {
    ROCKS_LOG_INFO(logger_,
                   "[%s] HotRAP: a read of the slow disk takes %.1f us, and "
                   "would take %.1f us on the fast disk; %s",
                   cf_name_.c_str(), slow_micros, fast_micros,
                   slower ? "hot records are promoted"
                          : "nothing is promoted as long as that is so");
  }
  return changed && !slower;
}

void TierSpeeds::AdaptSampling(uint64_t now_nanos) {
  const uint64_t elapsed =
      std::max<uint64_t>(1, now_nanos - std::min(looked_nanos_, now_nanos));
  looked_nanos_ = now_nanos;
  const double reads_an_interval = static_cast<double>(samples_.exchange(0)) *
                                   one_in_.load() * kIntervalNanos /
                                   static_cast<double>(elapsed);
  // Many only where there is something to decide.
  const bool begins = !decided_ && slow_count() > 0;
  const double one_in =
      reads_an_interval / static_cast<double>(begins ? kFirstSamplesAnInterval
                                                     : kSamplesAnInterval);
  one_in_.store(static_cast<uint32_t>(std::clamp<double>(one_in, 1, kMaxOneIn)),
                std::memory_order_relaxed);
}

void TierSpeeds::LearnFast() {
  for (size_t i = 0; i < fast_means_.size(); i++) {
    // Where little is fast there are few samples, so the mean is smoothed.
    double& mean = fast_means_[i];
    if (fast()[i].count.load() >= kMinSamples) {
      mean = mean == 0 ? fast()[i].Mean() : (3 * mean + fast()[i].Mean()) / 4;
      fast()[i].Clear();
      fast_ages_[i] = 0;
    } else if (++fast_ages_[i] > kMaxFastAge) {
      mean = 0;
    }
  }
}

void TierSpeeds::Compare(double* slow_nanos, double* fast_nanos) {
  const auto samples = static_cast<double>(slow_count());
  for (size_t i = 0; i < fast_means_.size(); i++) {
    const double share = static_cast<double>(slow()[i].count.load()) / samples;
    const double slow_mean = slow()[i].Mean();
    const bool equal = i != kWaited && disks_ == TierDisks::kOfTheSystem;
    double fast_mean = equal ? slow_mean : fast_means_[i];
    if (fast_mean == 0) {
      fast_mean = std::min(slow_mean, kUnknownFastNanos);
    }
    *slow_nanos += share * slow_mean;
    *fast_nanos += share * fast_mean;
  }
}

bool TierSpeeds::Decide(uint64_t now_nanos) {
  const bool first = !decided_;
  if (slow_count() < (first ? kFirstSamples : kMinSamples)) {
    return false;
  }
  LearnFast();
  double slow_nanos = 0;
  double fast_nanos = 0;
  Compare(&slow_nanos, &fast_nanos);
  const bool now_slower =
      slow_nanos >=
      fast_nanos + std::max<double>(kMinGainNanos, fast_nanos / 2);
  if (first && !now_slower && now_nanos < begun_nanos_ + kFirstNanos) {
    return false;
  }
  slow_nanos_ = slow_nanos;
  fast_nanos_ = fast_nanos;
  slow()[0].Clear();
  slow()[1].Clear();
  const uint64_t since =
      std::min(kMaxSinceLook, now_nanos - std::min(decided_nanos_, now_nanos));
  decided_ = true;
  decided_nanos_ = now_nanos;

  const bool was_slower = slower_.load();
  bool slower = was_slower;
  if (now_slower) {
    slow_looks_++;
    credit_nanos_ =
        first ? kFirstCredit
              : std::min(kMaxCredit, credit_nanos_ + kCreditASecond * since);
    slower = was_slower || slow_looks_ >= kConfirmations;
  } else {
    slow_looks_ = 0;
    credit_nanos_ -= std::min(credit_nanos_, since);
    slower = was_slower && credit_nanos_ > 0;
  }
  slower_.store(slower, std::memory_order_relaxed);
  return slower != was_slower || first;
}

void TierSpeeds::AddTo(Figures* figures) const {
  MutexLock lock(&mutex_);
  figures->Add("slow_reads_are_slower", [&] { return slower(); });
  figures->Add("slow_read_nanos",
               [&] { return static_cast<uint64_t>(slow_nanos_); });
  figures->Add("fast_read_nanos",
               [&] { return static_cast<uint64_t>(fast_nanos_); });
  figures->Add("tracked_one_in", [&] { return tracked_one_in(); });
}

}  // namespace ROCKSDB_NAMESPACE
