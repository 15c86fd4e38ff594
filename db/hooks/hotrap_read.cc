//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/hooks/hotrap_read.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "db/version_set.h"
#include "db/wide/wide_column_serialization.h"
#include "db/wide/wide_columns_helper.h"
#include "plugin/hotrap/db/placement/level_tier.h"
#include "plugin/hotrap/table/promotion_record_iterator.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {

namespace {

uint64_t ValueBytes(const PinnableSlice* value,
                    const PinnableWideColumns* columns) {
  if (value != nullptr) {
    return value->size();
  }
  if (columns == nullptr) {
    return 0;
  }
  // What RocksDB itself counts for value_size_soft_limit.
#if ROCKSDB_MAJOR >= 11
  return columns->payload_size();
#else
  return columns->serialized_size();
#endif
}

// Passes the record to the lookup, as a file would. Returns whether that ended
// the lookup.
bool Deliver(const PromotionRecord& record, GetContext* get_context,
             Status* s) {
  bool matched = false;
  Status read_status;
  get_context->SaveValue(
      ParsedInternalKey(record.user_key, record.seq, record.type), record.value,
      &matched, &read_status);
  // RocksDB 10 sets it for blobs only, 11 for every failed merge.
  read_status.PermitUncheckedError();
  switch (get_context->State()) {
    case GetContext::kFound:
      *s = Status::OK();
      break;
    case GetContext::kMergeOperatorFailed:
      *s = Status::Corruption(Status::SubCode::kMergeOperatorFailed);
      break;
    case GetContext::kCorrupt:
      // The result of a merge is no entity.
      *s = read_status.ok()
               ? Status::Corruption("corrupted key for ", record.user_key)
               : read_status;
      break;
    default:
      // Not ended: the lookup continues in the files below.
      return false;
  }
  return true;
}

// Returns whether a read that did I/O, as far as the block cache knows, did:
// one that is answered by the row cache, or is made in tables without a block
// cache and merges operands, looks the same.
bool ReadADevice(const GetContextStats& io, const GetContext& get_context) {
  return io.num_cache_miss > 0 ||
         (io.num_cache_hit == 0 &&
          get_context.hotrap_seq != kMaxSequenceNumber);
}

PromotionRecordPtr Lookup(HotRapTier* tier, uint64_t version_number,
                          int first_slow_level, const Slice& internal_key,
                          GetContext* get_context) {
  // A read callback decides visibility by sequence number; such reads go to the
  // files.
  if (get_context->has_callback()) {
    return nullptr;
  }
  return tier->state().cache().Lookup(ExtractUserKey(internal_key),
                                      GetInternalKeySeqno(internal_key),
                                      version_number, first_slow_level);
}

// RocksDB counts the blocks of all keys of a batch with one of the keys.
GetContextStats BlocksOf(const MultiGetRange& keys) {
  GetContextStats blocks;
  for (auto it = keys.begin(); it != keys.end(); ++it) {
    const GetContextStats& io = it->get_context->get_context_stats_;
    blocks.num_cache_hit += io.num_cache_hit;
    blocks.num_cache_miss += io.num_cache_miss;
  }
  return blocks;
}

void OnCacheHit(HotRapTier* tier, const PromotionRecord& record) {
  AccessTracker& tracker = tier->state().tracker();
  tier->state().stats().Count(HotRapCounter::kHitsPromotionCache);
  if (tracker.Tracks()) {
    // The hit replaces a read of the slow tier, so it counts like one with I/O.
    tracker.RecordAccess(record.user_key, record.value.size(), /*weight=*/1,
                         /*fast=*/false);
    if (!record.hot_with_one_more_access.load(std::memory_order_relaxed) &&
        tracker.SecondAccessMakesHot()) {
      record.hot_with_one_more_access.store(true, std::memory_order_relaxed);
    }
  }
  // The cache may have filled up while no promotion could start, and there may
  // be no more insertions that would start one.
  tier->promotions().MaybeSchedule();
}

}  // namespace

bool HotRapGet::AskCache(GetContext* get_context, Status* s) {
  asked_ = true;
  misses_above_ = get_context->get_context_stats_.num_cache_miss;
  const PromotionRecordPtr record =
      Lookup(tier_, version_->GetVersionNumber(), first_slow_level_,
             internal_key_, get_context);
  if (record == nullptr || !Deliver(*record, get_context, s)) {
    return false;
  }
  OnCacheHit(tier_, *record);
  if (timer_.started() &&
      timer_.Stop(ReadLatencies::Source::kPromotionCache,
                  TierSpeeds::Device::kNone, &tier_->state().latencies(),
                  &tier_->state().tracker().speeds())) {
    tier_->promotions().Drop();
  }
  get_context->ReportCounters();
  return true;
}

void HotRapGet::Found(int level, const FdWithKeyRange& file,
                      const PinnableSlice* value,
                      const PinnableWideColumns* columns,
                      const GetContext& get_context,
                      const GetContextStats& io) {
  if ((value == nullptr && columns == nullptr) ||
      read_options_.read_tier == kBlockCacheTier) {
    // A query for a sequence number, or KeyMayExist(): not an access.
    return;
  }
  const bool did_io = io.num_cache_hit == 0 || io.num_cache_miss > 0;
  // Whether the disk that was read is slow; it may differ from the level's.
  const bool slow = file.fd.GetPathId() > 0;
  // A block read in a fast level, for a false positive of a Bloom filter, is
  // not a read of the slow tier.
  const bool slow_io =
      slow && (io.num_cache_hit == 0 || io.num_cache_miss > misses_above_);
  AccessTracker& tracker = tier_->state().tracker();
  tier_->state().stats().Count(slow ? HotRapCounter::kHitsSlow
                                    : HotRapCounter::kHitsFast);
  if (slow_io) {
    tier_->state().stats().Count(HotRapCounter::kHitsSlowWithIo);
  }
  if (timer_.started() &&
      timer_.Stop(!did_io ? ReadLatencies::Source::kMemory
                  : slow  ? ReadLatencies::Source::kSlow
                          : ReadLatencies::Source::kFast,
                  !ReadADevice(io, get_context) ? TierSpeeds::Device::kNone
                  : slow_io                     ? TierSpeeds::Device::kSlow
                  : slow                        ? TierSpeeds::Device::kNone
                                                : TierSpeeds::Device::kFast,
                  &tier_->state().latencies(), &tracker.speeds())) {
    tier_->promotions().Drop();
  }
  const bool tracked = tracker.Tracks();
  if (!tracked && tier_->state().rules().Of(ExtractUserKey(internal_key_)) !=
                      KeyRules::Rule::kPinned) {
    return;
  }
  const uint32_t weight = tracker.SampleHit(did_io);
  if (weight == 0) {
    // Skipped by sampling. A hot record gets here often enough.
    return;
  }
  if (tracked) {
    tracker.RecordAccess(ExtractUserKey(internal_key_),
                         ValueBytes(value, columns), weight,
                         /*fast=*/!slow);
  }
  if (slow_io) {
    tracker.policy().OnSlowTierIo();
  }
  if (!IsFastLevel(level, first_slow_level_)) {
    Admit(level, weight, file, value, columns, get_context);
  } else if (slow) {
    // A promoted copy would not be above the record. The whole table is
    // relocated instead.
    tier_->state().stats().Count(HotRapCounter::kRefusedAtFastLevel);
    tier_->relocator().MaybeScheduleForRead();
  }
}

void HotRapGet::Admit(int level, uint32_t weight, const FdWithKeyRange& file,
                      const PinnableSlice* value,
                      const PinnableWideColumns* columns,
                      const GetContext& get_context) {
  const SequenceNumber read_seq = GetInternalKeySeqno(internal_key_);
  const KeyRules::Rule rule =
      tier_->state().rules().Of(ExtractUserKey(internal_key_));
  const bool pinned = rule == KeyRules::Rule::kPinned;
  HotRapCounter refusal = HotRapCounter::kCount;
  if (rule == KeyRules::Rule::kExcluded) {
    refusal = HotRapCounter::kRefusedExcluded;
  } else if (file.fd.GetPathId() == 0) {
    refusal = HotRapCounter::kRefusedOnFastPath;
  } else if (!pinned && !tier_->state().tracker().speeds().slower()) {
    refusal = HotRapCounter::kRefusedNotSlower;
  } else if (get_context.has_callback() ||
             read_options_.ignore_range_deletions) {
    refusal = HotRapCounter::kRefusedReadOption;
  } else if (get_context.hotrap_seq == kMaxSequenceNumber) {
    refusal = HotRapCounter::kRefusedInexact;
  } else if (get_context.hotrap_type != kTypeValue &&
             (get_context.hotrap_type != kTypeWideColumnEntity ||
              columns == nullptr)) {
    refusal = get_context.hotrap_type == kTypeBlobIndex
                  ? HotRapCounter::kRefusedBlob
                  : HotRapCounter::kRefusedType;
  } else if (weight > 1 && !pinned &&
             !tier_->state().tracker().policy().MayAdmitFromMemory()) {
    refusal = HotRapCounter::kRefusedInMemory;
  } else if (weight > 1 && !tier_->state().tracker().WorthPromoting(
                               ExtractUserKey(internal_key_))) {
    // The record is in memory; there is no need to keep a copy until RALT has
    // decided.
    refusal = HotRapCounter::kRefusedCold;
  } else if (read_seq >= kMaxSequenceNumber ||
             // A copy at sequence number 1 would hide the DB's first write, so
             // nothing is admitted, and nothing promoted, before that write.
             read_seq < PromotedSequenceNumber(get_context.hotrap_seq) ||
             !NewestInSlowTier(level)) {
    refusal = HotRapCounter::kRefusedSnapshot;
  } else if (tier_->state().filter_refusals().Contains(
                 ExtractUserKey(internal_key_), get_context.hotrap_seq)) {
    refusal = HotRapCounter::kRefusedFiltered;
  } else if (value != nullptr &&
             tier_->state().cache().IsTooLarge(value->size())) {
    refusal = HotRapCounter::kRefusedTooLarge;  // without a copy of it
  }
  if (refusal == HotRapCounter::kCount && tier_->state().cache().Full()) {
    // Checked before the record is copied.
    refusal = HotRapCounter::kRefusedFull;
    tier_->promotions().MaybeSchedule();
  }
  if (refusal != HotRapCounter::kCount) {
    tier_->state().stats().Count(refusal);
    return;
  }

  auto record = std::make_shared<PromotionRecord>();
  record->user_key = ExtractUserKey(internal_key_).ToString();
  record->seq = get_context.hotrap_seq;
  record->type = get_context.hotrap_type;
  record->visible_from = read_seq;
  record->version_number = version_->GetVersionNumber();
  record->first_slow_level = first_slow_level_;
  const bool known =
      tier_->state().tracker().IsHotWithOneMoreAccess(record->user_key);
  record->hot_with_one_more_access.store(known, std::memory_order_relaxed);
  if (record->type == kTypeWideColumnEntity) {
    if (!WideColumnSerialization::Serialize(columns->columns(), record->value)
             .ok()) {
      tier_->state().stats().Count(HotRapCounter::kRefusedType);
      return;
    }
  } else if (value != nullptr) {
    record->value.assign(value->data(), value->size());
  } else {
    record->value =
        WideColumnsHelper::GetDefaultColumn(columns->columns()).ToString();
  }
  switch (tier_->state().cache().Insert(record, record->version_number)) {
    case PromotionCache::InsertResult::kInserted:
      tier_->state().stats().Count(HotRapCounter::kAdmissions);
      if (weight > 1) {
        // RALT knows all keys admitted from memory, so these are not counted as
        // known.
        tier_->state().stats().Count(HotRapCounter::kAdmissionsFromMemory);
        tier_->state().tracker().policy().OnAdmittedFromMemory();
      } else if (known) {
        tier_->state().stats().Count(HotRapCounter::kAdmissionsKnown);
      }
      break;
    case PromotionCache::InsertResult::kPresent:
      tier_->state().stats().Count(HotRapCounter::kRefusedPresent);
      break;
    case PromotionCache::InsertResult::kFull:
      tier_->state().stats().Count(HotRapCounter::kRefusedFull);
      break;
    case PromotionCache::InsertResult::kTooLarge:
      tier_->state().stats().Count(HotRapCounter::kRefusedTooLarge);
      break;
    case PromotionCache::InsertResult::kStale:
      tier_->state().stats().Count(HotRapCounter::kRefusedStale);
      break;
  }
  tier_->promotions().MaybeSchedule();
}

// Returns whether no slow file that may hold the key, down to the one where it
// was found, contains anything newer than the read. Otherwise an old snapshot
// may have found a version that is not the newest. The row cache applies the
// same test.
bool HotRapGet::NewestInSlowTier(int level) const {
  const VersionStorageInfo* const storage = version_->storage_info();
  const InternalKeyComparator& icmp = *storage->InternalComparator();
  const Comparator* const ucmp = icmp.user_comparator();
  const Slice user_key = ExtractUserKey(internal_key_);
  const SequenceNumber read_seq = GetInternalKeySeqno(internal_key_);
  const InternalKey newest(user_key, kMaxSequenceNumber, kValueTypeForSeek);
  for (int l = first_slow_level_; l <= level; l++) {
    const LevelFilesBrief& files = storage->LevelFilesBrief(l);
    for (size_t i = FindFile(icmp, files, newest.Encode());
         i < files.num_files &&
         ucmp->Compare(ExtractUserKey(files.files[i].smallest_key), user_key) <=
             0;
         i++) {
      if (files.files[i].fd.largest_seqno > read_seq) {
        return false;
      }
    }
  }
  return true;
}

void HotRapMultiGet::Serve(unsigned int level,
                           const autovector<LevelFilesBrief>& level_files,
                           MultiGetRange* range) {
  if (range->empty()) {
    return;
  }
  const auto* const cfh =
      static_cast<const ColumnFamilyHandleImpl*>(range->begin()->column_family);
  HotRapTier* const tier = cfh->cfd()->hotrap.active();
  if (tier == nullptr) {
    return;
  }
  const int first_slow_level = tier->state().first_slow_level();
  if (first_slow_level == 0 ||
      IsFastLevel(static_cast<int>(level), first_slow_level)) {
    return;
  }
  for (int l = first_slow_level; l < static_cast<int>(level); l++) {
    if (level_files[l].num_files > 0) {
      return;  // consulted at a higher slow level already
    }
  }
  for (auto it = range->begin(); it != range->end(); ++it) {
    if (range->GetValueSize() > range->GetValueSizeSoftLimit()) {
      return;  // the next file read ends the batch
    }
    if (it->max_covering_tombstone_seq > 0 || !it->s->ok()) {
      continue;
    }
    const PromotionRecordPtr record =
        Lookup(tier, range->hotrap_version_number(), first_slow_level, it->ikey,
               it->get_context);
    if (record == nullptr || !Deliver(*record, it->get_context, it->s)) {
      continue;
    }
    OnCacheHit(tier, *record);
    it->get_context->ReportCounters();
    range->AddValueSize(ValueBytes(it->value, it->columns));
    range->MarkKeyDone(it);
  }
}

HotRapMultiGet::HotRapMultiGet(Version* version,
                               const ReadOptions& read_options,
                               const MultiGetRange& keys)
    : version_(version), read_options_(read_options) {
  HotRapTier* const tier = version->cfd()->hotrap.active();
  if (tier == nullptr) {
    return;
  }
  timer_.StartSample(tier->state().tracker().speeds());
  if (timer_.started()) {
    misses_before_ = BlocksOf(keys).num_cache_miss;
  }
}

void HotRapMultiGet::OnRead(const FdWithKeyRange& file,
                            const MultiGetRange& keys) {
  HotRapTier* const tier = version_->cfd()->hotrap.active();
  if (tier == nullptr) {
    return;
  }
  io_ = BlocksOf(keys);
  if (!timer_.started() || read_options_.read_tier == kBlockCacheTier) {
    return;
  }
  // Without a block cache nobody counts them.
  const uint64_t misses =
      io_.num_cache_miss - std::min(misses_before_, io_.num_cache_miss);
  if (timer_.StopSample(misses == 0               ? TierSpeeds::Device::kNone
                        : file.fd.GetPathId() > 0 ? TierSpeeds::Device::kSlow
                                                  : TierSpeeds::Device::kFast,
                        misses, &tier->state().tracker().speeds())) {
    tier->promotions().Drop();
  }
}

void HotRapMultiGet::OnFound(int level, const FdWithKeyRange& file,
                             const KeyContext& key) {
  HotRapGet(version_, version_->cfd(), read_options_, key.ikey,
            /*timed=*/false)
      .OnFound(level, file, key.value, key.columns, *key.get_context, &io_);
}

}  // namespace ROCKSDB_NAMESPACE
