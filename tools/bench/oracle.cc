//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/bench/oracle.h"

#include <algorithm>
#include <cmath>

namespace ROCKSDB_NAMESPACE {
namespace hotrap_bench {

OracleBudget OracleBudget::Of(const BenchConfig& config,
                              uint64_t memtable_bytes) {
  // The PersistentCache lies beside `fast_bytes` on the fast tier.
  return {config.fast_bytes + config.persistent_cache_bytes +
              config.block_cache_bytes + config.row_cache_bytes,
          memtable_bytes};
}

void OracleRates::Add(const OracleRates& other, double weight) {
  records += other.records * weight;
  for (size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] += other.blocks[i] * weight;
  }
}

OracleRates BestRates(std::vector<Placeable> records,
                      const std::vector<uint64_t>& ids, double sure_reads,
                      double reads, uint64_t capacity_bytes) {
  OracleRates rates;
  for (size_t i = 0; i < kOracleBlockBytes.size(); ++i) {
    std::vector<Placeable> blocks =
        PackIntoBlocks(records, ids, kOracleBlockBytes[i]);
    rates.blocks[i] =
        (sure_reads + ReadsOfBestPlacement(&blocks, capacity_bytes)) / reads;
  }
  records.erase(
      std::remove_if(records.begin(), records.end(),
                     [](const Placeable& record) { return record.bytes == 0; }),
      records.end());
  rates.records =
      (sure_reads + ReadsOfBestPlacement(&records, capacity_bytes)) / reads;
  return rates;
}

Oracle OracleOfDistribution(const OracleBudget& budget, const WorkloadMix& mix,
                            const KeyDistribution& distribution,
                            const KeySpace& key_space, uint64_t record_bytes) {
  Oracle oracle;
  oracle.budget = budget;
  const double updates =
      mix.share(Operation::kUpdate) + mix.share(Operation::kReadModifyWrite);
  const double inserts = mix.share(Operation::kInsert);
  if (mix.share(Operation::kRead) + mix.share(Operation::kReadModifyWrite) ==
      0) {
    return oracle;
  }
  oracle.basis = "distribution";
  const bool follows_inserts = distribution.follows_inserts() && inserts > 0;
  oracle.has_blocks = !follows_inserts;

  // What the last writes, which are in the memtable, were.
  const double writes = static_cast<double>(budget.memtable_bytes) /
                        static_cast<double>(record_bytes);
  const double last_updates =
      updates == 0 ? 0 : writes * updates / (updates + inserts);
  const double newest =
      follows_inserts ? writes * inserts / (updates + inserts) : 0;

  const std::vector<double> probabilities = distribution.Probabilities();
  std::vector<Placeable> records(probabilities.size());
  double sure_reads = 0;
  for (size_t id = 0; id < records.size(); ++id) {
    const double probability = probabilities[id];
    const double age = static_cast<double>(records.size() - 1 - id);
    const double not_in_memtable =
        age < newest ? 0 : std::pow(1 - probability, last_updates);
    const double reads = probability * not_in_memtable;
    records[id] = {reads, reads, record_bytes};
    sure_reads += probability - reads;
  }
  const std::vector<uint64_t> ids = key_space.IdsInKeyOrder(records.size());
  oracle.whole = BestRates(std::move(records), ids, sure_reads, /*reads=*/1,
                           budget.placed_bytes);
  oracle.final = oracle.whole;
  return oracle;
}

void OracleOfPhases::Add(const Oracle& phase, uint64_t reads) {
  if (phase.basis.empty() || reads == 0) {
    return;
  }
  const double weight = static_cast<double>(reads);
  sum_.basis = phase.basis;
  sum_.budget = phase.budget;
  sum_.whole.Add(phase.whole, weight);
  sum_.final = phase.final;
  sum_.has_blocks = sum_.has_blocks && phase.has_blocks;
  sum_.windows = phase.windows;
  reads_ += weight;
}

Oracle OracleOfPhases::Get() const {
  Oracle oracle = sum_;
  if (reads_ > 0) {
    oracle.whole = OracleRates();
    oracle.whole.Add(sum_.whole, 1 / reads_);
  }
  return oracle;
}

}  // namespace hotrap_bench
}  // namespace ROCKSDB_NAMESPACE
