//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Keys and values as TiKV encodes them, but for varints, which are fixed here.
//
//   default   z{key}{~start_ts}   value of a transaction's put
//   lock      z{key}              the transaction that is writing the key
//   write     z{key}{~commit_ts}  type, start_ts, and a value if it is short
//   raft      \1\2{region}\3      how far the region's log is applied
//   raft DB   \1\2{region}\1{index}
//   default   r{key}              raw value, and when it expires
//
// {key} is encoded so that it sorts as its bytes do (groups of eight and a
// marker), a timestamp as its complement: the newest version comes first.

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

constexpr size_t kTimestampBytes = 8;
// Shorter values are in the write record (SHORT_VALUE_MAX_LEN).
constexpr size_t kShortValueBytes = 255;

enum class WriteType : char {
  kPut = 'P',
  kDelete = 'D',
  kLock = 'L',
  kRollback = 'R',
};

struct WriteRecord {
  WriteType type = WriteType::kPut;
  uint64_t start_ts = 0;
  bool has_short_value = false;
  std::string short_value;
};

void AppendBigEndian(uint64_t value, std::string* result);
uint64_t ReadBigEndian(const char* data);

// Without a timestamp. Row n of TiDB's only table.
std::string DataKey(uint64_t n);
std::string WithTimestamp(const std::string& key, uint64_t ts);
std::string RawKey(uint64_t n);
// Of a key with timestamp.
Slice WithoutTimestamp(const Slice& key);
uint64_t TimestampOf(const Slice& key);
// Of a data key, with or without timestamp, or of a raw key.
uint64_t NumberOf(const Slice& key);

std::string EncodeWrite(const WriteRecord& record);
// Returns false if it is none.
bool DecodeWrite(const Slice& value, WriteRecord* record);

std::string ApplyStateKey(uint64_t region);
std::string RaftLogKey(uint64_t region, uint64_t index);

// What a transaction writes: it follows from the key and the start timestamp.
std::string ValueOf(uint64_t n, uint64_t start_ts);
std::string RawValue(uint64_t n, uint64_t version, uint64_t expire_secs);
uint64_t RawVersionOf(const Slice& value);
uint64_t RawExpireSecs(const Slice& value);

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
