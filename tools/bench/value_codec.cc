//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/value_codec.h"

#include <algorithm>
#include <cstring>
#include <random>

// Header only: no library to link.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr size_t kIdOffset = sizeof(uint64_t);
constexpr size_t kVersionOffset = 2 * sizeof(uint64_t);
constexpr size_t kFillerOffset = kMinValueBytes;

// Fillers are slices of a random pool, so that writing a value costs a copy,
// not a thousand random numbers.
constexpr size_t kPoolBytes = size_t{1} << 20;
// Prime and not near a power of two, so that neighbours start at different
// places of the pool.
constexpr uint64_t kPoolStride = 7919;

const std::string& FillerPool() {
  static const std::string pool = [] {
    std::mt19937_64 rng(kPoolStride);
    std::string bytes(kPoolBytes, '\0');
    std::generate(bytes.begin(), bytes.end(),
                  [&rng] { return static_cast<char>(rng()); });
    return bytes;
  }();
  return pool;
}

}  // namespace

void EncodeValue(uint64_t id, uint64_t version, size_t value_bytes,
                 std::string* value) {
  value->resize(std::max(value_bytes, kMinValueBytes));
  char* const data = value->data();
  memcpy(data + kIdOffset, &id, sizeof(id));
  memcpy(data + kVersionOffset, &version, sizeof(version));
  const std::string& pool = FillerPool();
  size_t from = static_cast<size_t>((id + version) * kPoolStride % kPoolBytes);
  for (size_t at = kFillerOffset; at < value->size(); from = 0) {
    const size_t bytes = std::min(value->size() - at, kPoolBytes - from);
    memcpy(data + at, pool.data() + from, bytes);
    at += bytes;
  }
  const uint64_t checksum =
      XXH3_64bits(data + kIdOffset, value->size() - kIdOffset);
  memcpy(data, &checksum, sizeof(checksum));
}

Status DecodeValue(const Slice& value, uint64_t* id, uint64_t* version) {
  if (value.size() < kMinValueBytes) {
    return Status::Corruption("value too short",
                              std::to_string(value.size()) + " bytes");
  }
  uint64_t checksum = 0;
  memcpy(&checksum, value.data(), sizeof(checksum));
  if (checksum !=
      XXH3_64bits(value.data() + kIdOffset, value.size() - kIdOffset)) {
    return Status::Corruption("value checksum mismatch");
  }
  memcpy(id, value.data() + kIdOffset, sizeof(*id));
  memcpy(version, value.data() + kVersionOffset, sizeof(*version));
  return Status::OK();
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
