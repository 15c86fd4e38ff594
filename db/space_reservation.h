//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Room for what HotRAP writes of its own accord. Nobody waits for it, so it
// must not take what flushes and compactions need: under the limit that the
// user has set (SstFileManager::SetMaxAllowedSpaceUsage), beyond which writes
// end, and on the fast disk.
//
// Under the limit a reservation counts as the bytes of a running compaction do.
// On the disk all reservations of the process count, whichever disk they are
// for: they are small beside what is free there, or there is nothing to give.
//
// Thread safety: any thread, with or without the DB mutex, but for the
// constructor, which asks the file system: without.

#pragma once

#include <cstdint>
#include <string>

#include "options/cf_options.h"
#include "rocksdb/file_system.h"
#include "rocksdb/sst_file_manager.h"

namespace ROCKSDB_NAMESPACE {

class SpaceReservation {
 public:
  // Takes `wanted_bytes`, or of that what is there while `spare_bytes` stay
  // free beside it. A file system that does not know what is free has enough.
  // `files` may be nullptr; it outlives this.
  SpaceReservation(FileSystem* fs, const std::string& path,
                   SstFileManager* files, uint64_t wanted_bytes,
                   uint64_t spare_bytes);
  // Gives them back. What was written counts by itself from then on.
  ~SpaceReservation();
  SpaceReservation(const SpaceReservation&) = delete;
  SpaceReservation& operator=(const SpaceReservation&) = delete;

  uint64_t bytes() const { return bytes_; }

  // Likewise, and gives them back at once.
  static bool HasRoom(FileSystem* fs, const std::string& path,
                      SstFileManager* files, uint64_t wanted_bytes,
                      uint64_t spare_bytes) {
    return SpaceReservation(fs, path, files, wanted_bytes, spare_bytes)
               .bytes() == wanted_bytes;
  }

 private:
  SstFileManager* const files_;
  uint64_t bytes_ = 0;
};

// What the memtables may take when they are flushed, and their log.
uint64_t SpareForFlushes(const MutableCFOptions& options);

}  // namespace ROCKSDB_NAMESPACE
