//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Ranges of user keys in the order of a comparator, sorted and without
// overlaps, so that a key is looked up in logarithmic time.
//
// Thread safety: immutable.

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/hotrap.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

// From `begin` on, and before `end`. What is missing is unbounded.
struct RangeOfKeys {
  std::optional<std::string> begin;
  std::optional<std::string> end;

  bool operator==(const RangeOfKeys& other) const {
    return begin == other.begin && end == other.end;
  }

  static RangeOfKeys Of(const HotRapKeyRange& range) {
    RangeOfKeys result;
    if (!range.begin.empty()) {
      result.begin = range.begin;
    }
    if (!range.end.empty()) {
      result.end = range.end;
    }
    if (!range.prefix.empty()) {
      result.begin = range.prefix;
      // The first key, byte by byte, after those with the prefix.
      std::string end = range.prefix;
      while (!end.empty() && end.back() == '\xff') {
        end.pop_back();
      }
      if (!end.empty()) {
        end.back() = static_cast<char>(end.back() + 1);
        result.end = end;
      }
    }
    return result;
  }
};

class KeyRangeSet {
 public:
  // No ranges.
  explicit KeyRangeSet(const Comparator* ucmp) : ucmp_(ucmp) {}
  // Empty ranges are left out, and those that overlap or touch become one.
  KeyRangeSet(const Comparator* ucmp, std::vector<RangeOfKeys> ranges)
      : ucmp_(ucmp) {
    std::stable_sort(
        ranges.begin(), ranges.end(),
        [this](const RangeOfKeys& a, const RangeOfKeys& b) {
          return b.begin.has_value() &&
                 (!a.begin.has_value() || Compare(*a.begin, *b.begin) < 0);
        });
    for (RangeOfKeys& range : ranges) {
      if (IsEmpty(ucmp, range)) {
        continue;
      }
      if (ranges_.empty() ||
          (ranges_.back().end.has_value() && range.begin.has_value() &&
           Compare(*ranges_.back().end, *range.begin) < 0)) {
        ranges_.push_back(std::move(range));
      } else if (ranges_.back().end.has_value() &&
                 (!range.end.has_value() ||
                  Compare(*ranges_.back().end, *range.end) < 0)) {
        ranges_.back().end = std::move(range.end);
      }
    }
  }

  static bool IsEmpty(const Comparator* ucmp, const RangeOfKeys& range) {
    return range.begin.has_value() && range.end.has_value() &&
           ucmp->CompareWithoutTimestamp(*range.begin, false, *range.end,
                                         false) >= 0;
  }

  bool empty() const { return ranges_.empty(); }
  const std::vector<RangeOfKeys>& ranges() const { return ranges_; }

  bool Contains(const Slice& key) const {
    const RangeOfKeys* const range = LastThatBeginsBy(key);
    return range != nullptr && !EndsBy(*range, key);
  }
  bool operator==(const KeyRangeSet& other) const {
    return ranges_ == other.ranges_;
  }
  // Whether one range has all of [smallest, largest].
  bool ContainsAll(const Slice& smallest, const Slice& largest) const {
    const RangeOfKeys* const range = LastThatBeginsBy(smallest);
    return range != nullptr && !EndsBy(*range, largest);
  }
  // Whether a range has a part of [smallest, largest].
  bool Overlaps(const Slice& smallest, const Slice& largest) const {
    const RangeOfKeys* const range = LastThatBeginsBy(largest);
    return range != nullptr && !EndsBy(*range, smallest);
  }
  // Whether a range has a part of one of the other set's.
  bool Overlaps(const KeyRangeSet& other) const {
    for (const RangeOfKeys& a : ranges_) {
      for (const RangeOfKeys& b : other.ranges_) {
        if ((!a.end || !b.begin || Compare(*b.begin, *a.end) < 0) &&
            (!b.end || !a.begin || Compare(*a.begin, *b.end) < 0)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  // Keys have no timestamps: HotRAP is inactive with these.
  int Compare(const Slice& a, const Slice& b) const {
    return ucmp_->CompareWithoutTimestamp(a, false, b, false);
  }
  bool EndsBy(const RangeOfKeys& range, const Slice& key) const {
    return range.end.has_value() && Compare(*range.end, key) <= 0;
  }
  const RangeOfKeys* LastThatBeginsBy(const Slice& key) const {
    const auto it = std::partition_point(
        ranges_.begin(), ranges_.end(), [&](const RangeOfKeys& range) {
          return !range.begin.has_value() || Compare(*range.begin, key) <= 0;
        });
    return it == ranges_.begin() ? nullptr : &*(it - 1);
  }

  const Comparator* ucmp_;
  std::vector<RangeOfKeys> ranges_;
};

}  // namespace ROCKSDB_NAMESPACE
