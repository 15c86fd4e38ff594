//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// A recorded (or generated) sequence of requests, held in memory.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/operation.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

struct TraceRequest {
  uint32_t key_id;
  uint32_t value_bytes;
  Operation operation;
};

// Built by one thread with Add(), then constant.
class Trace {
 public:
  // Adds a record that exists before the first request. REQUIRES: its key is
  // new.
  void AddLoaded(const std::string& key, uint32_t value_bytes);

  // Adds a request. `value_bytes` is the size that a write writes or that a
  // read found. A key whose first request is a read existed before.
  void Add(const std::string& key, Operation operation, uint32_t value_bytes);

  // Like Add, but a new key did not exist before: reads miss it until it is
  // written.
  void AddUnloaded(const std::string& key, Operation operation,
                   uint32_t value_bytes);

  const std::vector<TraceRequest>& requests() const { return requests_; }
  uint64_t key_count() const { return keys_.size(); }
  const std::string& key(uint64_t id) const { return *keys_[id]; }
  bool FindKey(const std::string& key, uint64_t* id) const;

  // The size of the value that a replay must load beforehand, because the
  // record was added as loaded or its first request is a read. 0 if the first
  // request is a write.
  uint32_t preload_bytes(uint64_t id) const { return preload_bytes_[id]; }

 private:
  void AddRequest(const std::string& key, Operation operation,
                  uint32_t value_bytes, uint32_t preload_bytes_if_new);

  std::unordered_map<std::string, uint32_t> ids_;
  // Point into ids_, whose nodes never move.
  std::vector<const std::string*> keys_;
  std::vector<uint32_t> preload_bytes_;
  std::vector<TraceRequest> requests_;
};

// The keys of a trace, unchanged.
class TraceKeySpace : public KeySpace {
 public:
  explicit TraceKeySpace(std::shared_ptr<const Trace> trace);

  void KeyOf(uint64_t id, std::string* key) const override;
  bool IdOf(const Slice& key, uint64_t* id) const override;
  std::vector<uint64_t> IdsInKeyOrder(uint64_t count) const override;

 private:
  const std::shared_ptr<const Trace> trace_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
