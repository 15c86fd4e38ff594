//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Readers and a writer for the trace formats that hotrap_bench replays.

#pragma once

#include <cstdint>
#include <string>

#include "plugin/hotrap/tools/bench/trace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

struct TraceReaderOptions {
  // Value sizes are divided by this, so that traces with large values fit on
  // the machine. REQUIRES: > 0
  uint32_t value_divisor = 1;
  // Reading stops after this many requests; 0 means all.
  uint64_t max_requests = 0;
};

// A CloudPhysics block trace: a heading `version,time,op,size,lbn`, then one
// request per line. op 28 is a read and 2a a write (SCSI codes). The key is lbn
// in 20 decimal digits, so that neighbouring blocks are neighbours in the DB.
// The value has `size` bytes.
Status ReadCloudPhysicsTrace(const std::string& path,
                             const TraceReaderOptions& options, Trace* trace);

// A Twitter cache trace: no heading, columns
// `timestamp,anonymized key,key size,value size,client id,operation,TTL`.
// get and gets are reads, delete is a delete, all others (set add replace cas
// append prepend incr decr) replace the value by one of `value size` bytes.
// TTLs are ignored: an expiry would hide a lost key.
Status ReadTwitterTrace(const std::string& path,
                        const TraceReaderOptions& options, Trace* trace);

// Writes the trace in the Twitter format, with one request per second.
Status WriteTwitterTrace(const Trace& trace, const std::string& path);

// By format name: "cloudphysics" or "twitter".
Status ReadTrace(const std::string& format, const std::string& path,
                 const TraceReaderOptions& options, Trace* trace);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
