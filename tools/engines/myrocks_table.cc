//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/myrocks_table.h"

#include <chrono>
#include <thread>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

const char* const kMyRocksFamilyNames[kFamilies] = {
    "default", "cf_pk", "cf_sk", "rev:cf_sk", "cf_ttl", "__system__"};

namespace {

// Big-endian, as MyRocks' keys are.
void AppendInteger(uint64_t value, int bytes, std::string* result) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    result->push_back(static_cast<char>(value >> shift));
  }
}

uint64_t ReadInteger(const char* data, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) {
    value = value << 8 | static_cast<unsigned char>(data[i]);
  }
  return value;
}

// A bijection that scatters (splitmix64's).
uint64_t Scatter(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

std::string IndexStart(uint32_t index) {
  std::string key;
  AppendInteger(index, 4, &key);
  return key;
}

uint32_t IndexOf(const Slice& key) {
  return key.size() < 4 ? 0 : static_cast<uint32_t>(ReadInteger(key.data(), 4));
}

std::string MyRocksTable::PrimaryKey(uint64_t row) const {
  std::string key = IndexStart(primary_index);
  AppendInteger(row, 8, &key);
  return key;
}

std::string MyRocksTable::SecondaryPrefix(const SecondaryIndex& index,
                                          uint64_t row,
                                          uint32_t version) const {
  uint32_t value = version / index.versions_per_value;
  if (index.values > 0) {
    value %= index.values;
  }
  std::string key = IndexStart(index.index);
  AppendInteger(Scatter(row * 1024 + value) ^ index.index, 8, &key);
  return key;
}

std::string MyRocksTable::SecondaryKey(const SecondaryIndex& index,
                                       uint64_t row, uint32_t version) const {
  std::string key = SecondaryPrefix(index, row, version);
  AppendInteger(row, 8, &key);
  return key;
}

std::string MyRocksTable::RowValue(uint64_t row, uint32_t version,
                                   uint64_t secs) const {
  std::string value;
  if (ttl_secs > 0) {
    AppendInteger(secs, 8, &value);
  }
  AppendInteger(version, 4, &value);
  // Half of it can be compressed.
  uint64_t x = Scatter(row ^ (uint64_t{number} << 56)) + version;
  while (value.size() < payload_bytes) {
    x = Scatter(x);
    AppendInteger(x & 0xffffffffu, 8, &value);
  }
  return value;
}

std::string MyRocksTable::SecondaryValue(uint64_t secs) const {
  std::string value;
  if (ttl_secs > 0) {
    AppendInteger(secs, 8, &value);
  }
  return value;
}

uint64_t MyRocksTable::RowOf(const Slice& key) {
  return ReadInteger(key.data() + key.size() - 8, 8);
}

uint64_t MyRocksTable::SecsOf(const Slice& value) const {
  return ttl_secs > 0 && value.size() >= 8 ? ReadInteger(value.data(), 8) : 0;
}

bool MyRocksTable::DecodeRow(uint64_t row, const Slice& value,
                             uint32_t* version, uint64_t* secs) const {
  const size_t offset = ttl_secs > 0 ? 8 : 0;
  if (value.size() < offset + 4) {
    return false;
  }
  *secs = SecsOf(value);
  *version = static_cast<uint32_t>(ReadInteger(value.data() + offset, 4));
  return value == RowValue(row, *version, *secs);
}

bool MyRocksTable::Acquire() {
  users_.fetch_add(1);
  if (state() == kLive) {
    return true;
  }
  Release();
  return false;
}

void MyRocksTable::SetState(State state) {
  state_ = state;
  while (state != kLive && users_.load() > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
