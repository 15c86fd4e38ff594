//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The hit rate that the best static placement would have, which is what a
// system that learns can come near to. docs/hotrap_bench.md has the formula and
// what it assumes.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/bench_config.h"
#include "plugin/hotrap/tools/bench/best_placement.h"
#include "plugin/hotrap/tools/bench/key_distribution.h"
#include "plugin/hotrap/tools/bench/key_space.h"
#include "plugin/hotrap/tools/bench/workload_mix.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

// Of the clairvoyant caches that stand beside the oracle.
constexpr std::array<size_t, 2> kOracleBlockBytes = {4 << 10, 16 << 10};

// Where records may be without a read of the slow tier.
struct OracleBudget {
  // What the oracle fills: the fast tier and the caches in memory.
  uint64_t placed_bytes = 0;
  // A full memtable, which holds what was written last, whatever that is.
  uint64_t memtable_bytes = 0;

  static OracleBudget Of(const BenchConfig& config, uint64_t memtable_bytes);
};

// Shares of the reads that need no read of the slow tier.
struct OracleRates {
  // The best whole records are placed.
  double records = 0;
  // The best blocks are placed; one for each of kOracleBlockBytes.
  std::array<double, kOracleBlockBytes.size()> blocks = {};

  // Adds `other` as so many parts of the whole.
  void Add(const OracleRates& other, double weight);
};

struct OracleWindow {
  uint64_t operations = 0;
  uint64_t reads = 0;
  // As OracleRates::records.
  double hit_rate = 0;
};

struct Oracle {
  // What tells how often a record is read: "distribution", "generator" (of the
  // trace), or "hindsight" (the reads themselves). Empty if nothing is read.
  std::string basis;
  OracleBudget budget;
  // Of the whole run or phase, and of its final tenth.
  OracleRates whole;
  OracleRates final;
  // Blocks of records that were written at one time are not known.
  bool has_blocks = true;
  // Of a trace: parts with equally many operations, each with the placement
  // that is best for it in hindsight.
  std::vector<OracleWindow> windows;
};

// Takes `records` by id, and the ids in key order. Of `reads`, `sure_reads`
// need no placement and are not among those of the records.
OracleRates BestRates(std::vector<Placeable> records,
                      const std::vector<uint64_t>& ids, double sure_reads,
                      double reads, uint64_t capacity_bytes);

// Of a workload whose operations are drawn from `distribution`, which is exact:
// the next key does not depend on those before, so no system that holds as many
// bytes answers more, however it chooses. All records have `record_bytes`.
Oracle OracleOfDistribution(const OracleBudget& budget, const WorkloadMix& mix,
                            const KeyDistribution& distribution,
                            const KeySpace& key_space, uint64_t record_bytes);

// Of phases, by how many reads each had. The final tenth is the last one's.
class OracleOfPhases {
 public:
  void Add(const Oracle& phase, uint64_t reads);
  Oracle Get() const;

 private:
  Oracle sum_;
  double reads_ = 0;
};

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
