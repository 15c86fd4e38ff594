//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/verifier.h"

#include <cassert>
#include <string>

#include "plugin/hotrap/tools/bench/value_codec.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

Verifier::Verifier(uint64_t capacity)
    : capacity_(capacity),
      keys_(std::make_unique<KeyState[]>(capacity)),
      stripes_(kStripes) {}

std::unique_lock<std::mutex> Verifier::LockKey(uint64_t id) {
  return std::unique_lock<std::mutex>(stripes_[id % kStripes]);
}

uint32_t Verifier::BeginWrite(uint64_t id) {
  assert(id < capacity_);
  return keys_[id].started.fetch_add(1) + 1;
}

uint32_t Verifier::BeginDelete(uint64_t id) {
  assert(id < capacity_);
  // Publish the deletion before it starts: a reader that may see it must know
  // of it.
  const uint32_t version = keys_[id].started.load() + 1;
  keys_[id].deleted.store(version);
  keys_[id].started.store(version);
  return version;
}

void Verifier::FinishWrite(uint64_t id, uint32_t version) {
  assert(id < capacity_);
  keys_[id].finished.store(version);
}

Status Verifier::Adopt(uint64_t id, const Slice& value) {
  uint64_t value_id = 0;
  uint64_t version = 0;
  Status s = DecodeValue(value, &value_id, &version);
  if (s.ok() && (id >= capacity_ || value_id != id)) {
    s = Status::Corruption("a key holds the value of another key",
                           std::to_string(id));
  }
  if (s.ok()) {
    keys_[id].started.store(static_cast<uint32_t>(version));
    keys_[id].finished.store(static_cast<uint32_t>(version));
    keys_[id].deleted.store(0);
  }
  return s;
}

uint32_t Verifier::Floor(uint64_t id) const {
  return id < capacity_ ? keys_[id].finished.load() : 0;
}

bool Verifier::MustExist(uint64_t id) const {
  const uint32_t floor = Floor(id);
  return floor > 0 && keys_[id].deleted.load() < floor;
}

Status Verifier::CheckFound(uint64_t id, uint32_t floor,
                            const Slice& value) const {
  uint64_t value_id = 0;
  uint64_t version = 0;
  Status s = DecodeValue(value, &value_id, &version);
  if (!s.ok()) {
    return s;
  }
  if (value_id != id || id >= capacity_) {
    return Status::Corruption("key " + std::to_string(id) +
                              " holds the value of key " +
                              std::to_string(value_id));
  }
  if (version < floor) {
    return Status::Corruption("stale read: key " + std::to_string(id) +
                              " has version " + std::to_string(version) +
                              ", but version " + std::to_string(floor) +
                              " was finished before the read started");
  }
  if (version > keys_[id].started.load()) {
    return Status::Corruption("key " + std::to_string(id) + " has version " +
                              std::to_string(version) +
                              ", which was never written");
  }
  return Status::OK();
}

Status Verifier::CheckMissing(uint64_t id, uint32_t floor) const {
  if (floor == 0 || keys_[id].deleted.load() >= floor) {
    return Status::OK();
  }
  return Status::Corruption("lost key " + std::to_string(id) + ", version " +
                            std::to_string(floor) +
                            " was finished before the read started");
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
