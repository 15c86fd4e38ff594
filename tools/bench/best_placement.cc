//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/best_placement.h"

#include <algorithm>
#include <cassert>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

double ReadsOfBestPlacement(std::vector<Placeable>* things,
                            uint64_t capacity_bytes) {
  std::sort(things->begin(), things->end(),
            [](const Placeable& a, const Placeable& b) {
              return a.expected_reads / static_cast<double>(a.bytes) >
                     b.expected_reads / static_cast<double>(b.bytes);
            });
  assert(things->empty() || things->back().bytes > 0);
  double reads = 0;
  uint64_t left_bytes = capacity_bytes;
  for (const Placeable& thing : *things) {
    if (thing.bytes > left_bytes) {
      reads += thing.reads * static_cast<double>(left_bytes) /
               static_cast<double>(thing.bytes);
      break;
    }
    reads += thing.reads;
    left_bytes -= thing.bytes;
  }
  return reads;
}

std::vector<Placeable> PackIntoBlocks(const std::vector<Placeable>& records,
                                      const std::vector<uint64_t>& ids,
                                      size_t block_bytes) {
  std::vector<Placeable> blocks;
  for (const uint64_t id : ids) {
    const Placeable& record = records[id];
    if (record.bytes == 0) {
      continue;
    }
    if (blocks.empty() || blocks.back().bytes + record.bytes > block_bytes) {
      blocks.emplace_back();
    }
    Placeable& block = blocks.back();
    block.expected_reads += record.expected_reads;
    block.reads += record.reads;
    block.bytes += record.bytes;
  }
  return blocks;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
