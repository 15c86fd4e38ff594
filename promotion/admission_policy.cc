//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/admission_policy.h"

#include <algorithm>

namespace ROCKSDB_NAMESPACE {

namespace {
// Under uniform reads, RALT knows the same share of admitted records as of all
// data. A hot set shows if it knows more than twice that.
constexpr double kMinKnownAdmissions = 0.15;
constexpr double kMinTimesTrackedShare = 2;
// A hot set of R_hs that RALT does not know yet, except for D_hs and half a
// buffer of it, gives a share of 6 %.
constexpr double kMinKnownWhileLearning = 0.04;
// Weight of the last batch in the average; a batch may have only a few hundred
// records.
constexpr double kWeightOfLastBatch = 0.25;
}  // namespace

std::optional<bool> AdmissionPolicy::NoteAdmissions(
    const Admissions& admissions, const std::optional<Tracked>& tracked,
    uint64_t data_bytes) {
  // By chance, the share of reads that meet a tracked key is the share of data
  // that is tracked.
  const auto clearly_more_than_chance = [&](uint64_t tracked_bytes) {
    return kMinTimesTrackedShare * static_cast<double>(tracked_bytes) /
           static_cast<double>(std::max<uint64_t>(1, data_bytes));
  };
  const uint64_t from_disk = std::max(
      admissions_noted_,
      admissions.all - std::min(admissions.all, admissions.from_memory));
  const bool is_first = admissions_noted_ == 0;
  const uint64_t new_admissions = from_disk - admissions_noted_;
  const uint64_t new_known = admissions.known - known_noted_;
  admissions_noted_ = from_disk;
  known_noted_ = admissions.known;
  if (!tracked.has_value() || new_admissions == 0) {
    Forget();
    return std::nullopt;
  }
  const double known_share =
      static_cast<double>(new_known) / static_cast<double>(new_admissions);
  one_more_access_counts_.store(
      known_share >= std::max(kMinKnownAdmissions,
                              clearly_more_than_chance(tracked->tracked_bytes)),
      std::memory_order_relaxed);

  // Most hot records are on the fast tier and are not admitted, so leave them
  // out.
  recent_known_share_ +=
      (is_first ? 1 : kWeightOfLastBatch) * (known_share - recent_known_share_);
  return recent_known_share_ >=
         std::max(kMinKnownWhileLearning,
                  clearly_more_than_chance(tracked->tracked_bytes -
                                           std::min(tracked->tracked_bytes,
                                                    tracked->hot_set_bytes)));
}

}  // namespace ROCKSDB_NAMESPACE
