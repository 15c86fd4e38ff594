//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/hotrap_subcompactions.h"

#include <utility>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_state.h"
#include "db/compaction/subcompaction_state.h"
#include "plugin/hotrap/db/compaction/hotrap_compaction.h"
#include "plugin/hotrap/db/compaction/hotrap_crossing.h"
#include "plugin/hotrap/db/compaction/output_room.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

HotRapSubcompactions::~HotRapSubcompactions() = default;

HotRapSubcompaction* HotRapSubcompactions::PartOf(
    const SubcompactionState& state) {
  HotRapSubcompactions* const all = state.compaction->hotrap_parts.get();
  return all != nullptr && !all->parts_.empty()
             ? all->parts_[state.sub_job_id].get()
             : nullptr;
}

void HotRapSubcompactions::Begin(CompactionState* state,
                                 SequenceNumber earliest_snapshot,
                                 InstrumentedMutex* db_mutex) {
  Compaction* const compaction = state->compaction;
  compaction->hotrap_parts.reset();
  std::unique_ptr<FastLedger::Reservation> room = ReserveOutputs(*compaction);
  HotRapCompaction::Begin(compaction, earliest_snapshot, db_mutex);
  const bool has_part = compaction->hotrap != nullptr ||
                        compaction->hotrap_copies != nullptr ||
                        HotRapCrossing::Crosses(*compaction);
  if (has_part || room != nullptr) {
    compaction->hotrap_parts = std::make_shared<HotRapSubcompactions>(
        has_part ? state->sub_compact_states.size() : 0, std::move(room));
  }
}

bool HotRapSubcompactions::BeforeInstall(CompactionState* state, int job_id,
                                         const Status& status) {
  if (!HotRapCompaction::BeforeInstall(state, job_id, status)) {
    return false;
  }
  HotRapSubcompactions* const all = state->compaction->hotrap_parts.get();
  if (all != nullptr && all->room_ != nullptr) {
    if (status.ok()) {
      all->room_->Finish();
    } else {
      all->room_.reset();
    }
  }
  return true;
}

void HotRapSubcompactions::AddPromoted(
    const SubcompactionState& state, std::unique_ptr<InternalIterator>* files) {
  HotRapSubcompactions* const all = state.compaction->hotrap_parts.get();
  if (all != nullptr && !all->parts_.empty()) {
    auto part = std::make_unique<HotRapSubcompaction>(state);
    *files = part->Input(std::move(*files));
    all->parts_[state.sub_job_id] = std::move(part);
  }
}

InternalIterator* HotRapSubcompactions::WithoutCopies(
    const SubcompactionState& state, InternalIterator* input) {
  HotRapSubcompaction* const part = PartOf(state);
  return part != nullptr ? part->WithoutCopies(input) : input;
}

const CompactionFilter* HotRapSubcompactions::FilterOfOperands(
    const SubcompactionState& state, const CompactionFilter* filter) {
  HotRapSubcompaction* const part = PartOf(state);
  return part != nullptr ? part->FilterOfOperands(filter) : filter;
}

bool HotRapSubcompactions::Retain(const SubcompactionState& state,
                                  const CompactionIterator& iterator) {
  HotRapSubcompaction* const part = PartOf(state);
  return part != nullptr && part->Retain(iterator);
}

void HotRapSubcompactions::CountFilesOnly(SubcompactionState* state) {
  HotRapSubcompaction* const part = PartOf(*state);
  if (part != nullptr) {
    uint64_t& count = state->compaction_job_stats.num_input_records;
    count = part->FromFiles(count);
  }
}

bool HotRapSubcompactions::NoteOutput(const Compaction& compaction,
                                      bool proximal, uint64_t number) {
  HotRapSubcompactions* const all = compaction.hotrap_parts.get();
  if (all == nullptr || !proximal || !HotRapCrossing::Crosses(compaction)) {
    return false;
  }
  MutexLock lock(&all->mutex_);
  all->fast_outputs_.insert(number);
  return true;
}

uint32_t HotRapSubcompactions::PathId(const Compaction& compaction,
                                      uint64_t number) {
  HotRapSubcompactions* const all = compaction.hotrap_parts.get();
  if (all != nullptr) {
    MutexLock lock(&all->mutex_);
    if (all->fast_outputs_.count(number) > 0) {
      return 0;
    }
  }
  return compaction.output_path_id();
}

}  // namespace ROCKSDB_NAMESPACE
