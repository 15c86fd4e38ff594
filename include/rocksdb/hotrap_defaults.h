//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// HotRAP's options for DBs that something else opens, such as a framework: for
// code that knows the folder of a DB, but cannot reach the options that it is
// opened with.

#pragma once

#include <cstdint>
#include <string>

#include "rocksdb/hotrap.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

// Sets `options` for column families that do not set `hotrap` themselves, in
// DBs that this process opens, or creates a column family in, from now on.
// The patterns are as in fnmatch(3) without flags: a star also stands for
// slashes. `db_pattern` must fit the DB's absolute folder, as the program names
// it or without symbolic links, and `cf_pattern` the column family's name. Of
// several that fit, the one that was added last counts, as a whole, and the
// environment variable ROCKSDB_HOTRAP is not asked.
//
// A mistake in `options` fails DB::Open and CreateColumnFamily with
// InvalidArgument. Returns a number for RemoveHotRapDefaults(), which is not 0.
// Thread-safe.
uint64_t AddHotRapDefaults(const std::string& db_pattern,
                           const std::string& cf_pattern,
                           const HotRapOptions& options);

// DBs that are open keep the options. Does nothing if there is no such number.
// Thread-safe.
void RemoveHotRapDefaults(uint64_t id);

}  // namespace ROCKSDB_NAMESPACE
