//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/taken_records.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

void TakenRecords::Registry::OnChange(const InvalidationRing::Entry& entry) {
  MutexLock lock(&mutex_);
  for (TakenRecords* taken : registered_) {
    if (taken->has_records_) {
      taken->Apply(entry);
    } else {
      taken->early_.push_back(entry);
    }
  }
}

void TakenRecords::Registry::OnAnyChange() {
  MutexLock lock(&mutex_);
  for (TakenRecords* taken : registered_) {
    taken->early_all_ = true;
    taken->ApplyToAll();
  }
}

TakenRecords::TakenRecords(Registry* registry) : registry_(registry) {
  MutexLock lock(&registry_->mutex_);
  registry_->registered_.push_back(this);
}

TakenRecords::~TakenRecords() {
  MutexLock lock(&registry_->mutex_);
  auto& registered = registry_->registered_;
  registered.erase(std::find(registered.begin(), registered.end(), this));
}

void TakenRecords::SetRecords(std::vector<PromotionRecordPtr> records) {
  MutexLock lock(&registry_->mutex_);
  assert(!has_records_);
  has_records_ = true;
  records_ = std::move(records);
  // Some of the records may have been added to the cache after these changes
  // and be current. They are few, and treating them as stale is safe.
  if (early_all_) {
    ApplyToAll();
  }
  for (const auto& entry : early_) {
    Apply(entry);
  }
  early_.clear();
}

bool TakenRecords::AnyOvertaken() const {
  MutexLock lock(&registry_->mutex_);
  return !slow_changed_.empty();
}

bool TakenRecords::Overtaken(const PromotionRecord& record,
                             bool fast_too) const {
  const size_t index = LowerBound(record.user_key);
  assert(index < records_.size() && records_[index].get() == &record);
  MutexLock lock(&registry_->mutex_);
  return Contains(slow_changed_, index) ||
         (fast_too && Contains(fast_added_, index));
}

uint64_t TakenRecords::num_changes() const {
  MutexLock lock(&registry_->mutex_);
  return num_changes_;
}

bool TakenRecords::Add(size_t begin, size_t end, Ranges* ranges) {
  auto it = ranges->upper_bound(begin);
  if (it != ranges->begin() && std::prev(it)->second >= begin) {
    --it;
    if (it->second >= end) {
      return false;
    }
    begin = it->first;
  }
  while (it != ranges->end() && it->first <= end) {
    end = std::max(end, it->second);
    it = ranges->erase(it);
  }
  (*ranges)[begin] = end;
  return true;
}

bool TakenRecords::Contains(const Ranges& ranges, size_t index) {
  const auto it = ranges.upper_bound(index);
  return it != ranges.begin() && index < std::prev(it)->second;
}

size_t TakenRecords::LowerBound(const Slice& user_key) const {
  return std::lower_bound(
             records_.begin(), records_.end(), user_key,
             [this](const PromotionRecordPtr& record, const Slice& key) {
               return registry_->ucmp_->Compare(record->user_key, key) < 0;
             }) -
         records_.begin();
}

void TakenRecords::Apply(const InvalidationRing::Entry& entry) {
  const size_t begin = LowerBound(entry.smallest);
  const size_t end =
      std::upper_bound(
          records_.begin() + begin, records_.end(), Slice(entry.largest),
          [this](const Slice& key, const PromotionRecordPtr& record) {
            return registry_->ucmp_->Compare(key, record->user_key) < 0;
          }) -
      records_.begin();
  if (begin < end &&
      Add(begin, end,
          entry.kind == InvalidationRing::kSlowTierChanged ? &slow_changed_
                                                           : &fast_added_)) {
    num_changes_++;
  }
}

void TakenRecords::ApplyToAll() {
  if (!records_.empty() && Add(0, records_.size(), &slow_changed_)) {
    num_changes_++;
  }
}

}  // namespace ROCKSDB_NAMESPACE
