//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Reserves room for data that HotRAP writes of its own accord. Nobody waits for
// that data, so it must not use the space that flushes and compactions need:
// neither under the user's limit (SstFileManager::SetMaxAllowedSpaceUsage),
// beyond which writes fail, nor on the fast disk.
//
// Under the limit, a reservation counts like the bytes of a running compaction.
// On a disk, all reservations of the process count, whichever disk they are
// for: either they are small compared with the free space, or there is nothing
// to give.
//
// Thread safety: any thread. The constructor queries the file system and must
// be called without the DB mutex; the rest may be called with or without it.

#pragma once

#include <cstdint>
#include <string>

#include "options/cf_options.h"
#include "rocksdb/file_system.h"
#include "rocksdb/sst_file_manager.h"

namespace ROCKSDB_NAMESPACE {

class SpaceReservation {
 public:
  // Reserves `wanted_bytes`, or as much of that as leaves `spare_bytes` free.
  // If the file system cannot tell the free space, there is enough. `files` may
  // be nullptr, and must outlive this object.
  SpaceReservation(FileSystem* fs, const std::string& path,
                   SstFileManager* files, uint64_t wanted_bytes,
                   uint64_t spare_bytes);
  // Gives the reservation back. From then on, what was written counts by
  // itself.
  ~SpaceReservation();
  SpaceReservation(const SpaceReservation&) = delete;
  SpaceReservation& operator=(const SpaceReservation&) = delete;

  uint64_t bytes() const { return bytes_; }

  // Returns whether all of `wanted_bytes` could be reserved, without keeping
  // them.
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

// Returns the bytes to keep free for flushes of the memtables and for their
// log.
uint64_t SpareForFlushes(const MutableCFOptions& options);

}  // namespace ROCKSDB_NAMESPACE
