//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What SstFileManager is told of the free space where a DB has several paths.
// After a disk was full, it lets the DB go on once there is room, but it looks
// at one path, the first, whichever disk was full. A fast disk is full by
// design, so compactions would wait for room there that they need elsewhere.
//
// Thread safety: see each function.

#pragma once

#include <memory>
#include <set>
#include <string>

#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

class SstFileManagerImpl;

class FreeSpaceOfPaths : public FileSystemWrapper {
 public:
  // Makes `manager` ask this object, if it does not yet. REQUIRES: nobody else
  // uses the manager, as while the DB that has made it opens.
  static FreeSpaceOfPaths* Of(SstFileManagerImpl* manager);

  static const char* kClassName() { return "FreeSpaceOfPaths"; }
  const char* Name() const override { return kClassName(); }

  // Adds a folder that writes need: with a WAL, a MANIFEST, or a fast path; or
  // a slow path. REQUIRES: as above.
  void AddWritten(const std::string& folder) { written_.insert(folder); }
  void AddSlow(const std::string& folder) { slow_.insert(folder); }

  // While writes are stopped: what is free on the disk that has the least of
  // those that writes need. While only compactions have failed: what is free
  // on the slow disk that has the most, since another may always be full.
  // REQUIRES: the manager's mutex held, as it is where the manager asks.
  IOStatus GetFreeSpace(const std::string& path, const IOOptions& options,
                        uint64_t* free_bytes, IODebugContext* dbg) override;

 private:
  FreeSpaceOfPaths(const std::shared_ptr<FileSystem>& fs,
                   SstFileManagerImpl* manager)
      : FileSystemWrapper(fs), manager_(manager) {}

  // The manager owns this object.
  SstFileManagerImpl* const manager_;
  std::set<std::string> written_;
  std::set<std::string> slow_;
};

}  // namespace ROCKSDB_NAMESPACE
