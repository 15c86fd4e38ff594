//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What CompactionJob calls while it writes: HotRAP's parts in the
// subcompactions of one compaction, and which of its outputs are fast. A
// Compaction has an object of this class while HotRAP has anything to do with
// it; without one, the functions here change nothing.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plugin/hotrap/db/budget/fast_ledger.h"
#include "plugin/hotrap/db/compaction/hotrap_subcompaction.h"
#include "port/port.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class Compaction;
class CompactionFilter;
class CompactionIterator;
class CompactionState;
class InstrumentedMutex;
class SubcompactionState;

// Thread safety: each subcompaction's thread may pass its own state. PathId()
// and NoteOutput(): any thread of the compaction.
class HotRapSubcompactions {
 public:
  // `count`: of subcompactions in which HotRAP has a part, all or none. Their
  // numbers are 0 to `count` - 1. `room`: what the compaction may write to the
  // fast path, or nullptr.
  HotRapSubcompactions(size_t count,
                       std::unique_ptr<FastLedger::Reservation> room)
      : parts_(count), room_(std::move(room)) {}
  ~HotRapSubcompactions();

  // HotRapCompaction::Begin(), for a compaction whose subcompactions are
  // planned. Also sets its `hotrap_parts`.
  static void Begin(CompactionState* state, SequenceNumber earliest_snapshot,
                    InstrumentedMutex* db_mutex);

  // Merges the records from the promotion cache into `files`. Comes first of
  // the calls for a subcompaction.
  static void AddPromoted(const SubcompactionState& state,
                          std::unique_ptr<InternalIterator>* files);

  // See HotRapSubcompaction.
  static InternalIterator* WithoutCopies(const SubcompactionState& state,
                                         InternalIterator* input);
  static const CompactionFilter* FilterOfOperands(
      const SubcompactionState& state, const CompactionFilter* filter);
  static bool Retain(const SubcompactionState& state,
                     const CompactionIterator& iterator);

  // HotRapCompaction::BeforeInstall(). With the result, the compaction gives
  // back its room, once the new version is measured: listeners hear of it
  // later, and may write, or compact.
  static bool BeforeInstall(CompactionState* state, int job_id,
                            const Status& status);

  // Corrects the number of input records, which includes those from the
  // promotion cache, to that of the records in the input files.
  static void CountFilesOnly(SubcompactionState* state);

  // Notes the number of an output that goes to the fast path, and returns true;
  // returns false if it goes where the compaction's outputs go.
  static bool NoteOutput(const Compaction& compaction, bool proximal,
                         uint64_t number);
  // Returns the path of an output.
  static uint32_t PathId(const Compaction& compaction, uint64_t number);

 private:
  static HotRapSubcompaction* PartOf(const SubcompactionState& state);

  std::vector<std::unique_ptr<HotRapSubcompaction>> parts_;
  std::unique_ptr<FastLedger::Reservation> room_;
  port::Mutex mutex_;
  std::unordered_set<uint64_t> fast_outputs_;  // protected by mutex_
};

}  // namespace ROCKSDB_NAMESPACE
