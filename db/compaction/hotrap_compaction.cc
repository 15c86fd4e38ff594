//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/compaction/hotrap_compaction.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "db/column_family.h"
#include "db/compaction/compaction.h"
#include "db/compaction/compaction_iterator.h"
#include "db/compaction/compaction_picker.h"
#include "db/compaction/compaction_state.h"
#include "db/db_impl/db_impl.h"
#include "db/version_set.h"
#include "file/filename.h"
#include "logging/logging.h"
#include "plugin/hotrap/db/access/db_access.h"
#include "plugin/hotrap/db/copies/compaction_copies.h"
#include "plugin/hotrap/db/copies/operand_filter.h"
#include "plugin/hotrap/db/placement/hotrap_level_shape.h"
#include "plugin/hotrap/db/placement/hotrap_picking.h"
#include "plugin/hotrap/db/tier/hotrap_tier.h"
#include "plugin/hotrap/db/tier/space_reservation.h"
#include "plugin/hotrap/table/promotion_merging_iterator.h"
#include "plugin/hotrap/table/promotion_record_iterator.h"
#include "test_util/sync_point.h"

namespace ROCKSDB_NAMESPACE {

namespace {
// The maximum fraction of a crossing compaction's fast input that may stay
// fast.
constexpr double kMaxRetainedShare = 0.8;
// Estimated upper bound of a table's overhead, as a fraction of its records'
// bytes.
constexpr uint64_t kFileOverheadDivisor = 4;
// Limits reruns: repeated changes of the slow tier must not keep a compaction
// from finishing.
constexpr int kMaxRunsThatPromote = 2;

bool IsValue(ValueType type) {
  return type == kTypeValue || type == kTypeWideColumnEntity;
}

bool IsExclusive(const InternalKey& largest) {
  return ExtractInternalKeyFooter(largest.Encode()) == kRangeTombstoneSentinel;
}

// Returns whether the compaction was picked because of its data's age. A
// retained file would inherit that age and be picked again at once.
bool ExpiresData(CompactionReason reason) {
  return reason == CompactionReason::kTtl ||
         reason == CompactionReason::kRoundRobinTtl;
}
}  // namespace

// ---- Planning -------------------------------------------------------------

int HotRapCompaction::ProximalLevel(const VersionStorageInfo& storage,
                                    const MutableCFOptions& options,
                                    const ImmutableOptions& ioptions,
                                    int start_level, int output_level) {
  if (!options.hotrap.enabled ||
      *HotRapInactiveReason(ioptions, options) != '\0') {
    return Compaction::kInvalidLevel;
  }
  const int first_slow_level = FirstSlowLevel(ioptions, options);
  // RocksDB tracks the blob files of a compaction for one output only.
  if (start_level >= first_slow_level || output_level < first_slow_level ||
      options.enable_blob_files || !storage.GetBlobFiles().empty()) {
    return Compaction::kInvalidLevel;
  }
  return first_slow_level - 1;
}

bool HotRapCompaction::Crosses(const Compaction& compaction) {
  return compaction.SupportsPerKeyPlacement() &&
         compaction.mutable_cf_options().hotrap.enabled &&
         compaction.mutable_cf_options().preclude_last_level_data_seconds == 0;
}

void HotRapCompaction::RangeDownTo(
    int last_level, const std::vector<CompactionInputFiles>& inputs,
    const InternalKeyComparator& icmp, InternalKey* smallest,
    InternalKey* largest) {
  for (const CompactionInputFiles& input : inputs) {
    if (input.level > last_level) {
      break;
    }
    for (const FileMetaData* file : input.files) {
      if (!smallest->Valid() || icmp.Compare(file->smallest, *smallest) < 0) {
        *smallest = file->smallest;
      }
      if (!largest->Valid() || icmp.Compare(file->largest, *largest) > 0) {
        *largest = file->largest;
      }
    }
  }
}

bool HotRapCompaction::PlacesInto(const Compaction& compaction, int level) {
  return !Crosses(compaction) || level == compaction.GetProximalLevel();
}

// ---- Running --------------------------------------------------------------

HotRapCompaction::HotRapCompaction(Compaction* compaction, HotRapTier* tier)
    : compaction_(compaction),
      tier_(tier),
      ralt_(tier->ralt()),
      ucmp_(compaction->column_family_data()->user_comparator()),
      crosses_(Crosses(*compaction)) {}

std::shared_ptr<HotRapCompaction> HotRapCompaction::Begin(
    Compaction* compaction, bool snapshots_alive, InstrumentedMutex* db_mutex) {
  static const std::vector<PromotionRecordPtr> kNone;
  std::shared_ptr<HotRapCompaction> hotrap =
      BeginIfActive(compaction, snapshots_alive);
  compaction->hotrap_copies = CompactionCopies::Find(
      *compaction, hotrap != nullptr ? hotrap->promoted() : kNone, db_mutex);
  return hotrap;
}

std::shared_ptr<HotRapCompaction> HotRapCompaction::BeginIfActive(
    Compaction* compaction, bool snapshots_alive) {
  HotRapTier* const tier = compaction->column_family_data()->hotrap.active();
  if (tier == nullptr || tier->ralt() == nullptr) {
    return nullptr;
  }
  const bool crosses = Crosses(*compaction);
  const int last_fast_level =
      crosses ? compaction->GetProximalLevel() : tier->first_slow_level() - 1;
  if (!crosses && (compaction->start_level() >= last_fast_level ||
                   compaction->output_level() != last_fast_level)) {
    return nullptr;
  }
  std::shared_ptr<HotRapCompaction> hotrap(
      new HotRapCompaction(compaction, tier));
  RangeDownTo(last_fast_level, *compaction->inputs(),
              compaction->column_family_data()->internal_comparator(),
              &hotrap->smallest_, &hotrap->largest_);
  hotrap->largest_is_exclusive_ = IsExclusive(hotrap->largest_);
  if (compaction->hotrap != nullptr) {
    hotrap->earlier_runs_ = compaction->hotrap->earlier_runs_ + 1;
  }

  bool changes_level = false;
  {
    InstrumentedMutexLock lock(tier->db()->mutex());
    changes_level = tier->level_changes() > 0;
    // Options may have changed since the compaction was picked. An ingestion
    // that starts later goes above the output of this compaction. One that is
    // already running may go below it, and would make cached records stale.
    if (!changes_level && tier->first_slow_level() == last_fast_level + 1 &&
        !DbAccess(tier->db()).ingestion_runs() &&
        tier->slow_tier_changes() == 0 &&
        hotrap->earlier_runs_ < kMaxRunsThatPromote) {
      hotrap->taken_ = std::make_unique<TakenRecords>(tier->cache().taken());
    }
  }
  if (crosses && !changes_level) {
    hotrap->AllowRetention(snapshots_alive);
  }
  if (hotrap->taken_ != nullptr && (!crosses || hotrap->retains_)) {
    hotrap->TakeFromCache();
  } else {
    hotrap->taken_.reset();
  }
  TEST_SYNC_POINT_CALLBACK("HotRap::Compaction::Begun", compaction);
  return hotrap;
}

void HotRapCompaction::AllowRetention(bool snapshots_alive) {
  // Unknown properties are assumed to be the worst case.
  bool has_range_deletions = false;
  const TablePropertiesCollection& properties =
      compaction_->GetInputTableProperties();
  for (size_t i = 0; i < compaction_->num_input_levels(); i++) {
    const bool fast = compaction_->level(i) <= compaction_->GetProximalLevel();
    for (const FileMetaData* file : *compaction_->inputs(i)) {
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
  retains_ = !compaction_->mutable_cf_options().hotrap.no_retain &&
             !ExpiresData(compaction_->compaction_reason()) &&
             !(has_range_deletions && snapshots_alive);
  if (retains_) {
    const uint64_t budget_bytes = ReserveSpace(static_cast<uint64_t>(
        kMaxRetainedShare * static_cast<double>(fast_input_bytes_)));
    budget_.store(static_cast<int64_t>(budget_bytes));
    retains_ = budget_bytes > 0;
  }
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
  if (compaction_->mutable_cf_options().hotrap.no_by_compaction ||
      tier_->filtered()) {
    taken_.reset();
    return;
  }
  // The immutable part is being promoted to L0. A crossing compaction takes its
  // records too, because it changes the slow tier below them and so invalidates
  // them anyway.
  std::vector<PromotionRecordPtr> records = tier_->cache().RecordsBetween(
      smallest_.user_key(), largest_.user_key(), /*immutable_too=*/crosses_);
  const auto unwanted = [&](const PromotionRecordPtr& record) {
    if (!InRange(record->user_key) || !tier_->WorthPromoting(*record)) {
      return true;
    }
    return crosses_ && !TakeBudget(record->UserBytes());
  };
  records.erase(std::remove_if(records.begin(), records.end(), unwanted),
                records.end());
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

bool HotRapCompaction::InRange(const Slice& user_key) const {
  const int upper = ucmp_->Compare(user_key, largest_.user_key());
  return (largest_is_exclusive_ ? upper < 0 : upper <= 0) &&
         ucmp_->Compare(user_key, smallest_.user_key()) >= 0;
}

bool HotRapCompaction::MayBeCopy(const ParsedInternalKey& ikey) const {
  const CompactionCopies* const copies = compaction_->hotrap_copies.get();
  return copies != nullptr && copies->MayBeCopy(ikey.user_key, ikey.sequence);
}

bool HotRapCompaction::TakeBudget(uint64_t bytes) {
  const int64_t cost = static_cast<int64_t>(bytes);
  if (budget_.fetch_sub(cost, std::memory_order_relaxed) >= cost) {
    return true;
  }
  budget_.fetch_add(cost, std::memory_order_relaxed);
  return false;
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
  HotRapTier* const tier = hotrap->tier_;
  DBImpl* const db = tier->db();
  db->mutex()->AssertHeld();
  const bool promotes = !hotrap->promoted().empty();
  while (promotes && tier->slow_tier_changes() > 0) {
    DbAccess(db).AwaitBackgroundWork();
  }
  if (!promotes || !hotrap->taken_->AnyOvertaken()) {
    hotrap->Count();
    return true;
  }
  tier->Count(HotRapCounter::kCompactionReruns, 1);
  ROCKS_LOG_INFO(
      state->compaction->immutable_options().logger,
      "[%s] [JOB %d] HotRAP: the compaction runs again, because the slow "
      "tier changed below a record that it promotes",
      state->compaction->column_family_data()->GetName().c_str(), job_id);
  db->mutex()->Unlock();
  DbAccess(db).DeleteOutputs(job_id, state);
  db->mutex()->Lock();
  return false;
}

void HotRapCompaction::Count() {
  if (!crosses_) {
    // The slow tier does not change, so nothing else would erase these records.
    tier_->cache().Erase(promoted());
  }
  tier_->Count(HotRapCounter::kCompactionPromotedRecords, promoted().size());
  tier_->Count(HotRapCounter::kCompactionPromotedBytes, promoted_bytes_);
  if (crosses_) {
    tier_->Count(HotRapCounter::kCrossings, 1);
    tier_->Count(HotRapCounter::kRetainedRecords, retained_records_);
    tier_->Count(HotRapCounter::kRetainedBytes, retained_bytes_);
    tier_->Count(HotRapCounter::kHotBytesEstimated, estimated_hot_bytes_);
    tier_->Count(HotRapCounter::kHotBytesFound, hot_bytes_);
    // Promoted bytes count like retained ones, because they too stay in the
    // level. Until RALT has loaded its files, it knows nothing that is hot, so
    // do not measure.
    if (ralt_->PhysicalBytes().has_value()) {
      tier_->cold_fraction().OnCrossing(fast_input_bytes_,
                                        retained_bytes_ + promoted_bytes_);
    }
  }
}

// ---- The first output -----------------------------------------------------

uint32_t HotRapCompaction::PathId(const Compaction& compaction, bool proximal) {
  return proximal && Crosses(compaction) ? 0 : compaction.output_path_id();
}

std::string HotRapCompaction::FileName(const Compaction& compaction,
                                       bool proximal, uint64_t number,
                                       std::string other_name) {
  if (!proximal || !Crosses(compaction)) {
    return other_name;
  }
  return TableFileName(compaction.immutable_options().cf_paths, number,
                       /*path_id=*/0);
}

void HotRapCompaction::SetAge(const Compaction& compaction, bool proximal,
                              FileMetaData* file) {
  if (!proximal || !Crosses(compaction)) {
    return;
  }
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (size_t i = 0; i < compaction.num_input_levels(); i++) {
    if (compaction.level(i) > compaction.GetProximalLevel()) {
      break;
    }
    for (FileMetaData* input : *compaction.inputs(i)) {
      const uint64_t age = input->TryGetOldestAncesterTime();
      if (age != kUnknownOldestAncesterTime) {
        oldest = std::min(oldest, age);
      }
    }
  }
  if (oldest != std::numeric_limits<uint64_t>::max()) {
    file->oldest_ancester_time = oldest;
  }
}

int HotRapCompaction::Level(const Compaction& compaction, bool proximal) {
  return proximal && Crosses(compaction) ? compaction.GetProximalLevel()
                                         : compaction.output_level();
}

CompressionType HotRapCompaction::Compression(const Compaction& compaction,
                                              bool proximal) {
  if (!proximal || !Crosses(compaction)) {
    return compaction.output_compression();
  }
  const VersionStorageInfo* storage =
      compaction.input_version()->storage_info();
  return GetCompressionType(storage, compaction.mutable_cf_options(),
                            compaction.GetProximalLevel(),
                            storage->base_level());
}

const CompressionOptions& HotRapCompaction::CompressionOpts(
    const Compaction& compaction, bool proximal) {
  return proximal && Crosses(compaction)
             ? compaction.mutable_cf_options().compression_opts
             : compaction.output_compression_opts();
}

const InternalTblPropCollFactories* HotRapCompaction::Collectors(
    const Compaction& compaction) {
  return compaction.hotrap_copies != nullptr
             ? compaction.hotrap_copies->collectors()
             : compaction.column_family_data()
                   ->internal_tbl_prop_coll_factories();
}

// ---- A subcompaction ------------------------------------------------------

HotRapSubcompaction::HotRapSubcompaction(const Compaction& compaction,
                                         const std::optional<Slice>& start,
                                         const std::optional<Slice>& end)
    : shared_(compaction.hotrap.get()),
      copies_(compaction.hotrap_copies.get()) {
  if (shared_ == nullptr) {
    return;
  }
  for (const auto& record : shared_->promoted()) {
    const Comparator* const ucmp = shared_->ucmp_;
    if ((!start.has_value() || ucmp->Compare(record->user_key, *start) >= 0) &&
        (!end.has_value() || ucmp->Compare(record->user_key, *end) < 0)) {
      promoted_.push_back(record);
    }
  }
}

InternalIterator* HotRapSubcompaction::Input(InternalIterator* files) {
  if (promoted_.empty()) {
    return files;
  }
  promoted_iterator_ = std::make_unique<PromotionRecordIterator>(&promoted_);
  merged_ = std::make_unique<PromotionMergingIterator>(
      files, promoted_iterator_.get(),
      &shared_->compaction_->column_family_data()->internal_comparator());
  return merged_.get();
}

InternalIterator* HotRapSubcompaction::WithoutCopies(InternalIterator* input) {
  if (copies_ == nullptr || !copies_->removes_any()) {
    return input;
  }
  without_copies_ = std::make_unique<SkippingIterator>(
      input, [copies = copies_](const ParsedInternalKey& ikey) {
        return copies->Removes(ikey);
      });
  return without_copies_.get();
}

const CompactionFilter* HotRapSubcompaction::FilterOfOperands(
    const CompactionFilter* filter) {
  if (filter == nullptr || copies_ == nullptr) {
    return filter;
  }
  operand_filter_ = std::make_unique<OperandFilter>(filter, copies_);
  return operand_filter_.get();
}

bool HotRapSubcompaction::IsPromoted(const ParsedInternalKey& ikey) {
  const Comparator* const ucmp = shared_->ucmp_;
  while (next_promoted_ < promoted_.size() &&
         ucmp->Compare(promoted_[next_promoted_]->user_key, ikey.user_key) <
             0) {
    next_promoted_++;
  }
  // The record at hand may be a newer version of the key; it is as hot as the
  // promoted one.
  return next_promoted_ < promoted_.size() &&
         ucmp->Compare(promoted_[next_promoted_]->user_key, ikey.user_key) == 0;
}

bool HotRapSubcompaction::Retain(const CompactionIterator& iterator) {
  if (shared_ == nullptr || !shared_->retains_ ||
      iterator.IsDeleteRangeSentinelKey()) {
    return false;
  }
  const ParsedInternalKey& ikey = iterator.ikey();
  if (seen_any_ &&
      shared_->ucmp_->Compare(ikey.user_key, last_user_key_) == 0) {
    return false;
  }
  seen_any_ = true;
  last_user_key_.assign(ikey.user_key.data(), ikey.user_key.size());
  if (!IsValue(ikey.type) || !shared_->InRange(ikey.user_key)) {
    return false;
  }
  const uint64_t bytes = ikey.user_key.size() + iterator.value().size();
  // The bytes of a promoted record were taken from the budget already.
  const bool promoted = IsPromoted(ikey);
  if (!promoted && !shared_->ralt_->IsHot(ikey.user_key)) {
    return false;
  }
  // The filter sees the record when the copy has come down to its original.
  if (shared_->tier_->filtered() && shared_->MayBeCopy(ikey)) {
    return false;
  }
  shared_->hot_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (promoted) {
    return true;
  }
  if (!shared_->TakeBudget(bytes)) {
    return false;
  }
  shared_->retained_records_.fetch_add(1, std::memory_order_relaxed);
  shared_->retained_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

uint64_t HotRapSubcompaction::FromFiles(uint64_t scanned) const {
  const uint64_t skipped =
      without_copies_ != nullptr ? without_copies_->num_skipped() : 0;
  return scanned - std::min<uint64_t>(scanned, promoted_.size()) + skipped;
}

}  // namespace ROCKSDB_NAMESPACE
