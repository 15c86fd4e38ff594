//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A compaction filter that removes or changes records from a time on that is in
// their values, as filters for a time to live do. Time passes when the test
// says so, also while compactions and promotions run. Records that are not for
// this filter are kept. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/compaction_filter.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_metamorphic {

// What becomes of a record when its time is over.
enum class Fate : char {
  kStays = 'k',
  kRemoved = 'r',
  kChanged = 'c',
  kPurged = 'p',
  kSkipped = 's',  // with all records up to the end of GhostFilter
};

class GhostFilter {
 public:
  // `skip_until`: the end of the range that is skipped from any of its keys.
  explicit GhostFilter(const std::string& skip_until)
      : skip_until_(skip_until) {}

  // Returns a value with this fate, of a constant size.
  static std::string Value(Fate fate, uint64_t time, uint64_t number);
  // Returns what kChanged makes of a value.
  static std::string Changed(const std::string& value);

  uint64_t now() const { return now_.load(std::memory_order_relaxed); }
  void Advance() { now_.fetch_add(1, std::memory_order_relaxed); }

  // A filter that works with this object, which must outlive it.
  std::unique_ptr<CompactionFilter> NewFilter();
  // Makes filters that also see whether they are asked in the order of keys.
  std::shared_ptr<CompactionFilterFactory> NewFactory();
  // Returns whether all of them were.
  bool in_order() const { return in_order_.load(std::memory_order_relaxed); }

 private:
  class Filter;
  class Factory;

  const std::string skip_until_;
  std::atomic<uint64_t> now_{1};
  std::atomic<bool> in_order_{true};
};

}  // namespace hotrap_metamorphic
}  // namespace ROCKSDB_NAMESPACE
