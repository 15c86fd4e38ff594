//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Whether a table's file still exists, as the SstFileManager knows it: it is
// told of every table that is made, and of its deletion, also where that comes
// late or is slow.
//
// Thread safety: any thread, with the DB mutex or without it.

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class SstFileManager;

// `files` may be nullptr: then no file that nobody uses exists.
bool TableExists(SstFileManager* files, const std::string& path,
                 uint64_t number);

}  // namespace ROCKSDB_NAMESPACE
