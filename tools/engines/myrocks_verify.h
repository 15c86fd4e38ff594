//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Checks everything while nobody writes: each row, each entry of each secondary
// index, and their numbers.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/engines/myrocks_engine.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// `after_kill`: rows may have any version from the acknowledged to the pending
// one, and the model takes over what is found. Otherwise they have the
// acknowledged one. REQUIRES: no client runs.
void VerifyMyRocks(MyRocksEngine* engine, bool after_kill);

// A number that depends on each key and value of the column family.
uint64_t ContentsOf(DB* db, ColumnFamilyHandle* handle);

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
