//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/tier_file_system.h"

#include <utility>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

namespace {

thread_local ThreadReads thread_reads = {};

class TierRandomAccessFile : public FSRandomAccessFileOwnerWrapper {
 public:
  TierRandomAccessFile(std::unique_ptr<FSRandomAccessFile>&& file, Tier tier,
                       TierFileSystem* fs)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), tier_(tier), fs_(fs) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options,
                Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    fs_->OnRead(tier_, n);
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result,
                                                scratch, dbg);
  }

  IOStatus MultiRead(FSReadRequest* requests, size_t count,
                     const IOOptions& options, IODebugContext* dbg) override {
    for (size_t i = 0; i < count; ++i) {
      fs_->OnRead(tier_, requests[i].len);
    }
    return FSRandomAccessFileOwnerWrapper::MultiRead(requests, count, options,
                                                     dbg);
  }

  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                    IODebugContext* dbg) override {
    IOStatus s =
        FSRandomAccessFileOwnerWrapper::Prefetch(offset, n, options, dbg);
    if (s.ok()) {
      fs_->OnRead(tier_, n);
    }
    return s;
  }

  IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> callback,
                     void* callback_argument, void** io_handle,
                     IOHandleDeleter* deleter, IODebugContext* dbg) override {
    fs_->OnRead(tier_, request.len);
    return FSRandomAccessFileOwnerWrapper::ReadAsync(
        request, options, std::move(callback), callback_argument, io_handle,
        deleter, dbg);
  }

 private:
  const Tier tier_;
  TierFileSystem* const fs_;
};

class TierWritableFile : public FSWritableFileOwnerWrapper {
 public:
  TierWritableFile(std::unique_ptr<FSWritableFile>&& file, Tier tier,
                   TierFileSystem* fs)
      : FSWritableFileOwnerWrapper(std::move(file)), tier_(tier), fs_(fs) {}

  IOStatus Append(const Slice& data, const IOOptions& options,
                  IODebugContext* dbg) override {
    fs_->OnWrite(tier_, data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, dbg);
  }

  IOStatus Append(const Slice& data, const IOOptions& options,
                  const DataVerificationInfo& verification,
                  IODebugContext* dbg) override {
    fs_->OnWrite(tier_, data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, verification, dbg);
  }

  IOStatus PositionedAppend(const Slice& data, uint64_t offset,
                            const IOOptions& options,
                            IODebugContext* dbg) override {
    fs_->OnWrite(tier_, data.size());
    return FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options,
                                                        dbg);
  }

  IOStatus PositionedAppend(const Slice& data, uint64_t offset,
                            const IOOptions& options,
                            const DataVerificationInfo& verification,
                            IODebugContext* dbg) override {
    fs_->OnWrite(tier_, data.size());
    return FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options,
                                                        verification, dbg);
  }

 private:
  const Tier tier_;
  TierFileSystem* const fs_;
};

std::string WithSlash(const std::string& path) {
  return path.empty() || path.back() == '/' ? path : path + '/';
}

}  // namespace

TierFileSystem::TierFileSystem(const std::shared_ptr<FileSystem>& target,
                               const std::string& fast_path,
                               const std::string& slow_path,
                               std::shared_ptr<SlowThrottle> throttle)
    : FileSystemWrapper(target),
      fast_prefix_(WithSlash(fast_path)),
      slow_prefix_(WithSlash(slow_path)),
      throttle_(std::move(throttle)) {}

ThreadReads TierFileSystem::ReadsOfThisThread() { return thread_reads; }

TierIo TierFileSystem::GetIo(Tier tier) const {
  const Counters& counters = counters_[static_cast<size_t>(tier)];
  TierIo io;
  io.reads = counters.reads.load(std::memory_order_relaxed);
  io.read_bytes = counters.read_bytes.load(std::memory_order_relaxed);
  io.writes = counters.writes.load(std::memory_order_relaxed);
  io.written_bytes = counters.written_bytes.load(std::memory_order_relaxed);
  return io;
}

void TierFileSystem::OnRead(Tier tier, uint64_t bytes) {
  ++thread_reads[static_cast<size_t>(tier)];
  Counters& counters = counters_[static_cast<size_t>(tier)];
  counters.reads.fetch_add(1, std::memory_order_relaxed);
  counters.read_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (tier == Tier::kSlow && throttle_ != nullptr) {
    throttle_->WaitToRead(bytes);
  }
}

void TierFileSystem::OnWrite(Tier tier, uint64_t bytes) {
  Counters& counters = counters_[static_cast<size_t>(tier)];
  counters.writes.fetch_add(1, std::memory_order_relaxed);
  counters.written_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (tier == Tier::kSlow && throttle_ != nullptr) {
    throttle_->WaitToWrite(bytes);
  }
}

Tier TierFileSystem::TierOf(const std::string& name) const {
  if (name.compare(0, slow_prefix_.size(), slow_prefix_) == 0) {
    return Tier::kSlow;
  }
  if (name.compare(0, fast_prefix_.size(), fast_prefix_) == 0) {
    return Tier::kFast;
  }
  return Tier::kOther;
}

IOStatus TierFileSystem::NewRandomAccessFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<FSRandomAccessFile>* result, IODebugContext* dbg) {
  IOStatus s =
      FileSystemWrapper::NewRandomAccessFile(name, options, result, dbg);
  if (s.ok()) {
    *result = std::make_unique<TierRandomAccessFile>(std::move(*result),
                                                     TierOf(name), this);
  }
  return s;
}

IOStatus TierFileSystem::WrapWritable(IOStatus s, const std::string& name,
                                      std::unique_ptr<FSWritableFile>* file) {
  if (s.ok()) {
    *file = std::make_unique<TierWritableFile>(std::move(*file), TierOf(name),
                                               this);
  }
  return s;
}

IOStatus TierFileSystem::NewWritableFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) {
  return WrapWritable(
      FileSystemWrapper::NewWritableFile(name, options, result, dbg), name,
      result);
}

IOStatus TierFileSystem::ReopenWritableFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<FSWritableFile>* result, IODebugContext* dbg) {
  return WrapWritable(
      FileSystemWrapper::ReopenWritableFile(name, options, result, dbg), name,
      result);
}

IOStatus TierFileSystem::ReuseWritableFile(
    const std::string& name, const std::string& old_name,
    const FileOptions& options, std::unique_ptr<FSWritableFile>* result,
    IODebugContext* dbg) {
  return WrapWritable(FileSystemWrapper::ReuseWritableFile(
                          name, old_name, options, result, dbg),
                      name, result);
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
