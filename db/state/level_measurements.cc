//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/level_measurements.h"

#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

LevelFeedback MeasureLevels(TierState* state) {
  LevelFeedback feedback;
  feedback.cold_fraction = state->cold_fraction().value();
  feedback.share_bytes = state->sizes().share_bytes();
  feedback.slow_is_slower = state->tracker().speeds().slower();
  const RaltHolder::Pin ralt(state->ralt_holder());
  if (ralt.get() != nullptr) {
    feedback.ralt_bytes =
        ralt.get()->PhysicalBytes().value_or(LevelFeedback::kUnknown);
  }
  return feedback;
}

}  // namespace ROCKSDB_NAMESPACE
