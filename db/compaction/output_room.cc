//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/output_room.h"

#include "db/compaction/compaction.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr int kStepMicros = 5 * 1000;
constexpr int kMostSteps = 12 * 1000;  // a minute

// Returns whether somebody waits for the compaction to end, whatever it has
// done by then.
bool IsToEnd(const Compaction& compaction, const TierState& state) {
  const DbAccess::Work work = DbAccess(state.db()).work();
  InstrumentedMutexLock lock(state.db()->mutex());
  return work.shutting_down() || work.paused() ||
         work.background_work_stopped() || state.cfd()->IsDropped() ||
         (compaction.is_manual_compaction() &&
          work.manual_compaction_canceled(state.cfd()));
}

}  // namespace

std::unique_ptr<FastLedger::Reservation> ReserveOutputs(
    const Compaction& compaction) {
  TierState* const state =
      compaction.column_family_data()->hotrap.active_state();
  if (state == nullptr) {
    return nullptr;
  }
  const int first_slow_level = state->first_slow_level();
  uint64_t bytes = 0;
  for (size_t i = 0; i < compaction.num_input_levels(); i++) {
    for (const FileMetaData* file : *compaction.inputs(i)) {
      bytes += IsFastLevel(compaction.level(i), first_slow_level)
                   ? file->fd.GetFileSize()
                   : 0;
    }
  }
  FastLedger::Job job;
  job.output_bytes = bytes;
  job.cf_id = state->cfd()->GetID();
  job.version = compaction.input_version()->GetVersionNumber();
  if (bytes == 0) {
    job.kind = FastLedger::Kind::kBelow;
  } else if (!IsFastLevel(compaction.output_level(), first_slow_level)) {
    job.kind = FastLedger::Kind::kCrosses;
    job.output_bytes = static_cast<uint64_t>(state->sizes().most_retained() *
                                             static_cast<double>(bytes));
  }
  auto room =
      std::make_unique<FastLedger::Reservation>(state->sizes().ledger(), job);
  for (int i = 0; !room->TryBegin(); i++) {
    if (i == kMostSteps || IsToEnd(compaction, *state)) {
      room->TryBegin(/*regardless=*/true);
      break;
    }
    TEST_SYNC_POINT("HotRap::ReserveOutputs::Waits");
    state->cfd()->ioptions().clock->SleepForMicroseconds(kStepMicros);
  }
  return room;
}

}  // namespace ROCKSDB_NAMESPACE
