//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A file system whose operations a test can block, to stop a thread of the DB
// at a known place. Unlike sync points, it works in both flavours of the build.
//
//     FileGate gate(fs, FileOp::kCreate, "/fast/.*\\.sst");
//     ... something makes a background job write a table ...
//     gate.WaitCaught();   // the job is blocked before its new file
//     ... what must happen meanwhile ...
//     gate.Open();         // and the job continues, or
//     gate.Fail(error);    // ... fails
//
// A gate blocks the first matching operation and lets all others pass.

#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

enum class FileOp {
  kCreate,        // a file is created for writing
  kAppend,        // ... written to
  kRead,          // ... read at random
  kOpenToRewrite  // ... opened to be changed in place
};

class FileGate;

// Thread-safe.
class GatedFileSystem : public FileSystemWrapper {
 public:
  explicit GatedFileSystem(const std::shared_ptr<FileSystem>& target)
      : FileSystemWrapper(target) {}

  static const char* kClassName() { return "GatedFileSystem"; }
  const char* Name() const override { return kClassName(); }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file,
                           IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& name,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override;
  IOStatus NewRandomRWFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSRandomRWFile>* file,
                           IODebugContext* dbg) override;

  // Blocks if a gate catches the operation; otherwise returns at once.
  IOStatus Pass(FileOp op, const std::string& name);

 private:
  friend class FileGate;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FileGate*> gates_;  // on the test's stack
};

class FileGate {
 public:
  // Closes the gate. `name_pattern` is a regular expression that is searched
  // for in the file's name.
  FileGate(GatedFileSystem* fs, FileOp op, const std::string& name_pattern)
      : fs_(fs), op_(op), name_pattern_(name_pattern) {
    std::lock_guard<std::mutex> lock(fs_->mutex_);
    fs_->gates_.push_back(this);
  }
  // Releases the blocked operation and waits until it has left the gate.
  ~FileGate() {
    Open();
    std::unique_lock<std::mutex> lock(fs_->mutex_);
    fs_->changed_.wait(lock, [this] { return !holds_; });
    auto& gates = fs_->gates_;
    gates.erase(std::remove(gates.begin(), gates.end(), this), gates.end());
  }
  FileGate(const FileGate&) = delete;
  FileGate& operator=(const FileGate&) = delete;

  void Open() {
    std::lock_guard<std::mutex> lock(fs_->mutex_);
    open_ = true;
    fs_->changed_.notify_all();
  }

  // Like Open(), but the blocked operation fails with `error`.
  void Fail(const IOStatus& error) {
    std::lock_guard<std::mutex> lock(fs_->mutex_);
    result_ = error;
    open_ = true;
    fs_->changed_.notify_all();
  }

  bool caught() const {
    std::lock_guard<std::mutex> lock(fs_->mutex_);
    return caught_;
  }

  // Returns whether an operation was caught before the timeout.
  bool WaitCaught(
      std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    std::unique_lock<std::mutex> lock(fs_->mutex_);
    return fs_->changed_.wait_for(lock, timeout, [this] { return caught_; });
  }

 private:
  friend class GatedFileSystem;

  GatedFileSystem* const fs_;
  const FileOp op_;
  const std::regex name_pattern_;
  // Protected by fs_->mutex_.
  bool open_ = false;
  bool caught_ = false;
  bool holds_ = false;
  IOStatus result_;
};

class GatedWritableFile : public FSWritableFileOwnerWrapper {
 public:
  GatedWritableFile(std::unique_ptr<FSWritableFile>&& target,
                    GatedFileSystem* fs, std::string name)
      : FSWritableFileOwnerWrapper(std::move(target)),
        fs_(fs),
        name_(std::move(name)) {}

  IOStatus Append(const Slice& data, const IOOptions& options,
                  IODebugContext* dbg) override {
    const IOStatus s = fs_->Pass(FileOp::kAppend, name_);
    if (!s.ok()) {
      return s;
    }
    return FSWritableFileOwnerWrapper::Append(data, options, dbg);
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const DataVerificationInfo& verification_info,
                  IODebugContext* dbg) override {
    const IOStatus s = fs_->Pass(FileOp::kAppend, name_);
    if (!s.ok()) {
      return s;
    }
    return FSWritableFileOwnerWrapper::Append(data, options, verification_info,
                                              dbg);
  }

 private:
  GatedFileSystem* const fs_;
  const std::string name_;
};

class GatedRandomAccessFile : public FSRandomAccessFileOwnerWrapper {
 public:
  GatedRandomAccessFile(std::unique_ptr<FSRandomAccessFile>&& target,
                        GatedFileSystem* fs, std::string name)
      : FSRandomAccessFileOwnerWrapper(std::move(target)),
        fs_(fs),
        name_(std::move(name)) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options,
                Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    const IOStatus s = fs_->Pass(FileOp::kRead, name_);
    if (!s.ok()) {
      return s;
    }
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result,
                                                scratch, dbg);
  }
  IOStatus MultiRead(FSReadRequest* reqs, size_t num_reqs,
                     const IOOptions& options, IODebugContext* dbg) override {
    const IOStatus s = fs_->Pass(FileOp::kRead, name_);
    if (!s.ok()) {
      return s;
    }
    return FSRandomAccessFileOwnerWrapper::MultiRead(reqs, num_reqs, options,
                                                     dbg);
  }

 private:
  GatedFileSystem* const fs_;
  const std::string name_;
};

inline IOStatus GatedFileSystem::NewWritableFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) {
  IOStatus s = Pass(FileOp::kCreate, name);
  if (!s.ok()) {
    return s;
  }
  std::unique_ptr<FSWritableFile> target;
  s = FileSystemWrapper::NewWritableFile(name, options, &target, dbg);
  if (s.ok()) {
    *file = std::make_unique<GatedWritableFile>(std::move(target), this, name);
  }
  return s;
}

inline IOStatus GatedFileSystem::NewRandomAccessFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<FSRandomAccessFile>* file, IODebugContext* dbg) {
  std::unique_ptr<FSRandomAccessFile> target;
  IOStatus s =
      FileSystemWrapper::NewRandomAccessFile(name, options, &target, dbg);
  if (s.ok()) {
    *file =
        std::make_unique<GatedRandomAccessFile>(std::move(target), this, name);
  }
  return s;
}

inline IOStatus GatedFileSystem::NewRandomRWFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<FSRandomRWFile>* file, IODebugContext* dbg) {
  const IOStatus s = Pass(FileOp::kOpenToRewrite, name);
  if (!s.ok()) {
    return s;
  }
  return FileSystemWrapper::NewRandomRWFile(name, options, file, dbg);
}

inline IOStatus GatedFileSystem::Pass(FileOp op, const std::string& name) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (FileGate* gate : gates_) {
    if (gate->op_ == op && !gate->caught_ && !gate->open_ &&
        std::regex_search(name, gate->name_pattern_)) {
      gate->caught_ = true;
      gate->holds_ = true;
      changed_.notify_all();
      changed_.wait(lock, [gate] { return gate->open_; });
      gate->holds_ = false;
      const IOStatus result = gate->result_;
      changed_.notify_all();
      return result;
    }
  }
  return IOStatus::OK();
}

}  // namespace ROCKSDB_NAMESPACE
