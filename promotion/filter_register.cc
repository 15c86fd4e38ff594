//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/filter_register.h"

#include <algorithm>
#include <cassert>

#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

namespace {
constexpr size_t kBitsPerKey = 16;
}  // namespace

void KeySet::Widen(const Slice& user_key) {
  if (empty_ || ucmp_->Compare(user_key, smallest_) < 0) {
    smallest_.assign(user_key.data(), user_key.size());
  }
  if (empty_ || ucmp_->Compare(user_key, largest_) > 0) {
    largest_.assign(user_key.data(), user_key.size());
  }
  empty_ = false;
}

void KeySet::Add(const Slice& user_key) {
  Widen(user_key);
  if (bloom_ == nullptr) {
    arena_ = std::make_unique<Arena>();
    bloom_ = std::make_unique<DynamicBloom>(
        arena_.get(),
        static_cast<uint32_t>(std::max<size_t>(expected_, 1) * kBitsPerKey));
  }
  bloom_->Add(user_key);
}

void KeySet::AddRange(const Slice& start, const Slice& end) {
  Widen(start);
  Widen(end);
  has_range_ = true;
}

bool KeySet::MayContain(const Slice& user_key) const {
  return !empty_ && (has_range_ || bloom_->MayContain(user_key)) &&
         ucmp_->Compare(smallest_, user_key) <= 0 &&
         ucmp_->Compare(user_key, largest_) <= 0;
}

bool KeySet::MayContainAny(const Slice& start, const Slice& end) const {
  return !empty_ && ucmp_->Compare(smallest_, end) < 0 &&
         ucmp_->Compare(start, largest_) <= 0;
}

std::shared_ptr<FilterRegister::Party> FilterRegister::Begin(
    std::unique_ptr<KeySet> keys, Parties* parties) {
  auto party = std::make_shared<Party>();
  party->keys = std::move(keys);
  MutexLock lock(&mutex_);
  party->begin = ++time_;
  parties->push_back(party);
  num_compactions_.store(compactions_.size(), std::memory_order_relaxed);
  return party;
}

void FilterRegister::End(Party* party) {
  MutexLock lock(&mutex_);
  party->end = ++time_;
  Prune(compactions_, &promotions_);
  Prune(promotions_, &compactions_);
  num_compactions_.store(compactions_.size(), std::memory_order_relaxed);
}

void FilterRegister::Prune(const Parties& others, Parties* parties) {
  uint64_t oldest = kRuns;
  for (const auto& other : others) {
    if (other->end == kRuns) {
      oldest = std::min(oldest, other->begin);
    }
  }
  parties->erase(std::remove_if(parties->begin(), parties->end(),
                                [oldest](const std::shared_ptr<Party>& party) {
                                  return party->end < oldest;
                                }),
                 parties->end());
}

bool FilterRegister::Claimed(const Slice& user_key) const {
  if (num_compactions_.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  MutexLock lock(&mutex_);
  return std::any_of(compactions_.begin(), compactions_.end(),
                     [&](const std::shared_ptr<Party>& compaction) {
                       return compaction->keys->MayContain(user_key);
                     });
}

FilterRegister::Compaction::Compaction(FilterRegister* filters,
                                       const Comparator* ucmp)
    : filters_(filters),
      party_(filters->Begin(std::make_unique<KeySet>(ucmp, kClaimsExpected),
                            &filters->compactions_)) {}

FilterRegister::Compaction::~Compaction() { filters_->End(party_.get()); }

bool FilterRegister::Compaction::Claim(const Slice& user_key) {
  MutexLock lock(&filters_->mutex_);
  party_->keys->Add(user_key);
  return std::none_of(
      filters_->promotions_.begin(), filters_->promotions_.end(),
      [&](const std::shared_ptr<Party>& promotion) {
        return promotion->end > party_->begin && promotion->keys != nullptr &&
               promotion->keys->MayContain(user_key);
      });
}

bool FilterRegister::Compaction::ClaimRange(const Slice& start,
                                            const Slice& end) {
  MutexLock lock(&filters_->mutex_);
  const bool free = std::none_of(
      filters_->promotions_.begin(), filters_->promotions_.end(),
      [&](const std::shared_ptr<Party>& promotion) {
        return promotion->end > party_->begin && promotion->keys != nullptr &&
               promotion->keys->MayContainAny(start, end);
      });
  if (free) {
    party_->keys->AddRange(start, end);
  }
  return free;
}

bool FilterRegister::Compaction::GetRange(std::string* smallest,
                                          std::string* largest) const {
  MutexLock lock(&filters_->mutex_);
  if (party_->keys->empty()) {
    return false;
  }
  *smallest = party_->keys->smallest();
  *largest = party_->keys->largest();
  return true;
}

FilterRegister::Promotion::Promotion(FilterRegister* filters,
                                     const Comparator* ucmp)
    : filters_(filters),
      ucmp_(ucmp),
      party_(filters->Begin(/*keys=*/nullptr, &filters->promotions_)) {}

FilterRegister::Promotion::~Promotion() { filters_->End(party_.get()); }

void FilterRegister::Promotion::Publish(
    const std::vector<PromotionRecordPtr>& records) {
  auto keys = std::make_unique<KeySet>(ucmp_, records.size());
  for (const auto& record : records) {
    keys->Add(record->user_key);
  }
  MutexLock lock(&filters_->mutex_);
  assert(party_->keys == nullptr);
  party_->keys = std::move(keys);
}

}  // namespace ROCKSDB_NAMESPACE
