//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A file system in which one folder fails for a while.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

// Thread-safe.
class PathFaults : public FileSystemWrapper {
 public:
  struct Fault {
    // Which files the fault affects, by name.
    std::function<bool(const std::string& name)> hits;
    // The results of reading, writing and creating a file ...
    IOStatus read;
    IOStatus write;
    IOStatus create;
    // ... renaming and deleting one, and syncing a folder.
    IOStatus change;
    IOStatus sync_folder;
    // Delay before each of these operations.
    std::chrono::milliseconds delay{0};
    // If true, all these operations wait for End().
    bool stalls = false;
  };

  explicit PathFaults(const std::shared_ptr<FileSystem>& target)
      : FileSystemWrapper(target) {}

  static const char* kClassName() { return "PathFaults"; }
  const char* Name() const override { return kClassName(); }

  void Begin(Fault fault) {
    std::lock_guard<std::mutex> lock(mutex_);
    fault_ = std::make_shared<const Fault>(std::move(fault));
  }
  void End() {
    std::lock_guard<std::mutex> lock(mutex_);
    fault_.reset();
    ended_.notify_all();
  }

  // The number of operations that are waiting now.
  int stalled() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return stalled_;
  }

  IOStatus Check(const std::string& name, IOStatus Fault::*what) const {
    const std::shared_ptr<const Fault> fault = Meet(name);
    if (fault == nullptr) {
      return IOStatus::OK();
    }
    std::this_thread::sleep_for(fault->delay);
    return (*fault).*what;
  }

  // Returns the fault that affects the file. Waits while it stalls.
  std::shared_ptr<const Fault> Meet(const std::string& name) const {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::shared_ptr<const Fault> fault = fault_;
    if (fault == nullptr || !fault->hits(name)) {
      return nullptr;
    }
    if (fault->stalls) {
      stalled_++;
      ended_.wait(lock, [&] { return fault_ != fault; });
      stalled_--;
    }
    return fault;
  }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file,
                           IODebugContext* dbg) override {
    IOStatus s = Check(name, &Fault::create);
    std::unique_ptr<FSWritableFile> target;
    if (s.ok()) {
      s = FileSystemWrapper::NewWritableFile(name, options, &target, dbg);
    }
    if (s.ok()) {
      *file = std::make_unique<WritableFile>(std::move(target), this, name);
    }
    return s;
  }

  IOStatus NewRandomAccessFile(const std::string& name,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    IOStatus s = Check(name, &Fault::read);
    std::unique_ptr<FSRandomAccessFile> target;
    if (s.ok()) {
      s = FileSystemWrapper::NewRandomAccessFile(name, options, &target, dbg);
    }
    if (s.ok()) {
      *file = std::make_unique<RandomAccessFile>(std::move(target), this, name);
    }
    return s;
  }

  IOStatus NewSequentialFile(const std::string& name,
                             const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file,
                             IODebugContext* dbg) override {
    Meet(name);
    return FileSystemWrapper::NewSequentialFile(name, options, file, dbg);
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* directory,
                        IODebugContext* dbg) override {
    std::unique_ptr<FSDirectory> target;
    const IOStatus s =
        FileSystemWrapper::NewDirectory(name, options, &target, dbg);
    if (s.ok()) {
      *directory = std::make_unique<Directory>(std::move(target), this, name);
    }
    return s;
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* dbg) override {
    const IOStatus s = Check(name, &Fault::change);
    return s.ok() ? FileSystemWrapper::DeleteFile(name, options, dbg) : s;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to,
                      const IOOptions& options, IODebugContext* dbg) override {
    const IOStatus s = Check(to, &Fault::change);
    return s.ok() ? FileSystemWrapper::RenameFile(from, to, options, dbg) : s;
  }

 private:
  class WritableFile : public FSWritableFileOwnerWrapper {
   public:
    WritableFile(std::unique_ptr<FSWritableFile>&& target,
                 const PathFaults* faults, std::string name)
        : FSWritableFileOwnerWrapper(std::move(target)),
          faults_(faults),
          name_(std::move(name)) {}

    IOStatus Append(const Slice& data, const IOOptions& options,
                    IODebugContext* dbg) override {
      const IOStatus s = Check();
      return s.ok() ? FSWritableFileOwnerWrapper::Append(data, options, dbg)
                    : s;
    }
    IOStatus Append(const Slice& data, const IOOptions& options,
                    const DataVerificationInfo& info,
                    IODebugContext* dbg) override {
      const IOStatus s = Check();
      return s.ok()
                 ? FSWritableFileOwnerWrapper::Append(data, options, info, dbg)
                 : s;
    }
    IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
      const IOStatus s = Check();
      return s.ok() ? FSWritableFileOwnerWrapper::Sync(options, dbg) : s;
    }
    IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
      faults_->Meet(name_);
      return FSWritableFileOwnerWrapper::Close(options, dbg);
    }

   private:
    IOStatus Check() const { return faults_->Check(name_, &Fault::write); }

    const PathFaults* const faults_;
    const std::string name_;
  };

  class RandomAccessFile : public FSRandomAccessFileOwnerWrapper {
   public:
    RandomAccessFile(std::unique_ptr<FSRandomAccessFile>&& target,
                     const PathFaults* faults, std::string name)
        : FSRandomAccessFileOwnerWrapper(std::move(target)),
          faults_(faults),
          name_(std::move(name)) {}

    IOStatus Read(uint64_t offset, size_t n, const IOOptions& options,
                  Slice* result, char* scratch,
                  IODebugContext* dbg) const override {
      const IOStatus s = faults_->Check(name_, &Fault::read);
      return s.ok() ? FSRandomAccessFileOwnerWrapper::Read(offset, n, options,
                                                           result, scratch, dbg)
                    : s;
    }
    IOStatus MultiRead(FSReadRequest* requests, size_t count,
                       const IOOptions& options, IODebugContext* dbg) override {
      const IOStatus s = faults_->Check(name_, &Fault::read);
      return s.ok() ? FSRandomAccessFileOwnerWrapper::MultiRead(requests, count,
                                                                options, dbg)
                    : s;
    }

   private:
    const PathFaults* const faults_;
    const std::string name_;
  };

  class Directory : public FSDirectoryWrapper {
   public:
    Directory(std::unique_ptr<FSDirectory>&& target, const PathFaults* faults,
              std::string name)
        : FSDirectoryWrapper(std::move(target)),
          faults_(faults),
          name_(std::move(name)) {}

    IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
      const IOStatus s = faults_->Check(name_, &Fault::sync_folder);
      return s.ok() ? FSDirectoryWrapper::Fsync(options, dbg) : s;
    }
    IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* dbg,
                                 const DirFsyncOptions& fsync) override {
      const IOStatus s = faults_->Check(name_, &Fault::sync_folder);
      return s.ok()
                 ? FSDirectoryWrapper::FsyncWithDirOptions(options, dbg, fsync)
                 : s;
    }

   private:
    const PathFaults* const faults_;
    const std::string name_;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::shared_ptr<const Fault> fault_;
  mutable int stalled_ = 0;
};

}  // namespace ROCKSDB_NAMESPACE
