//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/tikv_codec.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

// memcomparable: groups of eight bytes, each followed by 255 less the number of
// zeros that fill it up.
void AppendEncoded(const std::string& raw, std::string* key) {
  for (size_t i = 0; i <= raw.size(); i += 8) {
    const std::string group = raw.substr(i, 8);
    const size_t padding = 8 - group.size();
    key->append(group);
    key->append(padding, '\0');
    key->push_back(static_cast<char>(255 - padding));
  }
}

// The raw key of a row: t{table}_r{handle}.
std::string RowKey(uint64_t n) {
  std::string raw = "t";
  AppendBigEndian(1, &raw);
  raw += "_r";
  AppendBigEndian(n, &raw);
  return raw;
}

uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::string Payload(uint64_t seed, size_t bytes) {
  std::string value;
  uint64_t x = Mix(seed);
  while (value.size() < bytes) {
    x = Mix(x);
    // Half of it can be compressed.
    AppendBigEndian(x & 0xffffffffu, &value);
  }
  value.resize(bytes);
  return value;
}

}  // namespace

void AppendBigEndian(uint64_t value, std::string* result) {
  for (int shift = 56; shift >= 0; shift -= 8) {
    result->push_back(static_cast<char>(value >> shift));
  }
}

uint64_t ReadBigEndian(const char* data) {
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) {
    value = value << 8 | static_cast<unsigned char>(data[i]);
  }
  return value;
}

std::string DataKey(uint64_t n) {
  std::string key = "z";
  AppendEncoded(RowKey(n), &key);
  return key;
}

std::string RawKey(uint64_t n) {
  std::string key = "r";
  AppendEncoded(RowKey(n), &key);
  return key;
}

std::string WithTimestamp(const std::string& key, uint64_t ts) {
  std::string result = key;
  AppendBigEndian(~ts, &result);
  return result;
}

Slice WithoutTimestamp(const Slice& key) {
  return Slice(key.data(), key.size() - kTimestampBytes);
}

uint64_t TimestampOf(const Slice& key) {
  return ~ReadBigEndian(key.data() + key.size() - kTimestampBytes);
}

uint64_t NumberOf(const Slice& key) {
  // The handle is in bytes 11 to 18 of the raw key, of which each eight are
  // followed by a marker.
  std::string raw;
  for (size_t i = 1; raw.size() < 24; i += 9) {
    raw.append(key.data() + i, 8);
  }
  return ReadBigEndian(raw.data() + 11);
}

std::string EncodeWrite(const WriteRecord& record) {
  std::string value(1, static_cast<char>(record.type));
  AppendBigEndian(record.start_ts, &value);
  if (record.has_short_value) {
    value.push_back('v');
    value += record.short_value;
  }
  return value;
}

bool DecodeWrite(const Slice& value, WriteRecord* record) {
  if (value.size() < 9) {
    return false;
  }
  record->type = static_cast<WriteType>(value[0]);
  record->start_ts = ReadBigEndian(value.data() + 1);
  record->has_short_value = value.size() > 9 && value[9] == 'v';
  record->short_value = record->has_short_value
                            ? std::string(value.data() + 10, value.size() - 10)
                            : std::string();
  return true;
}

std::string ApplyStateKey(uint64_t region) {
  std::string key = "\x01\x02";
  AppendBigEndian(region, &key);
  key.push_back('\x03');
  return key;
}

std::string RaftLogKey(uint64_t region, uint64_t index) {
  std::string key = "\x01\x02";
  AppendBigEndian(region, &key);
  key.push_back('\x01');
  AppendBigEndian(index, &key);
  return key;
}

std::string ValueOf(uint64_t n, uint64_t start_ts) {
  const uint64_t seed = Mix(n) ^ start_ts;
  // A quarter is short.
  const size_t bytes =
      seed % 4 == 0 ? 40 + Mix(seed) % 200 : 300 + Mix(seed) % 700;
  return Payload(seed, bytes);
}

std::string RawValue(uint64_t n, uint64_t version, uint64_t expire_secs) {
  std::string value;
  AppendBigEndian(version, &value);
  value += Payload(Mix(n) ^ version, 400);
  AppendBigEndian(expire_secs, &value);
  return value;
}

uint64_t RawVersionOf(const Slice& value) {
  return value.size() < 16 ? 0 : ReadBigEndian(value.data());
}

uint64_t RawExpireSecs(const Slice& value) {
  return value.size() < 16 ? 0 : ReadBigEndian(value.data() + value.size() - 8);
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
