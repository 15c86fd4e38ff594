//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/trace.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

void Trace::AddLoaded(const std::string& key, uint32_t value_bytes) {
  const auto [added, is_new] =
      ids_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
  assert(is_new);
  (void)is_new;
  keys_.push_back(&added->first);
  preload_bytes_.push_back(std::max<uint32_t>(1, value_bytes));
}

void Trace::Add(const std::string& key, Operation operation,
                uint32_t value_bytes) {
  const bool reads = operation == Operation::kRead;
  AddRequest(key, operation, value_bytes,
             reads ? std::max<uint32_t>(1, value_bytes) : 0);
}

void Trace::AddUnloaded(const std::string& key, Operation operation,
                        uint32_t value_bytes) {
  AddRequest(key, operation, value_bytes, /*preload_bytes_if_new=*/0);
}

void Trace::AddRequest(const std::string& key, Operation operation,
                       uint32_t value_bytes, uint32_t preload_bytes_if_new) {
  const auto [found, is_new] =
      ids_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
  if (is_new) {
    keys_.push_back(&found->first);
    preload_bytes_.push_back(preload_bytes_if_new);
  }
  requests_.push_back({found->second, value_bytes, operation});
}

bool Trace::FindKey(const std::string& key, uint64_t* id) const {
  const auto found = ids_.find(key);
  if (found == ids_.end()) {
    return false;
  }
  *id = found->second;
  return true;
}

TraceKeySpace::TraceKeySpace(std::shared_ptr<const Trace> trace)
    : trace_(std::move(trace)) {}

void TraceKeySpace::KeyOf(uint64_t id, std::string* key) const {
  *key = trace_->key(id);
}

bool TraceKeySpace::IdOf(const Slice& key, uint64_t* id) const {
  return trace_->FindKey(key.ToString(), id);
}

std::vector<uint64_t> TraceKeySpace::IdsInKeyOrder(uint64_t count) const {
  // Views lie together, whereas each comparison of ids would look for two keys.
  std::vector<std::pair<std::string_view, uint64_t>> keys(count);
  for (uint64_t id = 0; id < count; ++id) {
    keys[id] = {trace_->key(id), id};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<uint64_t> ids(count);
  for (uint64_t place = 0; place < count; ++place) {
    ids[place] = keys[place].second;
  }
  return ids;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
