//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Ranges of user keys, copied from what a caller passed.
//
// Thread safety: immutable.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

class KeyRanges {
 public:
  // Range ends are inclusive with `include_end`, else exclusive.
  KeyRanges(const Comparator* ucmp, bool include_end)
      : ucmp_(ucmp), include_end_(include_end) {}

  // Adds a range. A missing start or end is unbounded.
  void Add(const OptSlice& start, const OptSlice& end) {
    ranges_.push_back({Copy(start), Copy(end)});
  }

  bool Contains(const Slice& key) const { return ContainsAll(key, key); }
  // Returns whether one of the ranges contains all of [smallest, largest].
  bool ContainsAll(const Slice& smallest, const Slice& largest) const {
    for (const Range& range : ranges_) {
      if (StartsBy(range, smallest) && !EndsBefore(range, largest)) {
        return true;
      }
    }
    return false;
  }
  // Returns whether one of the ranges overlaps [smallest, largest].
  bool Overlap(const Slice& smallest, const Slice& largest) const {
    for (const Range& range : ranges_) {
      if (StartsBy(range, largest) && !EndsBefore(range, smallest)) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Range {
    std::optional<std::string> start;
    std::optional<std::string> end;
  };

  static std::optional<std::string> Copy(const OptSlice& key) {
    return key.has_value() ? std::optional<std::string>(key->ToString())
                           : std::nullopt;
  }
  bool StartsBy(const Range& range, const Slice& key) const {
    return !range.start.has_value() || ucmp_->Compare(*range.start, key) <= 0;
  }
  bool EndsBefore(const Range& range, const Slice& key) const {
    if (!range.end.has_value()) {
      return false;
    }
    const int order = ucmp_->Compare(*range.end, key);
    return order < 0 || (order == 0 && !include_end_);
  }

  const Comparator* const ucmp_;
  const bool include_end_;
  std::vector<Range> ranges_;
};

}  // namespace ROCKSDB_NAMESPACE
