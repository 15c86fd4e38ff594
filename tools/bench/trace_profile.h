//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// How much a trace can gain from promotion (paper section 4.3).

#pragma once

#include <cstdint>

#include "plugin/hotrap/tools/bench/trace.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Reads of a trace. A read is of a *sunk* record if more than 5 % of the DB's
// bytes were written since the record was (loaded records were written before
// the trace), and of a *hot* one if less than 5 % of the DB's bytes were read
// since the record was. A read of a key that has no record is neither, and
// counts among the reads.
struct TraceProfile {
  // Keys and values of all of the trace's keys.
  uint64_t db_bytes = 0;
  uint64_t reads = 0;
  uint64_t missing_reads = 0;
  uint64_t sunk_reads = 0;
  uint64_t hot_reads = 0;
  uint64_t sunk_and_hot_reads = 0;
};

TraceProfile ProfileTrace(const Trace& trace);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
