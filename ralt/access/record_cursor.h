//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include "plugin/hotrap/ralt/access/access_record.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE::ralt {

// Iterates over access records in key order, each key once. Not thread-safe.
class RecordCursor {
 public:
  virtual ~RecordCursor() = default;

  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  // REQUIRES: Valid()
  virtual void Next() = 0;
  // Its key is valid until the cursor moves. REQUIRES: Valid()
  virtual const AccessRecord& record() const = 0;
  // Not OK if the iteration ended early.
  virtual Status status() const = 0;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
