//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// The paths of a DB as a flag has them: "/nvme/db:40G,/hdd/db:4T", the fast
// path first.
//
// Thread safety: any thread.

#pragma once

#include <string>
#include <vector>

#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// Parses a list of paths. A size is in bytes, or has K, M, G or T behind it,
// powers of 1024. A path without one gets target_size 0. An error names the
// entry.
Status ParsePathList(const std::string& text, std::vector<DbPath>* paths);

}  // namespace ROCKSDB_NAMESPACE
