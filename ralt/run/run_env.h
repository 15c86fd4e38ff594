//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/hotrap/ralt/access/key_order.h"
#include "plugin/hotrap/ralt/ralt_space.h"
#include "rocksdb/file_system.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/system_clock.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The environment shared by all run files of one Ralt. Constant after
// construction, except for the counters, which are thread-safe.
struct RunEnv {
  std::string path;
  std::shared_ptr<FileSystem> fs;
  SystemClock* clock = nullptr;
  std::shared_ptr<RateLimiter> rate_limiter;
  FileOptions file_options;
  std::shared_ptr<RaltSpace> space;
  KeyOrder order{BytewiseComparator()};
  uint64_t stamp = 0;
  uint32_t block_bytes = 0;
  double bloom_bits_per_key = 0;

  mutable std::atomic<uint64_t> bytes_written{0};
  mutable std::atomic<uint64_t> bytes_read{0};
  mutable std::atomic<uint64_t> failed_reads{0};

  IOOptions io_options() const {
    IOOptions io;
    io.rate_limiter_priority = Env::IO_LOW;
    return io;
  }

  bool HasRoom(uint64_t bytes) const {
    return space == nullptr || space->HasRoom(bytes);
  }

  // Best effort: leftovers are deleted when the folder is opened again.
  void DeleteRun(const std::string& name) const {
    fs->DeleteFile(name, io_options(), nullptr).PermitUncheckedError();
    if (space != nullptr) {
      space->OnFileDeleted(name);
    }
  }
};

}  // namespace ROCKSDB_NAMESPACE::ralt
