//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A file system that changes nothing any more after some number of changes, as
// if the process had been killed there: what would clean up fails, too.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

// Thread-safe.
class DyingFileSystem : public FileSystemWrapper {
 public:
  // `counts`: which files and folders the changes are counted of, by name.
  DyingFileSystem(const std::shared_ptr<FileSystem>& target,
                  std::function<bool(const std::string& name)> counts)
      : FileSystemWrapper(target), counts_(std::move(counts)) {}

  static const char* kClassName() { return "DyingFileSystem"; }
  const char* Name() const override { return kClassName(); }

  // Dies at the change that comes after `changes` others.
  void DieAfter(int64_t changes) { left_ = changes; }
  bool dead() const { return left_ < 0; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file,
                           IODebugContext* dbg) override {
    IOStatus s = Change(name);
    return s.ok() ? target()->NewWritableFile(name, options, file, dbg) : s;
  }
  IOStatus CreateDir(const std::string& name, const IOOptions& options,
                     IODebugContext* dbg) override {
    IOStatus s = Change(name);
    return s.ok() ? target()->CreateDir(name, options, dbg) : s;
  }
  IOStatus CreateDirIfMissing(const std::string& name, const IOOptions& options,
                              IODebugContext* dbg) override {
    IOStatus s = Change(name);
    return s.ok() ? target()->CreateDirIfMissing(name, options, dbg) : s;
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* dbg) override {
    IOStatus s = Change(name);
    return s.ok() ? target()->DeleteFile(name, options, dbg) : s;
  }
  IOStatus DeleteDir(const std::string& name, const IOOptions& options,
                     IODebugContext* dbg) override {
    IOStatus s = Change(name);
    return s.ok() ? target()->DeleteDir(name, options, dbg) : s;
  }
  IOStatus LinkFile(const std::string& from, const std::string& to,
                    const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = Change(to);
    return s.ok() ? target()->LinkFile(from, to, options, dbg) : s;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to,
                      const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = Change(to);
    return s.ok() ? target()->RenameFile(from, to, options, dbg) : s;
  }

 private:
  IOStatus Change(const std::string& name) {
    if (!counts_(name)) {
      return IOStatus::OK();
    }
    return dead() || left_-- <= 0 ? IOStatus::IOError("killed", name)
                                  : IOStatus::OK();
  }

  const std::function<bool(const std::string& name)> counts_;
  std::atomic<int64_t> left_{1ll << 40};
};

}  // namespace ROCKSDB_NAMESPACE
