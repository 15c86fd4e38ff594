//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/promotion/promotion_gate.h"

#include <algorithm>

#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/promotion/promotion_pace.h"
#include "plugin/hotrap/db/state/tier_state.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Returns whether RALT knows no key and learns of none.
bool NothingGetsHot(const TierState& state) {
  const HotRapOptions& options =
      state.cfd()->GetLatestMutableCFOptions().hotrap;
  return options.no_tracking && !options.no_hotness_check &&
         state.ralt()->GetStats().tracked_bytes == 0;
}

// Returns whether, as far as one can tell, every value that the slow tier has
// or will get is in a blob file.
bool AllValuesAreBlobs(TierState* state) {
  ColumnFamilyData* const cfd = state->cfd();
  const VersionStorageInfo& storage = *cfd->current()->storage_info();
  const MutableCFOptions& options = cfd->GetLatestMutableCFOptions();
  if (!options.enable_blob_files && storage.GetBlobFiles().empty()) {
    return false;
  }
  if (options.enable_blob_files && options.min_blob_size == 0) {
    // Tables from before blob files were enabled may hold values.
    for (int level = state->first_slow_level(); level < storage.num_levels();
         level++) {
      for (const FileMetaData* file : storage.LevelFiles(level)) {
        if (file->oldest_blob_file_number == kInvalidBlobFileNumber) {
          return false;
        }
      }
    }
    return true;
  }
  // Some values may be too small for a blob file; reads show that.
  return state->stats().Get(HotRapCounter::kAdmissions) == 0 &&
         state->stats().Get(HotRapCounter::kRefusedBlob) > 0;
}

// Returns why no read has admitted a record so far, if that is a matter of how
// records are written and read; else an empty string.
const char* WhyReadsAdmitNothing(const HotRapStats& stats) {
  if (stats.Get(HotRapCounter::kAdmissions) > 0) {
    return "";
  }
  if (stats.Get(HotRapCounter::kRefusedType) > 0) {
    return "reads found wide-column entities: GetEntity() promotes them, Get() "
           "does not";
  }
  if (stats.Get(HotRapCounter::kRefusedInexact) > 0) {
    return "reads found merge results, or records in the row cache, which are "
           "not promoted";
  }
  return "";
}

}  // namespace

const char* PromotionGate::WhyNotNow(TierState* state) {
  DBImpl* const db = state->db();
  ColumnFamilyData* const cfd = state->cfd();
  db->mutex()->AssertHeld();
  const MutableCFOptions& options = cfd->GetLatestMutableCFOptions();
  const VersionStorageInfo& storage = *cfd->current()->storage_info();
  if (DbAccess(db).work().shutting_down() || cfd->IsDropped()) {
    return "the DB is closing, or the column family was dropped";
  }
  if (state->first_slow_level() == 0) {
    return "HotRAP is inactive";
  }
  if (cfd->GetSuperVersion()->current != cfd->current()) {
    // The job learns of changes after S only from the sealing on, so S must not
    // lag behind (HotRapFences::WaitForSuperVersions).
    return "a new version is being installed";
  }
  if (options.disable_auto_compactions) {
    // Nothing would compact the files that promotions add to L0.
    return "disable_auto_compactions is set: only requested compactions "
           "promote";
  }
  if (DbAccess(db).work().background_work_stopped()) {
    return "background work has stopped after an error";
  }
  if (DbAccess(db).work().paused()) {
    return "background work is paused";
  }
  if (DbAccess(db).work().ingestion_runs()) {
    return "files are being ingested";
  }
  if (state->fences().level_changes()) {
    return "CompactRange is changing a level";
  }
  if (DbAccess(db).work().writes_wait()) {
    return "writes are delayed";
  }
  // What L0 will have: the promoted file, and one of what is in memtables.
  const bool flush_follows =
      !cfd->mem()->IsEmpty() || cfd->imm()->NumNotFlushed() > 0;
  if (storage.l0_delay_trigger_count() + 1 + (flush_follows ? 1 : 0) >=
      options.level0_slowdown_writes_trigger) {
    // Below the trigger no compaction is going to empty L0.
    return storage.l0_delay_trigger_count() <
                   options.level0_file_num_compaction_trigger
               ? "level0_slowdown_writes_trigger is so close to "
                 "level0_file_num_compaction_trigger that one more file in L0 "
                 "would delay writes"
               : "writes are about to be delayed";
  }
  const Ralt* const ralt = state->ralt();
  uint64_t bytes = state->cache().capacity_bytes() +
                   (ralt != nullptr ? ralt->PhysicalBytes().value_or(0) : 0);
  for (int level = 0; level < state->first_slow_level(); level++) {
    bytes += storage.NumLevelBytes(level);
  }
  if (state->cache().capacity_bytes() > state->sizes().budget_bytes()) {
    return "a full promotion cache (hotrap.promotion_cache_bytes, by default "
           "target_file_size_base) is larger than the fast budget";
  }
  if (bytes > state->sizes().budget_bytes()) {
    return "the fast levels, RALT and a full promotion cache "
           "(hotrap.promotion_cache_bytes, by default target_file_size_base) "
           "exceed the fast budget";
  }
  if (!state->sizes().promotes()) {
    return "the fast tier is nearly full: writes come first";
  }
  return "";
}

const char* PromotionGate::BlockedReason(TierState* state,
                                         const PromotionPace& pace) {
  state->db()->mutex()->AssertHeld();
  if (*state->inactive_reason() != '\0') {
    return state->inactive_reason();
  }
  if (state->db()->seq_per_batch()) {
    return "reads of write-prepared and write-unprepared transactions promote "
           "nothing";
  }
  if (state->db()->GetLatestSequenceNumber() == 0) {
    // Files may have been ingested (HotRapGet::Admit).
    return "nothing has been written to the DB yet: reads promote from the "
           "first write on, whatever it writes";
  }
  if (AllValuesAreBlobs(state)) {
    return "values are in blob files, which are not promoted";
  }
  if (state->ralt() == nullptr) {
    return "RALT is not open";
  }
  if (NothingGetsHot(*state)) {
    return "hotrap.no_tracking is set: nothing becomes hot";
  }
  if (*WhyReadsAdmitNothing(state->stats()) != '\0') {
    return WhyReadsAdmitNothing(state->stats());
  }
  const char* const reason = WhyNotNow(state);
  if (*reason == '\0' && pace.lacks_space()) {
    return "the last attempt found too little space, under "
           "SetMaxAllowedSpaceUsage() or on the fast disk";
  }
  return reason;
}

}  // namespace ROCKSDB_NAMESPACE
