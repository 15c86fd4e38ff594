//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// TiKV's options of its two DBs.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/tikv_filter.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// The column families of the kv DB, in the order of their handles.
enum TikvFamily : int {
  kTikvDefault,
  kTikvLock,
  kTikvWrite,
  kTikvRaft,
  kTikvFamilies,
};
extern const char* const kTikvFamilyNames[kTikvFamilies];

// enable-pipelined-write, enable-unordered-write, or neither.
enum class WriteMode { kPipelined, kUnordered, kPlain };

struct TikvFilters {
  std::shared_ptr<MvccFilterFactory> mvcc;
  // nullptr: no raw TTL (storage.enable-ttl is off).
  std::shared_ptr<RawTtlFilterFactory> raw_ttl;
};

DBOptions KvDBOptions(const RunConfig& config, WriteMode mode);
std::vector<ColumnFamilyDescriptor> KvFamilies(const RunConfig& config,
                                               bool hotrap,
                                               const TikvFilters& filters);
Options RaftDBOptions(const RunConfig& config, bool hotrap);
// 0 where HotRAP is not on.
uint64_t KvBudget(int family);

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
