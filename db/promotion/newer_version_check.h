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
  // The SuperVersion must stay referenced during the lifetime of this object.
  NewerVersionCheck(SuperVersion* sv, int first_slow_level);

  // Return whether anything about the key is present: a value, a deletion, a
  // merge operand, or a range tombstone that covers it. A failed read counts as
  // present, since it may hide something.
  bool InMemtables(const Slice& user_key) const;
  bool InFastLevels(const Slice& user_key) const;

 private:
  SuperVersion* const sv_;
  const int first_slow_level_;
  ReadOptions read_options_;
};

}  // namespace ROCKSDB_NAMESPACE
