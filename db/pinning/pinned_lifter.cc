//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/pinning/pinned_lifter.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/promotion/promotion_gate.h"
#include "plugin/hotrap/db/promotion/promotion_scheduler.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// The rest of the last fast level stays for crossings to take down: a level
// full of pinned records would be compacted again and again for nothing.
constexpr uint64_t kMaxShareOfLevel = 80;  // percent

uint64_t LimitBytes(const FastTierSizes& sizes, uint32_t percent) {
  return std::min(sizes.budget_bytes() / 100 * percent,
                  sizes.last_target_bytes() / 100 * kMaxShareOfLevel);
}

}  // namespace

PinnedLifter::PinnedLifter(TierState* state, PromotionScheduler* promotions)
    : state_(state), promotions_(promotions) {}

uint64_t PinnedLifter::NowMicros() const {
  // The wall clock may jump backwards.
  return state_->cfd()->ioptions().clock->NowNanos() / 1000;
}

void PinnedLifter::Configure(const MutableCFOptions& options, bool active) {
  state_->db()->mutex()->AssertHeld();
  const bool pins = active && !options.hotrap.pinned_ranges.empty() &&
                    // Reads of such a DB promote nothing either.
                    !state_->db()->seq_per_batch();
  active_.store(pins, std::memory_order_relaxed);
  bytes_per_sec_.store(options.disable_auto_compactions
                           ? 0
                           : options.hotrap.relocation_bytes_per_sec,
                       std::memory_order_relaxed);
  if (wanted_number_.exchange(state_->rules().wanted_number()) !=
      state_->rules().wanted_number()) {
    next_pass_micros_.store(0, std::memory_order_relaxed);
  }
  version_number_.store(state_->cfd()->current()->GetVersionNumber());
  if (pins) {
    promotions_->MaybeSchedule();  // what PromoteAll() has left
  } else {
    state_->rules().figures().Set({});
  }
  MaybeSchedule();
}

bool PinnedLifter::SurveyIsDue() const {
  return surveyed_wanted_.load() != wanted_number_.load() ||
         (surveyed_version_.load() != version_number_.load() &&
          NowMicros() >= next_survey_micros_.load(std::memory_order_relaxed));
}

bool PinnedLifter::PassIsDue() const {
  return bytes_per_sec_.load(std::memory_order_relaxed) > 0 &&
         (in_pass_.load() ||
          (state_->rules().figures().lift_requests() != lifts_done_.load() &&
           NowMicros() >= next_pass_micros_.load(std::memory_order_relaxed)));
}

bool PinnedLifter::RateIsUsedUp(uint64_t now_micros) const {
  const auto rate =
      static_cast<double>(bytes_per_sec_.load(std::memory_order_relaxed));
  const double allowed =
      static_cast<double>(now_micros - batch_micros_) / 1e6 * rate;
  return rate > 0 && allowed < static_cast<double>(batch_bytes_);
}

bool PinnedLifter::idle() const {
  return !active_.load() ||
         (!scheduled_.load() && !in_pass_.load() &&
          surveyed_wanted_.load() == wanted_number_.load() &&
          state_->rules().figures().lift_requests() == lifts_done_.load());
}

void PinnedLifter::MaybeSchedule() {
  if (!active_.load(std::memory_order_relaxed) ||
      (!SurveyIsDue() && !PassIsDue())) {
    return;
  }
  calls_.fetch_add(1);
  if (!scheduled_.load(std::memory_order_relaxed) &&
      !scheduled_.exchange(true)) {
    state_->jobs().Schedule(TierJobs::Pool::kCompactions, [this] { Run(); });
  }
}

void PinnedLifter::Run() {
  const uint64_t calls = calls_.load();
  const Next next = Step();
  if (next == Next::kPoll) {
    state_->cfd()->ioptions().clock->SleepForMicroseconds(kPollMicros);
  }
  if (next != Next::kEnd) {
    // To the end of the queue: compactions may be waiting.
    state_->jobs().Schedule(TierJobs::Pool::kCompactions, [this] { Run(); });
    return;
  }
  scheduled_.store(false);
  if (calls_.load() != calls) {
    MaybeSchedule();
  }
}

PinnedLifter::Next PinnedLifter::Begin(View* view) {
  DBImpl* const db = state_->db();
  ColumnFamilyData* const cfd = state_->cfd();
  InstrumentedMutexLock lock(db->mutex());
  const DbAccess access(db);
  if (state_->jobs().stopped() || access.work().shutting_down() ||
      cfd->IsDropped() || access.work().background_work_stopped() ||
      state_->first_slow_level() == 0 || !active_.load() ||
      (!SurveyIsDue() && !PassIsDue())) {
    return Next::kEnd;
  }
  if (access.work().paused()) {
    return Next::kPoll;  // No new version tells of the end.
  }
  view->first_slow_level = state_->first_slow_level();
  view->wanted_number = state_->rules().wanted_number();
  view->wanted = state_->rules().wanted();
  view->in_force = state_->rules().pinned_in_force();
  view->limit_bytes = LimitBytes(
      state_->sizes(), cfd->GetLatestMutableCFOptions().hotrap.pinned_percent);
  // Nothing is promoted before the DB's first write.
  view->may_promote = state_->ralt() != nullptr &&
                      db->GetLatestSequenceNumber() > 0 &&
                      *PromotionGate::WhyNotNow(state_) == '\0';
  view->sv = cfd->GetSuperVersion()->Ref();
  return Next::kGoOn;
}

void PinnedLifter::End(const View& view) {
  const DbAccess access(state_->db());
  access.files().ReleaseSuperVersion(view.sv);
  // It may have been the last one to refer to them.
  access.files().DeleteObsoleteFiles();
}

PinnedLifter::Next PinnedLifter::Step() {
  const uint64_t now_micros = NowMicros();
  if (in_pass_.load() && RateIsUsedUp(now_micros) && !SurveyIsDue()) {
    return Next::kPoll;
  }
  View view;
  const Next next = Begin(&view);
  if (next != Next::kGoOn) {
    return next;
  }
  TEST_SYNC_POINT("HotRap::PinnedLifter::Step");
  uint64_t bytes = 0;
  {
    const PinnedScan scan(state_, view.sv, view.first_slow_level);
    if (SurveyIsDue()) {
      Survey(view, scan);
      End(view);
      return Next::kGoOn;
    }
    if (!view.may_promote) {
      End(view);
      return Next::kEnd;
    }
    if (!in_pass_.load()) {
      BeginPass();
      pass_ranges_ = view.in_force.ranges();
    }
    bytes = ReadOn(view, scan);
  }
  End(view);
  Admit();
  if (bytes > 0) {
    batch_bytes_ = bytes;
    batch_micros_ = now_micros;
  }
  if (!read_.empty()) {
    promotions_->MaybeSchedule();
    return Next::kPoll;  // The cache is full.
  }
  if (range_ == pass_ranges_.size()) {
    EndPass();
  }
  return Next::kGoOn;
}

void PinnedLifter::Survey(const View& view, const PinnedScan& scan) {
  const PinnedPlan plan = MakePinnedPlan(
      state_->cfd()->user_comparator(), view.wanted, view.limit_bytes,
      view.in_force,
      [&](const RangeOfKeys& range) { return scan.Measure(range); },
      [&](const RangeOfKeys& range) { return scan.Boundaries(range); });
  const bool changed = !(plan.in_force == view.in_force);
  {
    InstrumentedMutexLock lock(state_->db()->mutex());
    if (state_->rules().wanted_number() != view.wanted_number) {
      return;  // The options have changed.
    }
    if (changed) {
      state_->rules().SetPinnedInForce(plan.in_force);
      state_->rules().figures().RequestLift();
    }
    state_->rules().figures().Set(plan.bytes);
  }
  surveyed_wanted_.store(view.wanted_number);
  surveyed_version_.store(view.sv->current->GetVersionNumber());
  next_survey_micros_.store(NowMicros() + kSurveyMicros,
                            std::memory_order_relaxed);
  if (!changed) {
    return;
  }
  if (plan.bytes.wanted > plan.bytes.limit) {
    ROCKS_LOG_WARN(state_->cfd()->ioptions().logger,
                   "[%s] HotRAP: hotrap.pinned_ranges hold %" PRIu64
                   " bytes, and %" PRIu64
                   " may be pinned (hotrap.pinned_percent): %" PRIu64
                   " are, in the order of the ranges; the rest is as any other",
                   state_->cfd()->GetName().c_str(), plan.bytes.wanted,
                   plan.bytes.limit, plan.bytes.in_force);
  } else {
    ROCKS_LOG_INFO(state_->cfd()->ioptions().logger,
                   "[%s] HotRAP: all of hotrap.pinned_ranges fits, %" PRIu64
                   " bytes",
                   state_->cfd()->GetName().c_str(), plan.bytes.wanted);
  }
}

void PinnedLifter::BeginPass() {
  lifts_begun_ = state_->rules().figures().lift_requests();
  pass_began_micros_ = NowMicros();
  range_ = 0;
  position_.reset();
  read_.clear();
  in_pass_.store(true);
}

void PinnedLifter::EndPass() {
  promotions_->PromoteAll();
  const uint64_t now_micros = NowMicros();
  next_pass_micros_.store(
      now_micros + kRestFactor * (now_micros - pass_began_micros_),
      std::memory_order_relaxed);
  pass_ranges_.clear();
  lifts_done_.store(lifts_begun_);
  in_pass_.store(false);
}

uint64_t PinnedLifter::ReadOn(const View& view, const PinnedScan& scan) {
  if (!read_.empty() || range_ == pass_ranges_.size()) {
    return 0;
  }
  PinnedScan::Batch batch;
  const Status s =
      scan.Read(pass_ranges_[range_], position_, kBatchBytes, &batch);
  if (!s.ok()) {
    ROCKS_LOG_WARN(state_->cfd()->ioptions().logger,
                   "[%s] HotRAP could not read pinned records: %s",
                   state_->cfd()->GetName().c_str(), s.ToString().c_str());
  }
  read_ = std::move(batch.records);
  // What follows an error in this range is not brought up.
  position_ = std::move(batch.next);
  if (!position_.has_value()) {
    range_++;
  }
  return batch.bytes_read;
}

void PinnedLifter::Admit() {
  size_t done = 0;
  for (; done < read_.size(); done++) {
    const PromotionRecordPtr& record = read_[done];
    const PromotionCache::InsertResult result =
        state_->cache().Insert(record, record->version_number);
    if (result == PromotionCache::InsertResult::kFull) {
      break;
    }
    if (result == PromotionCache::InsertResult::kInserted) {
      state_->stats().Count(HotRapCounter::kPinnedLifted);
    } else if (result == PromotionCache::InsertResult::kStale) {
      // The slow tier has changed here: once more, later.
      state_->rules().figures().RequestLift();
    }
  }
  read_.erase(read_.begin(), read_.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace ROCKSDB_NAMESPACE
