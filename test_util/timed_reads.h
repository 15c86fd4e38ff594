//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A clock, and a file system whose reads take the time that a test sets, by
// that clock. No test waits, and none depends on how fast the machine is.
//
// Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/file_system.h"
#include "rocksdb/system_clock.h"

namespace ROCKSDB_NAMESPACE {

// Only NowNanos() differs from the clock below: it moves by a microsecond with
// each call, and otherwise by Advance().
class ReadClock : public SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "ReadClock"; }
  uint64_t NowNanos() override { return nanos_.fetch_add(1000) + 1000; }
  void Advance(uint64_t nanos) { nanos_.fetch_add(nanos); }

 private:
  std::atomic<uint64_t> nanos_{uint64_t{1} << 40};
};

class TwoDiskFileSystem : public FileSystemWrapper {
 public:
  // Files whose path contains `slow_folder` are on the slow disk, all others on
  // the fast one.
  TwoDiskFileSystem(const std::shared_ptr<FileSystem>& target,
                    std::shared_ptr<ReadClock> clock, std::string slow_folder)
      : FileSystemWrapper(target),
        clock_(std::move(clock)),
        slow_folder_(std::move(slow_folder)) {}
  static const char* kClassName() { return "TwoDiskFileSystem"; }
  const char* Name() const override { return kClassName(); }

  void set_fast_micros(uint64_t micros) { fast_nanos_ = micros * 1000; }
  void set_slow_micros(uint64_t micros) { slow_nanos_ = micros * 1000; }

  IOStatus NewRandomAccessFile(const std::string& name,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* dbg) override {
    IOStatus s =
        FileSystemWrapper::NewRandomAccessFile(name, options, result, dbg);
    if (s.ok()) {
      const bool slow = name.find(slow_folder_) != std::string::npos;
      *result = std::make_unique<File>(
          std::move(*result), slow ? &slow_nanos_ : &fast_nanos_, clock_.get());
    }
    return s;
  }

 private:
  class File : public FSRandomAccessFileOwnerWrapper {
   public:
    File(std::unique_ptr<FSRandomAccessFile>&& target,
         const std::atomic<uint64_t>* nanos, ReadClock* clock)
        : FSRandomAccessFileOwnerWrapper(std::move(target)),
          nanos_(nanos),
          clock_(clock) {}
    IOStatus Read(uint64_t offset, size_t n, const IOOptions& options,
                  Slice* result, char* scratch,
                  IODebugContext* dbg) const override {
      clock_->Advance(nanos_->load());
      return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result,
                                                  scratch, dbg);
    }
    IOStatus MultiRead(FSReadRequest* requests, size_t count,
                       const IOOptions& options, IODebugContext* dbg) override {
      clock_->Advance(nanos_->load() * count);
      return FSRandomAccessFileOwnerWrapper::MultiRead(requests, count, options,
                                                       dbg);
    }

   private:
    const std::atomic<uint64_t>* const nanos_;
    ReadClock* const clock_;
  };

  const std::shared_ptr<ReadClock> clock_;
  const std::string slow_folder_;
  std::atomic<uint64_t> fast_nanos_{0};
  std::atomic<uint64_t> slow_nanos_{0};
};

}  // namespace ROCKSDB_NAMESPACE
