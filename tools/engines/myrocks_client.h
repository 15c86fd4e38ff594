//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A client of the engine, in a thread of its own: reads and writes skewed rows,
// and checks every answer.

#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/key_distribution.h"
#include "plugin/hotrap/tools/bench/zipf_sampler.h"
#include "plugin/hotrap/tools/engines/myrocks_engine.h"
#include "plugin/hotrap/tools/engines/myrocks_row.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// Which row an operation goes to. The hot rows of one hour are not those of the
// next: `hour` moves them.
class RowChooser {
 public:
  explicit RowChooser(uint64_t rows)
      : rows_(rows), zipf_(rows, /*theta=*/0.99), scrambler_(rows) {}

  uint64_t Draw(uint64_t hour, std::mt19937_64* rng) const {
    return scrambler_.IdOf((zipf_.Sample(rng) + hour * (rows_ / 8)) % rows_);
  }

 private:
  const uint64_t rows_;
  const hotrap_bench::ZipfSampler zipf_;
  const hotrap_bench::RankScrambler scrambler_;
};

class MyRocksClient {
 public:
  MyRocksClient(MyRocksEngine* engine, int thread, uint64_t seed,
                uint64_t hour);

  // One operation on a table.
  void Step();

 private:
  struct LockedRow {
    uint64_t row;
    uint32_t from;
    uint32_t to;
    // Present before, so that its secondary keys are there.
    bool found;
    uint64_t written_secs;
  };

  uint64_t Draw(uint64_t n) { return rng_() % n; }
  bool Chance(uint64_t one_in) { return Draw(one_in) == 0; }
  uint64_t DrawRow(const MyRocksTable& table);
  ColumnFamilyHandle* Handle(int family) const {
    return engine_->handle(family);
  }

  // ---- myrocks_reads.cc ---------------------------------------------------
  void Read(MyRocksTable* table);
  void PointRead(MyRocksTable* table);
  void ReadPair(MyRocksTable* table);
  void BatchRead(MyRocksTable* table);
  void SecondaryLookup(MyRocksTable* table);
  void SecondaryScan(MyRocksTable* table);
  void PrimaryScan(MyRocksTable* table);
  // Checks entries of a secondary index against their rows, in the snapshot.
  void CheckEntries(MyRocksTable* table, const SecondaryIndex& index,
                    const std::vector<std::string>& keys,
                    const ReadOptions& options, uint64_t now_secs);
  // Checks that each secondary index has an entry for the row.
  void CheckHasEntries(MyRocksTable* table, uint64_t row,
                       const StoredRow& stored, const ReadOptions& options);

  // ---- myrocks_writes.cc --------------------------------------------------
  void Write(MyRocksTable* table);
  std::vector<uint64_t> DrawRowsToWrite(const MyRocksTable& table);
  // Returns false if the transaction has to be rolled back: a conflict, or
  // nothing to do.
  bool Lock(MyRocksTable* table, Transaction* transaction, uint64_t row,
            LockedRow* locked);
  void ProbeLock(MyRocksTable* table, uint64_t row);
  void Change(MyRocksTable* table, Transaction* transaction,
              const LockedRow& locked, uint64_t now_secs);
  void RollBack(MyRocksTable* table, Transaction* transaction,
                const std::vector<LockedRow>& locked);

  MyRocksEngine* const engine_;
  const uint32_t thread_;
  const uint64_t hour_;
  std::mt19937_64 rng_;
  std::vector<std::unique_ptr<RowChooser>> choosers_;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
