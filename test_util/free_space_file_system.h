//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A file system whose free space is set by a test.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

// Thread-safe.
class FreeSpaceFileSystem : public FileSystemWrapper {
 public:
  explicit FreeSpaceFileSystem(const std::shared_ptr<FileSystem>& target)
      : FileSystemWrapper(target) {}

  static const char* kClassName() { return "FreeSpaceFileSystem"; }
  const char* Name() const override { return kClassName(); }

  static constexpr uint64_t kPlenty = uint64_t{1} << 50;
  void set_free_bytes(uint64_t bytes) { free_bytes_.store(bytes); }

  IOStatus GetFreeSpace(const std::string& /*path*/,
                        const IOOptions& /*options*/, uint64_t* free_bytes,
                        IODebugContext* /*dbg*/) override {
    *free_bytes = free_bytes_.load();
    return IOStatus::OK();
  }

 private:
  std::atomic<uint64_t> free_bytes_{kPlenty};
};

}  // namespace ROCKSDB_NAMESPACE
