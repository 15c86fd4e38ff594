//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/invalidation_ring.h"

#include <cassert>
#include <utility>

namespace ROCKSDB_NAMESPACE {

void InvalidationRing::Push(Entry entry) {
  MutexLock lock(&mutex_);
  assert(entries_.empty() ||
         entries_.back().version_number <= entry.version_number);
  entries_.push_back(std::move(entry));
  if (entries_.size() > kCapacity) {
    newest_forgotten_ = entries_.front().version_number;
    entries_.pop_front();
  }
}

void InvalidationRing::Forget(uint64_t version_number) {
  MutexLock lock(&mutex_);
  entries_.clear();
  newest_forgotten_ = version_number;
}

bool InvalidationRing::ChangedSince(uint64_t version_number,
                                    const Slice& user_key,
                                    bool fast_too) const {
  MutexLock lock(&mutex_);
  if (newest_forgotten_ > version_number) {
    return true;
  }
  for (auto it = entries_.rbegin();
       it != entries_.rend() && it->version_number > version_number; ++it) {
    if ((fast_too || it->kind == kSlowTierChanged) &&
        ucmp_->Compare(it->smallest, user_key) <= 0 &&
        ucmp_->Compare(user_key, it->largest) <= 0) {
      return true;
    }
  }
  return false;
}

}  // namespace ROCKSDB_NAMESPACE
