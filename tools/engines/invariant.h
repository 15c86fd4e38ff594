//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Invariants that an engine program checks while it runs. A violated one ends
// the process with exit code 1, and says which, with the seed and the detail.
// A Status that must be OK is an invariant, too.
//
// Thread safety: all of it may be used from any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// A property that must hold, and how often it was checked. Meant for static
// storage; the name is that of the property in the report.
class Invariant {
 public:
  explicit Invariant(const char* name);
  Invariant(const Invariant&) = delete;
  Invariant& operator=(const Invariant&) = delete;

  // `detail` is only called if the invariant does not hold.
  template <typename Detail>
  void Check(bool holds, const Detail& detail) {
    checked_.fetch_add(1, std::memory_order_relaxed);
    if (!holds) {
      Violated(detail());
    }
  }
  [[noreturn]] void Violated(const std::string& detail) const;

  const char* name() const { return name_; }
  uint64_t checked() const { return checked_.load(std::memory_order_relaxed); }
  // All of the program's.
  static const std::vector<Invariant*>& All();

 private:
  const char* const name_;
  std::atomic<uint64_t> checked_{0};
};

// What a failure says about the run, such as the command line.
void SetFailureContext(const std::string& context);

// Fails unless the status is OK.
void Must(const Status& s, const std::string& what);

// A count of operations for the report, by name. Meant for static storage.
class OperationCount {
 public:
  explicit OperationCount(const char* name);
  OperationCount(const OperationCount&) = delete;
  OperationCount& operator=(const OperationCount&) = delete;

  void Add(uint64_t n = 1) { count_.fetch_add(n, std::memory_order_relaxed); }
  const char* name() const { return name_; }
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  static const std::vector<OperationCount*>& All();

 private:
  const char* const name_;
  std::atomic<uint64_t> count_{0};
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
