//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Makes promotions happen in tests that are over before a memtable is full. One
// thread for each DB flushes, compacts down to a slow level, and reads, again
// and again while the program uses the DB. It uses the public API only, so that
// no answer may change; what does change is how many files, flushes and
// compactions there are, and how long the WAL is.
//
// Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "plugin/hotrap/test_util/hotrap_force.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class DB;

class Settler {
 public:
  // Pauses between two rounds; does nothing if that is 0.
  explicit Settler(std::chrono::milliseconds pause);
  Settler(const Settler&) = delete;
  Settler& operator=(const Settler&) = delete;

  // Settles this column family too. The first one of a DB starts its thread,
  // which waits until the DB is open. May be called with the DB mutex held.
  void Add(DB* db, uint32_t cf_id, const HotRapForce::Library& library);

  // The DB closes: a few last rounds, for tests that take no longer than this.
  // Returns early if they take more than a second. REQUIRES: DB mutex not held.
  void Finish(DB* db);

  // Ends the DB's thread, and waits for that. REQUIRES: DB mutex not held, and
  // the DB's background work is being cancelled.
  void Remove(DB* db);

  // For a process that ends without closing its DBs: ends all threads, but
  // waits for each only for a moment.
  void Abandon();

 private:
  // A DB's thread.
  class Worker;

  const std::chrono::milliseconds pause_;
  std::mutex mutex_;
  std::unordered_map<DB*, std::shared_ptr<Worker>> workers_;
};

}  // namespace ROCKSDB_NAMESPACE
