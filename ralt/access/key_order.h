//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE::ralt {

// The order of user keys. Avoids virtual calls for the bytewise comparator.
class KeyOrder {
 public:
  explicit KeyOrder(const Comparator* comparator)
      : comparator_(comparator),
        bytewise_(comparator == BytewiseComparator()) {}

  int Compare(const Slice& a, const Slice& b) const {
    return bytewise_ ? a.compare(b) : comparator_->Compare(a, b);
  }
  bool Less(const Slice& a, const Slice& b) const { return Compare(a, b) < 0; }

  bool is_bytewise() const { return bytewise_; }
  const Comparator* comparator() const { return comparator_; }

 private:
  const Comparator* comparator_;
  bool bytewise_;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
