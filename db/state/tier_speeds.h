//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Whether reads of the slow tier are slower than those of the fast one. Where
// they are not, because the page cache has the tables, or both paths are on one
// device, HotRAP can gain nothing and must cost next to nothing: only one read
// in kTrackedOneIn is tracked then, and nothing is promoted.
//
// Some reads, chosen at random, are measured: the samples. Every kIntervalNanos
// those of the slow tier are compared with what they would take on the fast
// one, like with like: reads that waited, for a disk, with those of the fast
// tier that did, and reads that did not, because memory had the blocks, with
// those that did not either. Otherwise a fast tier that happens to be in the
// page cache would look like a faster disk.
//
//   would be = share of reads that waited * fast reads that waited
//              + share of others          * fast reads that did not wait
//   slow - would be >= kMinGainNanos and >= would be / 2: slower, at the second
//                                                         such look
//   else: not, once the credit is used up
//
// Until the fast tier was read often enough, its reads count as 40 us. On file
// systems of the operating system, reads that did not wait count as equal: no
// disk makes them faster, and what is long about them is a CPU that a
// hypervisor took away. A batch of which one read has waited has waited. If all
// paths are on one such file system, nothing is measured: no tier is slower.
//
// The credit is why a disk counts as slow for some time after its reads were.
// While hot records are promoted, the slow disk gets less to do, and may be
// fast for that very reason. Each second in which its reads are slower earns
// kCreditASecond others. Until the first decision, after up to 0.15 s, the slow
// tier counts as slower.
//
// Which reads are tracked does not depend on their keys: what RALT sees has the
// same shares as all reads, and its clock, which counts accessed bytes, goes
// slower by the same factor. So what it knows stays right.
//
// Thread safety: any thread, unless a comment says otherwise.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "plugin/hotrap/db/state/figures.h"
#include "plugin/hotrap/db/state/tier_disks.h"
#include "port/port.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/system_clock.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class Logger;

class TierSpeeds {
 public:
  // The tiers are looked at so often.
  static constexpr uint64_t kIntervalNanos = 250 * 1000 * 1000;
  // One read in so many is a sample if there are many reads, and one in fewer
  // if that gives less than this number of samples an interval.
  static constexpr uint64_t kMaxOneIn = 512;
  static constexpr uint64_t kSamplesAnInterval = 64;
  // What a promotion must save of each read to be worth its CPU: more than a
  // larger block from the page cache takes, less than any disk.
  static constexpr uint64_t kMinGainNanos = 20 * 1000;
  static constexpr uint64_t kCreditASecond = 4;
  static constexpr uint32_t kTrackedOneIn = 64;

  // `logger` may be nullptr. Both must outlive this object.
  TierSpeeds(SystemClock* clock, Logger* logger, const std::string& cf_name);
  TierSpeeds(const TierSpeeds&) = delete;
  TierSpeeds& operator=(const TierSpeeds&) = delete;

  // Returns whether all reads are to be tracked, and slow ones are a reason to
  // promote.
  bool slower() const { return slower_.load(std::memory_order_relaxed); }

  // One read in so many is tracked.
  uint32_t tracked_one_in() const { return slower() ? 1 : kTrackedOneIn; }

  // Returns whether the read that begins is a sample.
  bool IsSample() const {
    const uint32_t one_in = one_in_.load(std::memory_order_relaxed);
    return one_in == 1 || (one_in > 1 && Random::GetTLSInstance()->OneIn(
                                             static_cast<int>(one_in)));
  }

  // The device that has answered a read: none if it was in memory, or if its
  // time tells nothing.
  enum class Device : uint32_t { kFast, kSlow, kNone };
  // Counts a sample that took `nanos` and ended at `now_nanos`; `waited`: its
  // thread gave up the CPU meanwhile. Returns whether by that the slow tier is
  // no longer slower.
  bool Count(Device device, bool waited, uint64_t nanos, uint64_t now_nanos);
  uint64_t NowNanos() const { return clock_->NowNanos(); }

  // For TierState, with the DB mutex held.
  void Configure(const HotRapOptions& options, TierDisks disks);

  // Adds the statistics property's figures.
  void AddTo(Figures* figures) const;

 private:
  static constexpr size_t kDevices = 2;

  struct Latencies {
    // Of samples that no decision has used yet.
    std::atomic<uint64_t> count{0};
    std::atomic<uint64_t> nanos{0};

    // 0 if there are none.
    double Mean() const;
    // Samples that come meanwhile may be lost.
    void Clear();
  };

  // By whether they waited.
  using TierLatencies = std::array<Latencies, 2>;

  TierLatencies& slow() {
    return latencies_[static_cast<size_t>(Device::kSlow)];
  }
  TierLatencies& fast() {
    return latencies_[static_cast<size_t>(Device::kFast)];
  }
  uint64_t slow_count() { return slow()[0].count + slow()[1].count; }

  // Looks at the tiers, unless another thread does. Returns what Count() does.
  bool Look(uint64_t now_nanos);
  // REQUIRES, for all of these: mutex_ held.
  // More samples where there are few reads.
  void AdaptSampling(uint64_t now_nanos);
  // Returns whether the state has changed, or is known for the first time.
  bool Decide(uint64_t now_nanos);
  void LearnFast();
  // What the samples of the slow tier took, and would take on the fast one.
  void Compare(double* slow_nanos, double* fast_nanos);
  void Forget();

  SystemClock* const clock_;
  Logger* const logger_;
  const std::string cf_name_;

  std::atomic<bool> slower_{true};
  // 0 if nothing is to be measured.
  std::atomic<uint32_t> one_in_{0};
  std::atomic<uint64_t> samples_{0};
  std::atomic<uint64_t> next_look_nanos_{0};
  std::array<TierLatencies, kDevices> latencies_;

  mutable port::Mutex mutex_;  // a leaf
  // Protected by mutex_.
  bool enabled_ = false;
  TierDisks disks_ = TierDisks::kUnknown;
  bool decided_ = false;
  // Time of the first sample, 0 before it, or of the last look before the slow
  // tier's first one; of the last look; of the last decision.
  uint64_t begun_nanos_ = 0;
  uint64_t looked_nanos_ = 0;
  uint64_t decided_nanos_ = 0;
  uint64_t credit_nanos_ = 0;
  uint64_t slow_looks_ = 0;
  // Of the fast tier, by whether they waited; 0 while there were few.
  std::array<double, 2> fast_means_{};
  // Decisions since they were renewed.
  std::array<uint64_t, 2> fast_ages_{};
  // Of the last decision.
  double slow_nanos_ = 0;
  double fast_nanos_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
