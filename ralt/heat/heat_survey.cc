//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/heat/heat_survey.h"

#include <algorithm>
#include <utility>

namespace ROCKSDB_NAMESPACE {

namespace {

bool MoreAccesses(const HeatSum& a, const HeatSum& b) {
  return a.accesses > b.accesses;
}

bool Hotter(const HeatKey& a, const HeatKey& b) {
  return a.hot != b.hot ? a.hot : a.score > b.score;
}

void AddTo(const ralt::AccessRecord& record, double accesses, HeatSum* sum) {
  sum->records++;
  sum->bytes += record.HotrapBytes();
  if (record.hot) {
    sum->hot_records++;
    sum->hot_bytes += record.HotrapBytes();
  }
  sum->accesses += accesses;
}

// Adds to a heap of at most `most` items.
template <typename Item, typename Greater>
void Keep(Item&& item, size_t most, const Greater& greater,
          std::vector<std::decay_t<Item>>* heap) {
  if (heap->size() >= most &&
      (heap->empty() || !greater(item, heap->front()))) {
    return;
  }
  heap->push_back(std::forward<Item>(item));
  std::push_heap(heap->begin(), heap->end(), greater);
  if (heap->size() > most) {
    std::pop_heap(heap->begin(), heap->end(), greater);
    heap->pop_back();
  }
}

template <typename Item, typename Greater>
std::vector<Item> Sorted(std::vector<Item> heap, const Greater& greater) {
  std::sort_heap(heap.begin(), heap.end(), greater);
  return heap;
}

}  // namespace

Slice HeatSurvey::PrefixOf(const Slice& key) const {
  if (options_.delimiter.empty()) {
    return Slice(key.data(),
                 std::min<size_t>(key.size(), options_.prefix_bytes));
  }
  const char* const end = std::find(key.data(), key.data() + key.size(),
                                    options_.delimiter.front());
  const size_t length = static_cast<size_t>(end - key.data());
  return Slice(key.data(), std::min(key.size(), length + 1));
}

void HeatSurvey::Add(const ralt::AccessRecord& record, float score,
                     const ralt::Scoring& scoring) {
  const Slice prefix = PrefixOf(record.key);
  if (group_.records > 0 && prefix != group_.prefix) {
    EndGroup();
  }
  if (group_.records == 0) {
    group_.prefix.assign(prefix.data(), prefix.size());
  }
  const double accesses = scoring.AccessesPerSlice(score);
  AddTo(record, accesses, &group_);
  AddTo(record, accesses, &total_);
  HeatKey key{std::string(), record.value_bytes, record.hot, score, accesses};
  if (keys_.size() < options_.top ||
      (!keys_.empty() && Hotter(key, keys_.front()))) {
    key.key = record.key.ToString();
    Keep(std::move(key), options_.top, Hotter, &keys_);
  }
}

void HeatSurvey::EndGroup() {
  if (group_.records > 0) {
    Keep(std::exchange(group_, HeatSum()), options_.top, MoreAccesses,
         &groups_);
  }
}

std::vector<HeatSum> HeatSurvey::groups() const {
  return Sorted(groups_, MoreAccesses);
}

std::vector<HeatKey> HeatSurvey::keys() const { return Sorted(keys_, Hotter); }

}  // namespace ROCKSDB_NAMESPACE
