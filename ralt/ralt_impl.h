//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Lock order: the mutex of JobScheduler first, then the spin locks of
// AccessBuffer, AccessClock and VersionHolder and the mutex of RunStore. Only
// the first is held for more than a few instructions. RecordAccess and IsHot do
// not take it, except for the one access in many thousands that schedules the
// background job.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "plugin/hotrap/ralt/access/access_buffer.h"
#include "plugin/hotrap/ralt/access/access_clock.h"
#include "plugin/hotrap/ralt/access/access_record.h"
#include "plugin/hotrap/ralt/access/recent_keys.h"
#include "plugin/hotrap/ralt/heat/hit_rate_sample.h"
#include "plugin/hotrap/ralt/job_scheduler.h"
#include "plugin/hotrap/ralt/ralt.h"
#include "plugin/hotrap/ralt/ralt_job.h"
#include "plugin/hotrap/ralt/tree/run_store.h"
#include "port/port.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The foreground: what the caller's threads do. The rest is RaltJob's.
class RaltImpl : public Ralt {
 public:
  // REQUIRES: `options` are sanitized.
  explicit RaltImpl(const RaltOptions& options);
  ~RaltImpl() override;

  // The part of Open that does I/O.
  void Start();

  void RecordAccess(const Slice& user_key, uint64_t value_bytes,
                    uint32_t weight, bool fast) override;
  bool IsHot(const Slice& user_key) const override;
  bool IsHotWithOneMoreAccess(const Slice& user_key) const override;
  bool SecondAccessMakesHot() const override {
    return store_.hot_score() <= Scoring::kFirstScore;
  }
  void SetLearning(bool learning) override { job_.SetLearning(learning); }
  void SetTierSizes(uint64_t hot_level_bytes, uint64_t data_bytes) override {
    options_.hot_level_bytes = hot_level_bytes;
    job_.SetDataBytes(data_bytes);
  }
  uint64_t HotBytes(const Slice& begin, const Slice& end,
                    uint64_t* error) const override;
  std::optional<uint64_t> PhysicalBytes() const override;
  void SetCaps(const RaltCaps& caps) override;
  Status Flush() override { return scheduler_.Flush(); }
  Status WaitForIdle() override { return scheduler_.WaitForIdle(); }
  void CancelWork() override { scheduler_.Cancel(); }
  RaltStats GetStats() const override;
  HitRateCurve HitRates() const override { return sample_.Curve(); }
  Status Survey(HeatSurvey* survey) const override;
  Status BackgroundError() const override {
    return scheduler_.BackgroundError();
  }

 private:
  // Takes over what SetCaps() was given. For the background job.
  void TakeCaps();

  RaltOptions options_;
  const Scoring scoring_;
  AccessClock access_clock_;
  AccessBuffer buffer_;
  RecentKeys recent_keys_;
  RunStore store_;
  HitRateSample sample_;
  JobScheduler scheduler_;
  RaltJob job_;
  std::atomic<uint64_t> max_key_bytes_;
  std::atomic<uint64_t> accesses_too_large_{0};

  port::Mutex caps_mutex_;  // a leaf
  // Protected by caps_mutex_.
  std::optional<RaltCaps> new_caps_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
