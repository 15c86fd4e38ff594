//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// What is hot: sums over RALT's records, by prefix of the key, and the hottest
// keys.
//
// Thread safety: none.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/ralt/access/access_record.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

// How a survey groups keys, and what it shows.
struct HeatOptions {
  // Keys with the same first bytes are a group ...
  // Default: 4
  uint32_t prefix_bytes = 4;
  // ... or those with the same bytes up to and with the first of these
  // characters; a key without it is a group of its own. A single character, or
  // empty for none, which has keys grouped by prefix_bytes.
  std::string delimiter;
  // The number of groups, and of keys, that are shown: those with the most
  // accesses.
  // Default: 20
  uint32_t top = 20;
};

// The sums over a group, or over all records.
struct HeatSum {
  std::string prefix;
  uint64_t records = 0;
  uint64_t hot_records = 0;
  // HotRAP bytes: key and value of the user's records.
  uint64_t bytes = 0;
  uint64_t hot_bytes = 0;
  // Accesses in a slice of RALT's logical time, as estimated from the scores:
  // recent ones count more.
  double accesses = 0;
};

struct HeatKey {
  std::string key;
  uint64_t value_bytes = 0;
  bool hot = false;
  float score = 0;
  // As in HeatSum.
  double accesses = 0;
};

class HeatSurvey {
 public:
  explicit HeatSurvey(const HeatOptions& options) : options_(options) {}

  // Adds a record, with its score now. REQUIRES: in the order of the keys.
  void Add(const ralt::AccessRecord& record, float score,
           const ralt::Scoring& scoring);
  // Called after the last one.
  void End() { EndGroup(); }

  const HeatSum& total() const { return total_; }
  // Most accesses first. REQUIRES: End() was called.
  std::vector<HeatSum> groups() const;
  // Hot ones first, then by score.
  std::vector<HeatKey> keys() const;

 private:
  Slice PrefixOf(const Slice& key) const;
  void EndGroup();

  const HeatOptions options_;
  HeatSum total_;
  HeatSum group_;
  // Heaps with the least at the front.
  std::vector<HeatSum> groups_;
  std::vector<HeatKey> keys_;
};

}  // namespace ROCKSDB_NAMESPACE
