//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/trace_profile.h"

#include <algorithm>
#include <vector>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

constexpr double kSunkAndHotFraction = 0.05;
constexpr uint64_t kNever = UINT64_MAX;

}  // namespace

TraceProfile ProfileTrace(const Trace& trace) {
  TraceProfile profile;
  // The size of each key's record, as of the last request; 0 if it has none.
  std::vector<uint64_t> record_bytes(trace.key_count());
  for (uint64_t id = 0; id < trace.key_count(); ++id) {
    if (trace.preload_bytes(id) > 0) {
      record_bytes[id] = trace.key(id).size() + trace.preload_bytes(id);
    }
  }
  std::vector<uint64_t> largest_bytes = record_bytes;
  for (const TraceRequest& request : trace.requests()) {
    if (request.operation != Operation::kRead) {
      uint64_t& largest = largest_bytes[request.key_id];
      largest = std::max<uint64_t>(
          largest, trace.key(request.key_id).size() + request.value_bytes);
    }
  }
  for (const uint64_t bytes : largest_bytes) {
    profile.db_bytes += bytes;
  }

  const double distance =
      kSunkAndHotFraction * static_cast<double>(profile.db_bytes);
  // All bytes written and read so far, and the position in them of each key's
  // last access.
  uint64_t written = 0;
  uint64_t read = 0;
  std::vector<uint64_t> last_write(trace.key_count(), kNever);
  std::vector<uint64_t> last_read(trace.key_count(), kNever);
  for (const TraceRequest& request : trace.requests()) {
    const uint64_t id = request.key_id;
    if (request.operation == Operation::kRead) {
      ++profile.reads;
      if (record_bytes[id] == 0) {
        ++profile.missing_reads;
        continue;
      }
      const bool sunk =
          last_write[id] == kNever ||
          static_cast<double>(written - last_write[id]) > distance;
      const bool hot = last_read[id] != kNever &&
                       static_cast<double>(read - last_read[id]) < distance;
      profile.sunk_reads += sunk ? 1 : 0;
      profile.hot_reads += hot ? 1 : 0;
      profile.sunk_and_hot_reads += sunk && hot ? 1 : 0;
      read += record_bytes[id];
      last_read[id] = read;
    } else {
      const bool removes = request.operation == Operation::kDelete;
      const uint64_t key_bytes = trace.key(id).size();
      record_bytes[id] = removes ? 0 : key_bytes + request.value_bytes;
      written += removes ? key_bytes : record_bytes[id];
      last_write[id] = written;
    }
  }
  return profile;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
