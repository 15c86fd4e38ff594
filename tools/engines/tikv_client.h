//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A client of the store, in a thread of its own: transactions, reads at
// timestamps, scans, raw keys. Checks every answer.

#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "plugin/hotrap/tools/bench/key_distribution.h"
#include "plugin/hotrap/tools/bench/zipf_sampler.h"
#include "plugin/hotrap/tools/engines/tikv_store.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

// What a read at a timestamp found.
struct MvccAnswer {
  // The key is locked by a transaction that may commit below the timestamp.
  bool locked = false;
  bool found = false;
  uint64_t start_ts = 0;
  std::string value;
};

class TikvClient {
 public:
  // `write_gets`: one read in so many is a Get of a write record. 0: none. TiKV
  // itself reads these by iterators only.
  TikvClient(TikvStore* store, uint64_t seed, uint64_t hour,
             uint64_t write_gets);

  void Step();

  // Checks all regions and raw keys. `after_kill`: what was not acknowledged
  // may be there or not. REQUIRES: nobody else uses the store.
  void VerifyAll(bool after_kill);

 private:
  uint64_t Draw(uint64_t n) { return rng_() % n; }
  bool Chance(uint64_t one_in) { return Draw(one_in) == 0; }
  uint64_t DrawKey() const;
  uint64_t DrawTs();

  void Transact();
  void PointGet();
  void Scan();
  void RawStep();

  // REQUIRES of these: the region's lock.
  MvccAnswer Get(uint64_t key, uint64_t ts);
  void CheckAnswer(uint64_t key, uint64_t ts, const MvccAnswer& answer,
                   const char* how);
  void CheckWriteRecord(uint64_t key, uint64_t ts);
  void ScanRange(uint64_t first, uint64_t last, uint64_t ts);

  void VerifyRegion(uint64_t region, bool after_kill);
  // After a kill; the model takes over what is there.
  void ResolveRaw(uint64_t n);
  void CheckRaw(uint64_t n, const Status& s, const Slice& value);

  TikvStore* const store_;
  TikvModel* const model_;
  const uint64_t hour_;
  const uint64_t write_gets_;
  mutable std::mt19937_64 rng_;
  const hotrap_bench::ZipfSampler zipf_;
  const hotrap_bench::RankScrambler scrambler_;
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
