//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The format of values.
//
//   offset  bytes  what
//        0      8  XXH3 of everything that follows
//        8      8  key id     (native byte order: a DB of hotrap_bench never
//       16      8  version     leaves the machine that made it)
//       24    ...  incompressible filler that depends on id and version

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

constexpr size_t kMinValueBytes = 24;

// Writes a value of max(value_bytes, kMinValueBytes) bytes.
void EncodeValue(uint64_t id, uint64_t version, size_t value_bytes,
                 std::string* value);

// Returns Corruption if the value was not made by EncodeValue or is damaged.
Status DecodeValue(const Slice& value, uint64_t* id, uint64_t* version);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
