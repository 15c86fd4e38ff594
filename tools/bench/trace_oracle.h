//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The oracle of a trace, from the requests that were replayed.

#pragma once

#include <cstdint>
#include <vector>

#include "plugin/hotrap/tools/bench/oracle.h"
#include "plugin/hotrap/tools/bench/trace.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

constexpr uint64_t kOracleWindows = 10;

// Replays the first `operations` requests of the trace, from its beginning
// again after its end; the last `final_operations` of them are the final tenth.
//
// Reads are counted by record and a record has the size that it had when it was
// read last. A read is answered in any case if it finds nothing, or what was
// written within the last budget.memtable_bytes. Placed are the records with
// the most of the other reads a byte. They do not change within a window (or
// the run, or its final tenth), and are there from its beginning: the first
// read of each is a hit. So if all that is read fits, the rate is 1, and a
// system that follows the changes within a window may do better than one that
// does not.
//
// `popularity` has the expected share of each key in the reads, if that is
// known, or is empty. Then the records with the highest one a byte are placed
// in place of those with the most reads, but for the windows.
Oracle OracleOfTrace(const OracleBudget& budget, const Trace& trace,
                     const KeySpace& key_space,
                     const std::vector<double>& popularity, uint64_t operations,
                     uint64_t final_operations);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
