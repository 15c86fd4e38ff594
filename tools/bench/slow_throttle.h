//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// Throttles I/O inside the process to the speed of a slow disk, with RocksDB's
// rate limiter. For tests, and for machines where tools/slow_disk.sh cannot
// run.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/rate_limiter.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Thread-safe: RateLimiter provides its own synchronization.
class SlowThrottle {
 public:
  // "gp3" (10,000 IOPS, 1,000 MiB/s each way) or "hdd" (400 IOPS, 260 MiB/s
  // reading and 250 MiB/s writing): the slow disks of the paper's Tables 1
  // and 6.
  static Status FromProfile(const std::string& profile,
                            std::shared_ptr<SlowThrottle>* result);

  // Block until the disk would have accepted the request.
  void WaitToRead(uint64_t bytes);
  void WaitToWrite(uint64_t bytes);

 private:
  struct Direction {
    std::unique_ptr<RateLimiter> operations;
    std::unique_ptr<RateLimiter> bytes;
  };

  static void Wait(const Direction& direction, uint64_t bytes);

  Direction read_;
  Direction write_;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
