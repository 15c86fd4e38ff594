//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Between the reads of a column family and RALT: which hits are accesses, and
// which keys are hot enough to be promoted or kept. The only place that is
// asked: it knows what RALT has learnt, the rules that go before (KeyRules),
// and whether there is anything to be gained (TierSpeeds).
//
// Thread safety: any thread, unless a comment says otherwise.

#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>

#include "plugin/hotrap/db/state/hotrap_stats.h"
#include "plugin/hotrap/db/state/key_rules.h"
#include "plugin/hotrap/db/state/ralt_holder.h"
#include "plugin/hotrap/db/state/tier_speeds.h"
#include "plugin/hotrap/promotion/admission_policy.h"
#include "plugin/hotrap/promotion/promotion_record.h"
#include "rocksdb/hotrap.h"
#include "util/random.h"

namespace ROCKSDB_NAMESPACE {

class AccessTracker {
 public:
  // All must outlive this object.
  AccessTracker(const RaltHolder* ralt, const KeyRules* rules,
                HotRapStats* stats, TierSpeeds* speeds)
      : ralt_(ralt), rules_(rules), stats_(stats), speeds_(speeds) {}

  // Returns whether to track a read: all are tracked where the slow tier is
  // slower, else some. Call it once per read.
  bool Tracks() const {
    return speeds_->slower() ||
           Random::GetTLSInstance()->OneIn(TierSpeeds::kTrackedOneIn);
  }
  // Whether reads of the slow tier are slower.
  TierSpeeds& speeds() { return *speeds_; }

  // Returns how many accesses a hit of a point read represents: 1 if it did
  // I/O. Otherwise cached_hit_sampling for one in that many hits, and 0 for the
  // rest. Call it once per hit, before any other work.
  uint32_t SampleHit(bool did_io) const {
    const uint32_t one_in =
        cached_hit_sampling_.load(std::memory_order_relaxed);
    if (did_io || one_in == 1) {
      return 1;
    }
    return Random::GetTLSInstance()->OneIn(static_cast<int>(one_in)) ? one_in
                                                                     : 0;
  }

  // Records a hit of a point read. `fast`: it was on the fast tier. REQUIRES:
  // weight > 0
  void RecordAccess(const Slice& user_key, uint64_t value_bytes,
                    uint32_t weight, bool fast) {
    assert(weight > 0);
    Ralt* const ralt = ralt_->get();
    if (ralt == nullptr || no_tracking_.load(std::memory_order_relaxed) ||
        rules_->Of(user_key) == KeyRules::Rule::kExcluded) {
      return;
    }
    ralt->RecordAccess(user_key, value_bytes, weight, fast);
    stats_->Count(HotRapCounter::kAccesses);
    stats_->Count(HotRapCounter::kAccessesEstimated, speeds_->tracked_one_in());
  }

  // Returns whether a record of the slow tier should be promoted: it is pinned,
  // or RALT is open and the key is hot; and it is not excluded.
  bool WorthPromoting(const Slice& user_key) const {
    const KeyRules::Rule rule = rules_->Of(user_key);
    return rule == KeyRules::Rule::kPinned ||
           (rule == KeyRules::Rule::kNone && HotEnough(user_key));
  }
  // The same for a cached record. While a hot set is being learned, RALT need
  // not have flushed the last access (AdmissionPolicy).
  bool WorthPromoting(const PromotionRecord& record) const {
    const KeyRules::Rule rule = rules_->Of(record.user_key);
    return rule == KeyRules::Rule::kPinned ||
           (rule == KeyRules::Rule::kNone &&
            ((policy_.one_more_access_counts() &&
              record.hot_with_one_more_access.load(
                  std::memory_order_relaxed)) ||
             HotEnough(record.user_key)));
  }

  // Why a crossing keeps a record.
  enum class Keeping { kNo, kHot, kPinned };
  Keeping WorthKeeping(const Slice& user_key) const {
    const KeyRules::Rule rule = rules_->Of(user_key);
    if (rule == KeyRules::Rule::kPinned) {
      return Keeping::kPinned;
    }
    Ralt* const ralt = ralt_->get();
    return rule == KeyRules::Rule::kNone && ralt != nullptr &&
                   ralt->IsHot(user_key)
               ? Keeping::kHot
               : Keeping::kNo;
  }

  // Returns whether the access being recorded makes the key hot.
  bool IsHotWithOneMoreAccess(const Slice& user_key) const {
    Ralt* const ralt = ralt_->get();
    return ralt != nullptr && ralt->IsHotWithOneMoreAccess(user_key);
  }
  // Returns whether any key becomes hot with its second access.
  bool SecondAccessMakesHot() const {
    Ralt* const ralt = ralt_->get();
    return ralt != nullptr && ralt->SecondAccessMakesHot();
  }

  // Reads tell it of I/O, and ask it about records in memory.
  AdmissionPolicy& policy() { return policy_; }

  // Tells the policy what was admitted since the last call, and RALT whether to
  // remember more. `data_bytes` is the size of all levels. For the promotion
  // job, which runs once at a time.
  void NoteAdmissions(uint64_t data_bytes);

  // For TierState, with the DB mutex held.
  void Configure(const HotRapOptions& options);

 private:
  bool HotEnough(const Slice& user_key) const {
    Ralt* const ralt = ralt_->get();
    return ralt != nullptr &&
           (no_hotness_check_.load(std::memory_order_relaxed) ||
            ralt->IsHot(user_key));
  }

  const RaltHolder* const ralt_;
  const KeyRules* const rules_;
  HotRapStats* const stats_;
  TierSpeeds* const speeds_;
  AdmissionPolicy policy_;
  std::atomic<uint32_t> cached_hit_sampling_{1};
  std::atomic<bool> no_hotness_check_{false};
  std::atomic<bool> no_tracking_{false};
};

}  // namespace ROCKSDB_NAMESPACE
