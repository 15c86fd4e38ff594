//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/promotion_cache.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace ROCKSDB_NAMESPACE {

namespace {
// Returns whether files added to the fast tier matter for the record. A
// sequence number of 0 does not tell what is newer (PromotedSequenceNumber()).
bool FastTierMatters(const PromotionRecord& record) { return record.seq == 0; }
}  // namespace

PromotionCache::PromotionCache(const Comparator* ucmp,
                               const FilterRegister* filters)
    : ucmp_(ucmp),
      filters_(filters),
      ring_(ucmp),
      taken_(ucmp),
      batches_{PromotionBatch(ucmp), PromotionBatch(ucmp)} {}

PromotionRecordPtr PromotionCache::Lookup(const Slice& user_key,
                                          SequenceNumber read_seq,
                                          uint64_t version_number,
                                          int first_slow_level) const {
  const int index = mutable_index();
  for (const PromotionBatch* batch : {&batches_[index], &batches_[1 - index]}) {
    if (batch->num_records() == 0) {
      continue;
    }
    PromotionRecordPtr record = batch->Find(user_key);
    if (record != nullptr && read_seq >= record->visible_from &&
        version_number >= record->version_number &&
        first_slow_level == record->first_slow_level) {
      return record;
    }
  }
  return nullptr;
}

template <typename StillValid>
PromotionCache::InsertResult PromotionCache::InsertIf(
    const PromotionRecordPtr& record, const StillValid& still_valid) {
  if (IsTooLarge(record->UserBytes())) {
    return InsertResult::kTooLarge;
  }
  PromotionBatch& batch = batches_[mutable_index()];
  if (batch.memory_bytes() >= capacity_bytes()) {
    return InsertResult::kFull;
  }
  switch (batch.Insert(record, [&] {
    return first_slow_level_.load(std::memory_order_acquire) ==
               record->first_slow_level &&
           (filters_ == nullptr || !filters_->Claimed(record->user_key)) &&
           still_valid();
  })) {
    case PromotionBatch::InsertResult::kInserted:
      return InsertResult::kInserted;
    case PromotionBatch::InsertResult::kPresent:
      return InsertResult::kPresent;
    case PromotionBatch::InsertResult::kInvalid:
      break;
  }
  return InsertResult::kStale;
}

PromotionCache::InsertResult PromotionCache::Insert(
    const PromotionRecordPtr& record, uint64_t version_number) {
  return InsertIf(record, [&] {
    return !ring_.ChangedSince(version_number, record->user_key,
                               FastTierMatters(*record));
  });
}

PromotionCache::InsertResult PromotionCache::Return(
    const PromotionRecordPtr& record, const TakenRecords& taken) {
  return InsertIf(record, [&] {
    return !taken.Overtaken(*record, FastTierMatters(*record));
  });
}

void PromotionCache::Seal() {
  assert(!sealed_.load());
  sealed_.store(true);
  mutable_index_.store(1 - mutable_index(), std::memory_order_release);
}

std::vector<PromotionRecordPtr> PromotionCache::SealedRecords() const {
  assert(sealed_.load());
  return batches_[1 - mutable_index()].Records();
}

void PromotionCache::Unseal() {
  assert(sealed_.load());
  batches_[1 - mutable_index()].Clear();
  sealed_.store(false);
}

std::vector<PromotionRecordPtr> PromotionCache::RecordsBetween(
    const Slice& smallest, const Slice& largest, bool immutable_too) const {
  const int index = mutable_index();
  std::vector<PromotionRecordPtr> records =
      batches_[index].RecordsBetween(smallest, largest);
  if (!immutable_too) {
    return records;
  }
  const std::vector<PromotionRecordPtr> immutable =
      batches_[1 - index].RecordsBetween(smallest, largest);
  std::vector<PromotionRecordPtr> both;
  both.reserve(records.size() + immutable.size());
  // A key in both parts has the same record in both.
  std::set_union(records.begin(), records.end(), immutable.begin(),
                 immutable.end(), std::back_inserter(both),
                 [&](const PromotionRecordPtr& a, const PromotionRecordPtr& b) {
                   return ucmp_->Compare(a->user_key, b->user_key) < 0;
                 });
  return both;
}

void PromotionCache::Erase(const std::vector<PromotionRecordPtr>& records) {
  for (const auto& record : records) {
    batches_[0].Erase(record);
    batches_[1].Erase(record);
  }
}

size_t PromotionCache::Invalidate(InvalidationRing::Entry entry) {
  // Update the ring and the taken records first: an insert that comes after its
  // shard was erased finds the entry there.
  taken_.OnChange(entry);
  const InvalidationRing::Kind kind = entry.kind;
  const std::string smallest = entry.smallest;
  const std::string largest = entry.largest;
  ring_.Push(std::move(entry));
  if (kind != InvalidationRing::kSlowTierChanged) {
    return 0;
  }
  return batches_[0].Erase(smallest, largest) +
         batches_[1].Erase(smallest, largest);
}

void PromotionCache::EraseClaimed(const Slice& smallest, const Slice& largest) {
  batches_[0].Erase(smallest, largest);
  batches_[1].Erase(smallest, largest);
}

void PromotionCache::EraseClaimed(const Slice& user_key) {
  batches_[0].Erase(user_key);
  batches_[1].Erase(user_key);
}

void PromotionCache::RefuseClaimed(InvalidationRing::Entry entry) {
  ring_.Push(std::move(entry));
}

void PromotionCache::Reset(int first_slow_level, uint64_t version_number) {
  first_slow_level_.store(first_slow_level, std::memory_order_release);
  ring_.Forget(version_number);
  taken_.OnAnyChange();
  batches_[0].Clear();
  batches_[1].Clear();
}

}  // namespace ROCKSDB_NAMESPACE
