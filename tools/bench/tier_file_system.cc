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
  TierRandomAccessFile(std::unique_ptr<FSRandomAccessFile>&& file,
                       const TierFileSystem::FileKind& kind, TierFileSystem* fs)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), kind_(kind), fs_(fs) {}

  // Count the bytes that were returned: readahead requests more than a file
  // has.
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options,
                Slice* result, char* scratch,
                IODebugContext* dbg) const override {
    IOStatus s = FSRandomAccessFileOwnerWrapper::Read(offset, n, options,
                                                      result, scratch, dbg);
    fs_->OnRead(kind_, options, s.ok() ? result->size() : 0);
    return s;
  }

  IOStatus MultiRead(FSReadRequest* requests, size_t count,
                     const IOOptions& options, IODebugContext* dbg) override {
    IOStatus s = FSRandomAccessFileOwnerWrapper::MultiRead(requests, count,
                                                           options, dbg);
    for (size_t i = 0; i < count; ++i) {
      fs_->OnRead(kind_, options,
                  requests[i].status.ok() ? requests[i].result.size() : 0);
    }
    return s;
  }

  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options,
                    IODebugContext* dbg) override {
    IOStatus s =
        FSRandomAccessFileOwnerWrapper::Prefetch(offset, n, options, dbg);
    if (s.ok()) {
      fs_->OnRead(kind_, options, n);
    }
    return s;
  }

  IOStatus ReadAsync(FSReadRequest& request, const IOOptions& options,
                     std::function<void(FSReadRequest&, void*)> callback,
                     void* callback_argument, void** io_handle,
                     IOHandleDeleter* deleter, IODebugContext* dbg) override {
    fs_->OnRead(kind_, options, request.len);
    return FSRandomAccessFileOwnerWrapper::ReadAsync(
        request, options, std::move(callback), callback_argument, io_handle,
        deleter, dbg);
  }

 private:
  const TierFileSystem::FileKind kind_;
  TierFileSystem* const fs_;
};

class TierWritableFile : public FSWritableFileOwnerWrapper {
 public:
  TierWritableFile(std::unique_ptr<FSWritableFile>&& file,
                   const TierFileSystem::FileKind& kind, TierFileSystem* fs)
      : FSWritableFileOwnerWrapper(std::move(file)), kind_(kind), fs_(fs) {}

  IOStatus Append(const Slice& data, const IOOptions& options,
                  IODebugContext* dbg) override {
    fs_->OnWrite(kind_, options, data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, dbg);
  }

  IOStatus Append(const Slice& data, const IOOptions& options,
                  const DataVerificationInfo& verification,
                  IODebugContext* dbg) override {
    fs_->OnWrite(kind_, options, data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, verification, dbg);
  }

  IOStatus PositionedAppend(const Slice& data, uint64_t offset,
                            const IOOptions& options,
                            IODebugContext* dbg) override {
    fs_->OnWrite(kind_, options, data.size());
    return FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options,
                                                        dbg);
  }

  IOStatus PositionedAppend(const Slice& data, uint64_t offset,
                            const IOOptions& options,
                            const DataVerificationInfo& verification,
                            IODebugContext* dbg) override {
    fs_->OnWrite(kind_, options, data.size());
    return FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options,
                                                        verification, dbg);
  }

 private:
  const TierFileSystem::FileKind kind_;
  TierFileSystem* const fs_;
};

// RALT's folder in the fast path has this name followed by a number.
constexpr char kRaltFolder[] = "/hotrap.ralt.";
constexpr char kTableSuffix[] = ".sst";

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

IoPurpose PurposeOf(const TierFileSystem::FileKind& file,
                    const IOOptions& options, bool write) {
  if (file.ralt) {
    return IoPurpose::kRalt;
  }
  if (!file.table) {
    return IoPurpose::kOther;
  }
  switch (options.io_activity) {
    case Env::IOActivity::kFlush:
      return IoPurpose::kFlush;
    case Env::IOActivity::kCompaction:
      return IoPurpose::kCompaction;
    default:
      return write ? IoPurpose::kPromotion : IoPurpose::kRead;
  }
}

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

const char* IoPurposeName(IoPurpose purpose) {
  switch (purpose) {
    case IoPurpose::kFlush:
      return "flush";
    case IoPurpose::kCompaction:
      return "compaction";
    case IoPurpose::kPromotion:
      return "promotion";
    case IoPurpose::kRead:
      return "read";
    case IoPurpose::kRalt:
      return "ralt";
    case IoPurpose::kOther:
      return "other";
  }
  return "";
}

void TierIo::Add(const TierIo& other) {
  reads += other.reads;
  read_bytes += other.read_bytes;
  writes += other.writes;
  written_bytes += other.written_bytes;
  for (size_t i = 0; i < kIoPurposeCount; ++i) {
    by_purpose[i].reads += other.by_purpose[i].reads;
    by_purpose[i].read += other.by_purpose[i].read;
    by_purpose[i].written += other.by_purpose[i].written;
  }
}

void TierIo::Subtract(const TierIo& other) {
  reads -= other.reads;
  read_bytes -= other.read_bytes;
  writes -= other.writes;
  written_bytes -= other.written_bytes;
  for (size_t i = 0; i < kIoPurposeCount; ++i) {
    by_purpose[i].reads -= other.by_purpose[i].reads;
    by_purpose[i].read -= other.by_purpose[i].read;
    by_purpose[i].written -= other.by_purpose[i].written;
  }
}

TierIo TierFileSystem::GetIo(Tier tier) const {
  const Counters& counters = counters_[static_cast<size_t>(tier)];
  TierIo io;
  io.reads = counters.reads.load(std::memory_order_relaxed);
  io.read_bytes = counters.read_bytes.load(std::memory_order_relaxed);
  io.writes = counters.writes.load(std::memory_order_relaxed);
  io.written_bytes = counters.written_bytes.load(std::memory_order_relaxed);
  for (size_t i = 0; i < kIoPurposeCount; ++i) {
    io.by_purpose[i] = {
        counters.reads_by_purpose[i].load(std::memory_order_relaxed),
        counters.read_by_purpose[i].load(std::memory_order_relaxed),
        counters.written_by_purpose[i].load(std::memory_order_relaxed)};
  }
  return io;
}

void TierFileSystem::OnRead(const FileKind& file, const IOOptions& options,
                            uint64_t bytes) {
  const size_t tier = static_cast<size_t>(file.tier);
  ++thread_reads[tier];
  Counters& counters = counters_[tier];
  counters.reads.fetch_add(1, std::memory_order_relaxed);
  counters.read_bytes.fetch_add(bytes, std::memory_order_relaxed);
  const size_t purpose =
      static_cast<size_t>(PurposeOf(file, options, /*write=*/false));
  counters.reads_by_purpose[purpose].fetch_add(1, std::memory_order_relaxed);
  counters.read_by_purpose[purpose].fetch_add(bytes, std::memory_order_relaxed);
  if (file.tier == Tier::kSlow && throttle_ != nullptr) {
    throttle_->WaitToRead(bytes);
  }
}

void TierFileSystem::OnWrite(const FileKind& file, const IOOptions& options,
                             uint64_t bytes) {
  Counters& counters = counters_[static_cast<size_t>(file.tier)];
  counters.writes.fetch_add(1, std::memory_order_relaxed);
  counters.written_bytes.fetch_add(bytes, std::memory_order_relaxed);
  const size_t purpose =
      static_cast<size_t>(PurposeOf(file, options, /*write=*/true));
  counters.written_by_purpose[purpose].fetch_add(bytes,
                                                 std::memory_order_relaxed);
  if (file.tier == Tier::kSlow && throttle_ != nullptr) {
    throttle_->WaitToWrite(bytes);
  }
}

TierFileSystem::FileKind TierFileSystem::KindOf(const std::string& name) const {
  FileKind kind;
  if (name.compare(0, slow_prefix_.size(), slow_prefix_) == 0) {
    kind.tier = Tier::kSlow;
  } else if (name.compare(0, fast_prefix_.size(), fast_prefix_) == 0) {
    kind.tier = Tier::kFast;
  }
  kind.table = EndsWith(name, kTableSuffix);
  kind.ralt = name.find(kRaltFolder) != std::string::npos;
  return kind;
}

IOStatus TierFileSystem::NewRandomAccessFile(
    const std::string& name, const FileOptions& options,
    std::unique_ptr<FSRandomAccessFile>* result, IODebugContext* dbg) {
  IOStatus s =
      FileSystemWrapper::NewRandomAccessFile(name, options, result, dbg);
  if (s.ok()) {
    *result = std::make_unique<TierRandomAccessFile>(std::move(*result),
                                                     KindOf(name), this);
  }
  return s;
}

IOStatus TierFileSystem::WrapWritable(IOStatus s, const std::string& name,
                                      std::unique_ptr<FSWritableFile>* file) {
  if (s.ok()) {
    *file = std::make_unique<TierWritableFile>(std::move(*file), KindOf(name),
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
