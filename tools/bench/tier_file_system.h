//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Counts, by tier, the I/O that RocksDB does, and slows the slow tier down
// where no kernel does it.
//
// Thread safety: all of it may be used from any thread.

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

// kOther: files under neither path.
enum class Tier : uint8_t { kFast, kSlow, kOther };
constexpr size_t kTierCount = 3;

// What I/O is for: RALT's files, and table files by what RocksDB says that it
// does to them. Promotion by flush writes tables without saying so. kOther: the
// rest, such as the write-ahead log.
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

// I/O of one tier since the FileSystem was made.
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
// difference around a Get says which tiers that Get touched; reads of
// compactions and flushes are on other threads and not in it.
using ThreadReads = std::array<uint64_t, kTierCount>;

class TierFileSystem : public FileSystemWrapper {
 public:
  // `throttle` may be null. Paths are directories; a file belongs to the tier
  // whose directory it lies under.
  TierFileSystem(const std::shared_ptr<FileSystem>& target,
                 const std::string& fast_path, const std::string& slow_path,
                 std::shared_ptr<SlowThrottle> throttle);

  static const char* kClassName() { return "TierFileSystem"; }
  const char* Name() const override { return kClassName(); }

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

  // What a file is, from its name.
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
