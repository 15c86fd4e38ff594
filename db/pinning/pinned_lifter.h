//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Brings the pinned records of one column family to the fast tier without a
// read by the user, in the background:
//
//     survey    measures the pinned ranges, and puts in force what fits
//     pass      reads them in the slow tier, in key order, and puts what the
//               fast tier lacks into the promotion cache
//     the end   what is left in the cache is promoted, however little
//
// A pass is due when the pinned ranges change, when HotRAP becomes active, and
// when pinned records went down or came in below (PinnedFigures::RequestLift).
// Later records need none: what is written is on the fast tier, and crossings
// keep it there.
//
// It runs in the compactions' thread pool like Relocator, in short steps, and
// at relocation_bytes_per_sec; it takes at most a tenth of the time unless the
// ranges have changed. While no promotion may start (PromotionGate) it ends,
// and goes on with the next version.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/hotrap/db/pinning/pinned_scan.h"
#include "plugin/hotrap/db/state/key_range_set.h"

namespace ROCKSDB_NAMESPACE {

class PromotionScheduler;
class TierState;
struct MutableCFOptions;
struct SuperVersion;

class PinnedLifter {
 public:
  // Both must outlive this object.
  PinnedLifter(TierState* state, PromotionScheduler* promotions);
  PinnedLifter(const PinnedLifter&) = delete;
  PinnedLifter& operator=(const PinnedLifter&) = delete;

  // Takes the options over, at each SuperVersion, and schedules what is due.
  // REQUIRES: DB mutex held.
  void Configure(const MutableCFOptions& options, bool active);

  // ---- Any thread ----------------------------------------------------------

  // Schedules what is due. Cheap.
  void MaybeSchedule();
  // Whether all that was asked for is done.
  bool idle() const;

 private:
  static constexpr uint64_t kPollMicros = 20 * 1000;
  static constexpr uint64_t kSurveyMicros = 1000 * 1000;
  static constexpr uint64_t kBatchBytes = 1 << 20;
  // A pass rests for this many times as long as it took.
  static constexpr uint64_t kRestFactor = 9;

  bool SurveyIsDue() const;
  bool PassIsDue() const;
  // Whether the last batch has used up what the rate, as it is now, allows.
  bool RateIsUsedUp(uint64_t now_micros) const;

  // What a step works on.
  struct View {
    SuperVersion* sv = nullptr;  // referenced
    int first_slow_level = 0;
    uint64_t wanted_number = 0;
    std::vector<RangeOfKeys> wanted;
    KeyRangeSet in_force{nullptr};
    uint64_t limit_bytes = 0;
    bool may_promote = false;
  };

  void Run();
  enum class Next { kGoOn, kPoll, kEnd };
  Next Step();
  // Returns kGoOn if there is something to do.
  Next Begin(View* view);
  void End(const View& view);
  void Survey(const View& view, const PinnedScan& scan);
  // Reads a batch. Returns its bytes.
  uint64_t ReadOn(const View& view, const PinnedScan& scan);
  void BeginPass();
  void EndPass();
  // Puts what was read into the cache, as far as there is room.
  void Admit();
  uint64_t NowMicros() const;

  TierState* const state_;
  PromotionScheduler* const promotions_;
  std::atomic<bool> active_{false};
  std::atomic<uint64_t> bytes_per_sec_{0};
  std::atomic<bool> scheduled_{false};
  std::atomic<uint64_t> calls_{0};
  // In force: the number of KeyRules and of the version.
  std::atomic<uint64_t> wanted_number_{0};
  std::atomic<uint64_t> version_number_{0};
  std::atomic<uint64_t> surveyed_wanted_{0};
  std::atomic<uint64_t> surveyed_version_{0};
  std::atomic<uint64_t> next_survey_micros_{0};
  std::atomic<uint64_t> next_pass_micros_{0};
  // Of PinnedFigures::lift_requests().
  std::atomic<uint64_t> lifts_done_{0};
  std::atomic<bool> in_pass_{false};

  // Of the steps.
  uint64_t lifts_begun_ = 0;
  uint64_t pass_began_micros_ = 0;
  std::vector<RangeOfKeys> pass_ranges_;
  size_t range_ = 0;
  std::optional<std::string> position_;
  std::vector<PromotionRecordPtr> read_;  // not in the cache yet
  // The last batch, and when it was read.
  uint64_t batch_bytes_ = 0;
  uint64_t batch_micros_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
