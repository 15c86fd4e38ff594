//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// Looks for newer versions of keys above the slow tier: in the memtables and
// the fast levels of a SuperVersion.

#pragma once

#include "rocksdb/options.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

struct SuperVersion;

class NewerVersionCheck {
 public:
  // The SuperVersion must be referenced as long as this lives.
  NewerVersionCheck(SuperVersion* sv, int first_slow_level);

  // Whether there is anything that speaks of the key: a value, a deletion, a
  // merge operand, a range tombstone that covers it. A read that could not be
  // completed counts as a find, as it may hide one.
  bool InMemtables(const Slice& user_key) const;
  bool InFastLevels(const Slice& user_key) const;

 private:
  SuperVersion* const sv_;
  const int first_slow_level_;
  ReadOptions read_options_;
};

}  // namespace ROCKSDB_NAMESPACE
