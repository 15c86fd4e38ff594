//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/promotion/promotion_batch.h"

#include <algorithm>
#include <iterator>

#include "util/hash.h"

namespace ROCKSDB_NAMESPACE {

PromotionBatch::PromotionBatch(const Comparator* ucmp)
    : ucmp_(ucmp), filter_(kFilterWords) {
  for (auto& shard : shards_) {
    shard = std::make_unique<Shard>(ucmp);
  }
}

uint64_t PromotionBatch::Hash(const Slice& user_key) {
  return GetSliceNPHash64(user_key);
}

PromotionRecordPtr PromotionBatch::Find(const Slice& user_key) const {
  const uint64_t hash = Hash(user_key);
  if ((FilterWord(hash).load(std::memory_order_relaxed) & FilterBit(hash)) ==
      0) {
    return nullptr;
  }
  const Shard& shard = *shards_[ShardOf(hash)];
  MutexLock lock(&shard.mutex);
  auto it = shard.records.find(user_key);
  return it == shard.records.end() ? nullptr : it->second;
}

size_t PromotionBatch::Remove(Shard* shard, Map::iterator begin,
                              Map::iterator end) {
  size_t bytes = 0;
  size_t count = 0;
  for (auto it = begin; it != end; ++it) {
    bytes += it->second->MemoryBytes();
    count++;
  }
  shard->records.erase(begin, end);
  memory_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  num_records_.fetch_sub(count, std::memory_order_relaxed);
  return count;
}

size_t PromotionBatch::Erase(const Slice& smallest, const Slice& largest) {
  size_t count = 0;
  for (auto& shard : shards_) {
    MutexLock lock(&shard->mutex);
    count += Remove(shard.get(), shard->records.lower_bound(smallest),
                    shard->records.upper_bound(largest));
  }
  return count;
}

void PromotionBatch::Erase(const Slice& user_key) {
  Shard& shard = *shards_[ShardOf(Hash(user_key))];
  MutexLock lock(&shard.mutex);
  auto it = shard.records.find(user_key);
  if (it != shard.records.end()) {
    Remove(&shard, it, std::next(it));
  }
}

void PromotionBatch::Erase(const PromotionRecordPtr& record) {
  Shard& shard = *shards_[ShardOf(Hash(record->user_key))];
  MutexLock lock(&shard.mutex);
  auto it = shard.records.find(record->user_key);
  if (it != shard.records.end() && it->second == record) {
    Remove(&shard, it, std::next(it));
  }
}

void PromotionBatch::Clear() {
  // Clear the filter first: a record that is inserted meanwhile and stays keeps
  // its bit.
  filter_.Clear();
  for (auto& shard : shards_) {
    MutexLock lock(&shard->mutex);
    Remove(shard.get(), shard->records.begin(), shard->records.end());
  }
}

std::vector<PromotionRecordPtr> PromotionBatch::Records() const {
  std::vector<PromotionRecordPtr> records;
  records.reserve(num_records());
  for (const auto& shard : shards_) {
    MutexLock lock(&shard->mutex);
    for (const auto& entry : shard->records) {
      records.push_back(entry.second);
    }
  }
  SortByKey(&records);
  return records;
}

std::vector<PromotionRecordPtr> PromotionBatch::RecordsBetween(
    const Slice& smallest, const Slice& largest) const {
  std::vector<PromotionRecordPtr> records;
  for (const auto& shard : shards_) {
    MutexLock lock(&shard->mutex);
    const auto end = shard->records.upper_bound(largest);
    for (auto it = shard->records.lower_bound(smallest); it != end; ++it) {
      records.push_back(it->second);
    }
  }
  SortByKey(&records);
  return records;
}

void PromotionBatch::SortByKey(std::vector<PromotionRecordPtr>* records) const {
  std::sort(records->begin(), records->end(),
            [this](const PromotionRecordPtr& a, const PromotionRecordPtr& b) {
              return ucmp_->Compare(a->user_key, b->user_key) < 0;
            });
}

}  // namespace ROCKSDB_NAMESPACE
