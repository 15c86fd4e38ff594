//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#pragma once

#include <cstdint>

#include "plugin/hotrap/ralt/access/access_record.h"

namespace ROCKSDB_NAMESPACE::ralt {

// What flushes have found, for the merges that follow.
struct FlushFigures {
  // The logical time when the buffers were last sealed. Merges and evictions
  // use it: a background job that lags behind must not age records by accesses
  // that it has not seen yet.
  LogicalTime time;
  // Decaying maximum of the size of flushed runs; the unit of level sizes.
  uint64_t run_bytes = 0;
  // Of the last flush: the share of keys that no run had, and the share of
  // accesses that went to the slow tier.
  double new_share = 0;
  double slow_share = 1;
};

}  // namespace ROCKSDB_NAMESPACE::ralt
