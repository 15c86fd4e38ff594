//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/hotrap_compaction.h"

#include <algorithm>
#include <utility>

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_state.h"
#include "file/filename.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/compaction_copies.h"
#include "plugin/hotrap/db/copies/copy_marks.h"
#include "plugin/hotrap/db/copies/filtered_promotion.h"
#include "plugin/hotrap/db/placement/hotrap_picking.h"
#include "plugin/hotrap/db/state/space_reservation.h"
#include "plugin/hotrap/db/state/tier_state.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// Estimated upper bound of a table's overhead, as a fraction of its records'
// bytes.
constexpr uint64_t kFileOverheadDivisor = 4;
// A crossing that takes less than this fraction of its fast input down, as the
// rest is pinned, was not worth its while.
constexpr double kMinTakenShare = 0.05;
// Limits reruns: repeated changes of the slow tier must not keep a compaction
// from finishing.
constexpr int kMaxRunsThatPromote = 2;

// Returns whether the compaction was picked because of its data's age. A
// retained file would inherit that age and be picked again at once.
bool ExpiresData(CompactionReason reason) {
  return reason == CompactionReason::kTtl ||
         reason == CompactionReason::kRoundRobinTtl;
}

FastInputRange RangeOf(Compaction& compaction, int last_fast_level) {
  const ColumnFamilyData* const cfd = compaction.column_family_data();
  InternalKey smallest;
  InternalKey largest;
  HotRapCrossing::RangeDownTo(last_fast_level, *compaction.inputs(),
                              cfd->internal_comparator(), &smallest, &largest);
  return FastInputRange(cfd->user_comparator(), smallest, largest);
}
}  // namespace

HotRapCompaction::HotRapCompaction(Compaction* compaction, TierState* state,
                                   int last_fast_level)
    : compaction_(compaction),
      state_(state),
      ralt_(state->ralt()),
      crosses_(Crosses(*compaction)),
      range_(RangeOf(*compaction, last_fast_level)),
      begin_micros_(compaction->immutable_options().clock->NowNanos() / 1000) {}

HotRapCompaction::~HotRapCompaction() = default;

void HotRapCompaction::Begin(Compaction* compaction,
                             SequenceNumber earliest_snapshot,
                             InstrumentedMutex* db_mutex) {
  static const std::vector<PromotionRecordPtr> kNone;
  compaction->hotrap = BeginIfActive(compaction, earliest_snapshot);
  compaction->hotrap_copies = CompactionCopies::Find(
      *compaction,
      compaction->hotrap != nullptr ? compaction->hotrap->promoted() : kNone,
      compaction->hotrap_copies, db_mutex);
}

std::shared_ptr<HotRapCompaction> HotRapCompaction::BeginIfActive(
    Compaction* compaction, SequenceNumber earliest_snapshot) {
  TierState* const state =
      compaction->column_family_data()->hotrap.active_state();
  if (state == nullptr) {
    return nullptr;
  }
  const bool crosses = Crosses(*compaction);
  if (state->ralt() == nullptr) {
    if (crosses) {
      // It keeps nothing.
      state->rules().figures().RequestLift();
    }
    return nullptr;
  }
  const int last_fast_level =
      crosses ? compaction->GetProximalLevel() : state->first_slow_level() - 1;
  if (!crosses && (compaction->start_level() >= last_fast_level ||
                   compaction->output_level() != last_fast_level)) {
    return nullptr;
  }
  std::shared_ptr<HotRapCompaction> hotrap(
      new HotRapCompaction(compaction, state, last_fast_level));
  if (compaction->hotrap != nullptr) {
    hotrap->earlier_runs_ = compaction->hotrap->earlier_runs_ + 1;
  }

  bool changes_level = false;
  {
    InstrumentedMutexLock lock(state->db()->mutex());
    changes_level = state->fences().level_changes();
    // Options may have changed since the compaction was picked. An ingestion
    // that starts later goes above the output of this compaction. One that is
    // already running may go below it, and would make cached records stale.
    if (!changes_level && state->first_slow_level() == last_fast_level + 1 &&
        !DbAccess(state->db()).work().ingestion_runs() &&
        !state->fences().slow_tier_changes() &&
        hotrap->earlier_runs_ < kMaxRunsThatPromote) {
      hotrap->taken_ = std::make_unique<TakenRecords>(state->cache().taken());
    }
  }
  if (crosses && !changes_level) {
    hotrap->AllowRetention(earliest_snapshot);
  }
  if (hotrap->taken_ != nullptr && (!crosses || hotrap->retains_) &&
      !hotrap->SinksCopies()) {
    hotrap->TakeFromCache();
  } else {
    hotrap->taken_.reset();
  }
  TEST_SYNC_POINT_CALLBACK("HotRap::Compaction::Begun", compaction);
  return hotrap;
}

void HotRapCompaction::AllowRetention(SequenceNumber earliest_snapshot) {
  // Unknown properties are assumed to be the worst case.
  bool has_range_deletions = false;
  SequenceNumber newest = 0;
  const TablePropertiesCollection& properties =
      compaction_->GetInputTableProperties();
  for (size_t i = 0; i < compaction_->num_input_levels(); i++) {
    const bool fast = compaction_->level(i) <= compaction_->GetProximalLevel();
    for (const FileMetaData* file : *compaction_->inputs(i)) {
      newest = std::max(newest, file->fd.largest_seqno);
      fast_file_bytes_ += fast ? file->fd.GetFileSize() : 0;
      estimated_hot_bytes_ += fast ? EstimateHotBytes(*file, ralt_) : 0;
      const auto it = properties.find(
          TableFileName(compaction_->immutable_options().cf_paths,
                        file->fd.GetNumber(), file->fd.GetPathId()));
      if (it == properties.end()) {
        has_range_deletions = true;
        fast_input_bytes_ += fast ? file->fd.GetFileSize() : 0;
        continue;
      }
      has_range_deletions |= it->second->num_range_deletions > 0;
      if (fast) {
        // Internal keys are longer than user keys.
        const uint64_t footers = it->second->num_entries * kNumInternalBytes;
        const uint64_t bytes =
            it->second->raw_key_size + it->second->raw_value_size;
        fast_input_bytes_ += bytes - std::min(bytes, footers);
      }
    }
  }
  // A snapshot that is newer than all inputs keeps no record beside the range
  // tombstone that covers it. A TransactionDB always has such a snapshot.
  const bool snapshots_between = earliest_snapshot < newest;
  retains_ = !compaction_->mutable_cf_options().hotrap.no_retain &&
             !ExpiresData(compaction_->compaction_reason()) &&
             !(has_range_deletions && snapshots_between);
  has_pinned_ = state_->rules().PinsAny(range_.smallest(), range_.largest());
  pinned_first_ = has_pinned_ && !state_->rules().figures().over_limit();
  if (retains_) {
    const auto hot_bytes =
        static_cast<uint64_t>(state_->sizes().most_retained() *
                              static_cast<double>(fast_input_bytes_));
    const uint64_t room_bytes =
        ReserveSpace(pinned_first_ ? fast_input_bytes_ : hot_bytes);
    budget_.Set(hot_bytes, room_bytes);
    retains_ = room_bytes > 0;
  }
}

bool HotRapCompaction::Take(AccessTracker::Keeping keeping, uint64_t bytes) {
  return keeping == AccessTracker::Keeping::kPinned && pinned_first_
             ? budget_.TakePinned(bytes)
             : budget_.TakeHot(bytes);
}

uint64_t HotRapCompaction::ReserveSpace(uint64_t wanted_bytes) {
  // Filters, indexes and internal key footers need room besides the records.
  const uint64_t extra_bytes = wanted_bytes / kFileOverheadDivisor;
  const ImmutableOptions& ioptions = compaction_->immutable_options();
  space_ = std::make_unique<SpaceReservation>(
      ioptions.fs.get(), ioptions.cf_paths[0].path,
      ioptions.sst_file_manager.get(), wanted_bytes + extra_bytes,
      SpareForFlushes(compaction_->mutable_cf_options()));
  const uint64_t granted_bytes = space_->bytes();
  return granted_bytes - std::min(granted_bytes, extra_bytes);
}

void HotRapCompaction::TakeFromCache() {
  if (compaction_->mutable_cf_options().hotrap.no_by_compaction) {
    taken_.reset();
    return;
  }
  filtered_ = std::make_unique<FilteredPromotion>(state_);
  // The immutable part is being promoted to L0. A crossing compaction takes its
  // records too, because it changes the slow tier below them and so invalidates
  // them anyway.
  std::vector<PromotionRecordPtr> records = state_->cache().RecordsBetween(
      range_.smallest(), range_.largest(), /*immutable_too=*/crosses_);
  const auto unwanted = [&](const PromotionRecordPtr& record) {
    if (!range_.Contains(record->user_key) ||
        !state_->tracker().WorthPromoting(*record)) {
      return true;
    }
    return crosses_ && !Take(state_->tracker().WorthKeeping(record->user_key),
                             record->UserBytes());
  };
  records.erase(std::remove_if(records.begin(), records.end(), unwanted),
                records.end());
  filtered_->DropUnkept(compaction_, &records);
  filtered_->Publish(&records);
  for (const auto& record : records) {
    promoted_bytes_ += record->UserBytes();
  }
  if (!crosses_ && !records.empty() &&
      ReserveSpace(promoted_bytes_) < promoted_bytes_) {
    records.clear();
    promoted_bytes_ = 0;
  }
  taken_->SetRecords(std::move(records));
}

const std::vector<PromotionRecordPtr>& HotRapCompaction::promoted() const {
  static const std::vector<PromotionRecordPtr> kNone;
  return taken_ != nullptr ? taken_->records() : kNone;
}

bool HotRapCompaction::SinksCopies() const {
  // A user who compacts everything by hand counts on the filter to decide about
  // the originals, at their level.
  return crosses_ && compaction_->is_manual_compaction() &&
         HasFilter(compaction_->immutable_options());
}

bool HotRapCompaction::SinksForFilter(const ParsedInternalKey& ikey) const {
  const CompactionCopies* const copies = compaction_->hotrap_copies.get();
  return copies != nullptr &&
         (copies->Undecided(ikey.user_key, ikey.sequence) ||
          (SinksCopies() && copies->MayBeCopy(ikey.user_key, ikey.sequence)));
}

bool HotRapCompaction::Keeps(const ParsedInternalKey& ikey, uint64_t bytes,
                             const PromotionRecord* promoted) {
  AccessTracker::Keeping keeping =
      state_->tracker().WorthKeeping(ikey.user_key);
  if (keeping == AccessTracker::Keeping::kNo) {
    if (promoted == nullptr) {
      return false;
    }
    keeping = AccessTracker::Keeping::kHot;  // as it was when it was taken
  }
  const bool pinned = keeping == AccessTracker::Keeping::kPinned;
  // The filter decides when the copy has come down to its original.
  if (SinksForFilter(ikey)) {
    if (pinned) {
      pinned_went_down_.store(true, std::memory_order_relaxed);
    }
    return false;
  }
  hot_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  // The bytes of a promoted record were taken from the budget already. The
  // record at hand may be a newer and larger version; if that cost nothing, all
  // of the input could stay, and be picked again for ever.
  const uint64_t promoted_bytes =
      promoted != nullptr ? promoted->UserBytes() : 0;
  const uint64_t more_bytes = bytes - std::min(bytes, promoted_bytes);
  if (more_bytes > 0 && !Take(keeping, more_bytes)) {
    if (pinned) {
      pinned_went_down_.store(true, std::memory_order_relaxed);
    }
    return false;
  }
  if (promoted != nullptr) {
    retained_bytes_.fetch_add(more_bytes, std::memory_order_relaxed);
    return true;
  }
  if (pinned) {
    pinned_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  retained_records_.fetch_add(1, std::memory_order_relaxed);
  retained_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

bool HotRapCompaction::RunsHere(const Compaction& compaction) {
  const HotRapCompaction* const hotrap = compaction.hotrap.get();
  return compaction.hotrap_copies != nullptr ||
         (hotrap != nullptr &&
          (hotrap->crosses_ || !hotrap->promoted().empty()));
}

bool HotRapCompaction::BeforeInstall(CompactionState* state, int job_id,
                                     const Status& status) {
  HotRapCompaction* const hotrap = state->compaction->hotrap.get();
  if (hotrap == nullptr || !status.ok()) {
    return true;
  }
  TierState* const tier_state = hotrap->state_;
  DBImpl* const db = tier_state->db();
  db->mutex()->AssertHeld();
  const bool promotes = !hotrap->promoted().empty();
  while (promotes && tier_state->fences().slow_tier_changes()) {
    DbAccess(db).work().AwaitBackgroundWork();
  }
  if (!promotes || !hotrap->taken_->AnyOvertaken()) {
    hotrap->Count(state);
    return true;
  }
  tier_state->stats().Count(HotRapCounter::kCompactionReruns, 1);
  ROCKS_LOG_INFO(
      state->compaction->immutable_options().logger,
      "[%s] [JOB %d] HotRAP: the compaction runs again, because the slow "
      "tier changed below a record that it promotes",
      state->compaction->column_family_data()->GetName().c_str(), job_id);
  db->mutex()->Unlock();
  DbAccess(db).files().DeleteOutputs(job_id, state);
  db->mutex()->Lock();
  return false;
}

void HotRapCompaction::NoteFullFiles(CompactionState* state) {
  const uint64_t kept_bytes = retained_bytes_ + promoted_bytes_;
  const double input_bytes = static_cast<double>(fast_input_bytes_);
  if (!pinned_first_ ||
      static_cast<double>(kept_bytes) < (1 - kMinTakenShare) * input_bytes) {
    return;
  }
  for (const SubcompactionState& part : state->sub_compact_states) {
    for (const CompactionOutputs::Output& output : part.GetOutputs()) {
      if (output.is_proximal_level) {
        state_->rules().figures().NoteFullFile(output.meta.fd.GetNumber());
      }
    }
  }
}

void HotRapCompaction::Count(CompactionState* state) {
  // Nothing else erases these records if the slow tier does not change.
  state_->cache().Erase(promoted());
  state_->stats().Count(HotRapCounter::kCompactionPromotedRecords,
                        promoted().size());
  state_->stats().Count(HotRapCounter::kCompactionPromotedBytes,
                        promoted_bytes_);
  if (crosses_) {
    state_->stats().Count(HotRapCounter::kCrossings, 1);
    state_->stats().Count(HotRapCounter::kRetainedRecords, retained_records_);
    state_->stats().Count(HotRapCounter::kRetainedBytes, retained_bytes_);
    state_->stats().Count(HotRapCounter::kHotBytesEstimated,
                          estimated_hot_bytes_);
    state_->stats().Count(HotRapCounter::kHotBytesFound, hot_bytes_);
    if (state_->events().wanted()) {
      HotRapCrossingInfo info;
      info.cf_id = state_->cfd()->GetID();
      info.cf_name = state_->cfd()->GetName();
      info.fast_input_bytes = fast_input_bytes_;
      info.retained_records = retained_records_;
      info.retained_bytes = retained_bytes_;
      info.promoted_records = promoted().size();
      info.promoted_bytes = promoted_bytes_;
      state_->events().Report(info);
    }
    const uint64_t kept_bytes = retained_bytes_ + promoted_bytes_;
    const double down =
        fast_input_bytes_ > 0
            ? 1 - std::min(1.0, static_cast<double>(kept_bytes) /
                                    static_cast<double>(fast_input_bytes_))
            : 0;
    if (fast_file_bytes_ > 0) {
      state_->sizes().ledger()->drain().OnCrossing(
          static_cast<uint64_t>(down * static_cast<double>(fast_file_bytes_)),
          compaction_->immutable_options().clock->NowNanos() / 1000 -
              begin_micros_);
    }
    // Promoted bytes count like retained ones, because they too stay in the
    // level. Until RALT has loaded its files, it knows nothing that is hot, so
    // do not measure.
    if (ralt_->PhysicalBytes().has_value()) {
      state_->cold_fraction().OnCrossing(fast_input_bytes_,
                                         retained_bytes_ + promoted_bytes_);
    }
    state_->stats().Count(HotRapCounter::kPinnedRetainedBytes, pinned_bytes_);
    if (has_pinned_ && (!retains_ || pinned_went_down_)) {
      state_->rules().figures().RequestLift();
    }
    NoteFullFiles(state);
  }
}

}  // namespace ROCKSDB_NAMESPACE
