//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What is known of the disks behind the paths of both tiers.
//
// Thread-safe.

#pragma once

#include <vector>

#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

enum class TierDisks {
  // A file system of the program's own: it may throttle a path, send it
  // elsewhere, or poll for data. One that does not says so by IsInstanceOf().
  kUnknown,
  // The operating system's: a thread whose read was not in memory waits.
  kOfTheSystem,
  // The same, and all paths are on one file system, and so, as good as always,
  // on one disk. Not said of FUSE, which may be a pool of disks.
  kOne,
};

TierDisks DisksOf(const FileSystem& fs, const std::vector<DbPath>& paths);

}  // namespace ROCKSDB_NAMESPACE
