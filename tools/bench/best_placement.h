//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// What fits where it is read fast, and how many reads that takes: a knapsack.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// A record or a block that may be placed.
struct Placeable {
  // What it is chosen by: the reads that are expected.
  double expected_reads = 0;
  // What the choice is judged by: the reads that there are.
  double reads = 0;
  // 0: there is no such record.
  uint64_t bytes = 0;
};

// Returns how many reads go to the best choice that fits in `capacity_bytes`:
// those with the most expected reads a byte. The last one may be placed in part
// (the linear relaxation of the knapsack, solved by G. Dantzig's greedy order,
// "Discrete-variable extremum problems", 1957). So if reads are those that were
// expected, no placement of whole ones gets more. `things` change their order.
// REQUIRES: all have bytes.
double ReadsOfBestPlacement(std::vector<Placeable>* things,
                            uint64_t capacity_bytes);

// Returns the blocks of records, which are given by id. A block takes records
// in the order of `ids` while they fit in `block_bytes`, but at least one. It
// has the bytes of its records: nothing is added for the block.
std::vector<Placeable> PackIntoBlocks(const std::vector<Placeable>& records,
                                      const std::vector<uint64_t>& ids,
                                      size_t block_bytes);

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
