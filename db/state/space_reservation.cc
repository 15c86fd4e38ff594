//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/db/state/space_reservation.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "file/sst_file_manager_impl.h"
#include "plugin/hotrap/db/access/expose.h"
#include "port/port.h"
#include "util/mutexlock.h"

namespace ROCKSDB_NAMESPACE {

// RocksDB does not expose how much room the limit leaves, and its own
// reservations need a Compaction to be released.
HOTRAP_EXPOSE(SstFileManagerImpl, ManagersMutex, port::Mutex, mu_)
HOTRAP_EXPOSE(SstFileManagerImpl, ManagersLimit, uint64_t, max_allowed_space_)
HOTRAP_EXPOSE(SstFileManagerImpl, ManagersTotal, uint64_t, total_files_size_)
HOTRAP_EXPOSE(SstFileManagerImpl, ManagersReserved, uint64_t,
              cur_compactions_reserved_size_)
HOTRAP_EXPOSE(SstFileManagerImpl, ManagersBuffer, uint64_t,
              compaction_buffer_size_)

namespace {

// The bytes of all reservations, on whichever disk.
std::atomic<uint64_t>& ReservedOnDisks() {
  static std::atomic<uint64_t> bytes{0};
  return bytes;
}

uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

uint64_t Sum(std::initializer_list<uint64_t> terms) {
  uint64_t sum = 0;
  for (const uint64_t term : terms) {
    sum = term > std::numeric_limits<uint64_t>::max() - sum
              ? std::numeric_limits<uint64_t>::max()
              : sum + term;
  }
  return sum;
}

uint64_t ReserveUnderLimit(SstFileManager* manager, uint64_t wanted_bytes,
                           uint64_t spare_bytes) {
  auto* const files = static_cast<SstFileManagerImpl*>(manager);
  MutexLock lock(&(files->*MemberOf(ManagersMutex())));
  const uint64_t limit = files->*MemberOf(ManagersLimit());
  uint64_t& reserved = files->*MemberOf(ManagersReserved());
  uint64_t bytes = wanted_bytes;
  if (limit > 0) {
    const uint64_t taken =
        Sum({files->*MemberOf(ManagersTotal()), reserved,
             files->*MemberOf(ManagersBuffer()), spare_bytes});
    // Writes fail at the limit itself, so stay one byte below it.
    bytes = std::min(bytes, Minus(limit, Sum({taken, 1})));
  }
  reserved += bytes;
  return bytes;
}

void ReleaseUnderLimit(SstFileManager* manager, uint64_t bytes) {
  auto* const files = static_cast<SstFileManagerImpl*>(manager);
  MutexLock lock(&(files->*MemberOf(ManagersMutex())));
  files->*MemberOf(ManagersReserved()) -= bytes;
}

}  // namespace

SpaceReservation::SpaceReservation(FileSystem* fs, const std::string& path,
                                   SstFileManager* files, uint64_t wanted_bytes,
                                   uint64_t spare_bytes)
    : files_(files) {
  uint64_t free_bytes = 0;
  std::atomic<uint64_t>& reserved = ReservedOnDisks();
  uint64_t before = reserved.load();
  if (fs->GetFreeSpace(path, IOOptions(), &free_bytes, nullptr).ok()) {
    do {
      bytes_ =
          std::min(wanted_bytes, Minus(free_bytes, Sum({before, spare_bytes})));
    } while (!reserved.compare_exchange_weak(before, before + bytes_));
  } else {
    bytes_ = wanted_bytes;
    reserved.fetch_add(bytes_);
  }
  if (files_ != nullptr) {
    const uint64_t granted = ReserveUnderLimit(files_, bytes_, spare_bytes);
    reserved.fetch_sub(bytes_ - granted);
    bytes_ = granted;
  }
}

SpaceReservation::~SpaceReservation() {
  ReservedOnDisks().fetch_sub(bytes_);
  if (files_ != nullptr) {
    ReleaseUnderLimit(files_, bytes_);
  }
}

uint64_t SpareForFlushes(const MutableCFOptions& options) {
  const uint64_t memtables =
      std::max<uint64_t>(1, options.max_write_buffer_number);
  const uint64_t bytes = options.write_buffer_size;
  // A gigabyte is enough for flushes, however large the memtables may grow.
  constexpr uint64_t kMost = uint64_t{1} << 30;
  return bytes > kMost / 2 / memtables ? kMost : 2 * memtables * bytes;
}

}  // namespace ROCKSDB_NAMESPACE
