//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Counts RocksDB's I/O by tier, and throttles the slow tier if the kernel does
// not.
//
// Thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/hotrap/tools/bench/slow_throttle.h"
#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// kOther is for files under neither path.
enum class Tier : uint8_t { kFast, kSlow, kOther };
constexpr size_t kTierCount = 3;

// The purpose of I/O: RALT's files, and table files by the activity that
// RocksDB reports. Promotion by flush writes tables without reporting an
// activity. kOther is for the rest, such as the write-ahead log.
enum class IoPurpose : uint8_t {
  kFlush,
  kCompaction,
  kPromotion,
  kRead,
  kRalt,
  kOther,
};
constexpr size_t kIoPurposeCount = 6;
const char* IoPurposeName(IoPurpose purpose);

// I/O of one tier since the FileSystem was created.
struct TierIo {
  struct Bytes {
    uint64_t reads = 0;
    uint64_t read = 0;
    uint64_t written = 0;
  };

  uint64_t reads = 0;
  uint64_t read_bytes = 0;
  uint64_t writes = 0;
  uint64_t written_bytes = 0;
  std::array<Bytes, kIoPurposeCount> by_purpose;

  void Add(const TierIo& other);
  void Subtract(const TierIo& other);
};

// Read requests that the calling thread has issued so far, by tier. The
// difference across a Get shows which tiers the Get read. Reads by compactions
// and flushes happen in other threads and do not count.
using ThreadReads = std::array<uint64_t, kTierCount>;

class TierFileSystem : public FileSystemWrapper {
 public:
  // `throttle` may be null. The paths are directories; a file belongs to the
  // tier whose directory contains it.
  TierFileSystem(const std::shared_ptr<FileSystem>& target,
                 const std::string& fast_path, const std::string& slow_path,
                 std::shared_ptr<SlowThrottle> throttle);

  static const char* kClassName() { return "TierFileSystem"; }
  const char* Name() const override { return kClassName(); }
  // Without a throttle it only counts: its files are where the target's are.
  bool IsInstanceOf(const std::string& name) const override {
    return FileSystemWrapper::IsInstanceOf(name) ||
           (throttle_ == nullptr && target()->IsInstanceOf(name));
  }

  static ThreadReads ReadsOfThisThread();
  TierIo GetIo(Tier tier) const;

  IOStatus NewRandomAccessFile(const std::string& name,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* result,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result,
                           IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& name,
                              const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* result,
                              IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& name,
                             const std::string& old_name,
                             const FileOptions& options,
                             std::unique_ptr<FSWritableFile>* result,
                             IODebugContext* dbg) override;

  // Properties of a file, derived from its name.
  struct FileKind {
    Tier tier = Tier::kOther;
    bool table = false;
    bool ralt = false;
  };

  // Called by the files for each request.
  void OnRead(const FileKind& file, const IOOptions& options, uint64_t bytes);
  void OnWrite(const FileKind& file, const IOOptions& options, uint64_t bytes);

 private:
  struct Counters {
    std::atomic<uint64_t> reads{0};
    std::atomic<uint64_t> read_bytes{0};
    std::atomic<uint64_t> writes{0};
    std::atomic<uint64_t> written_bytes{0};
    std::array<std::atomic<uint64_t>, kIoPurposeCount> reads_by_purpose{};
    std::array<std::atomic<uint64_t>, kIoPurposeCount> read_by_purpose{};
    std::array<std::atomic<uint64_t>, kIoPurposeCount> written_by_purpose{};
  };

  FileKind KindOf(const std::string& name) const;
  IOStatus WrapWritable(IOStatus s, const std::string& name,
                        std::unique_ptr<FSWritableFile>* file);

  // Constant after construction. The prefixes end with a slash.
  const std::string fast_prefix_;
  const std::string slow_prefix_;
  const std::shared_ptr<SlowThrottle> throttle_;

  std::array<Counters, kTierCount> counters_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
