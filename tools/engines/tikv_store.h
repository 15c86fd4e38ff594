//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).
//
// A TiKV store: the raft DB, the kv DB, and regions that come and go.
//
// Thread safety: what a region's writes and moves do needs its lock for
// writing, reads need it for reading. The GC worker takes no lock, as in TiKV.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugin/hotrap/tools/engines/engine_run.h"
#include "plugin/hotrap/tools/engines/tikv_model.h"
#include "plugin/hotrap/tools/engines/tikv_options.h"
#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

struct TikvConfig {
  uint64_t keys = 0;
  uint64_t raws = 0;
  uint64_t regions = 0;
  uint64_t raw_ttl_secs = 0;
  WriteMode write_mode = WriteMode::kPipelined;
  // Whether the default column family has a filter.
  bool raw_ttl = true;
};

class TikvStore {
 public:
  TikvStore(const RunConfig& run, const TikvConfig& config);
  ~TikvStore();

  // Opens both DBs, and finishes what a kill interrupted.
  void Open(bool hotrap);
  void Close();

  DB* kv() const { return kv_.get(); }
  DB* raft() const { return raft_.get(); }
  ColumnFamilyHandle* handle(int family) const { return handles_[family]; }
  const std::vector<ColumnFamilyHandle*>& handles() const { return handles_; }
  const TikvConfig& config() const { return config_; }
  TikvModel& model() { return model_; }

  uint64_t keys_per_region() const { return config_.keys / config_.regions; }
  uint64_t RegionOf(uint64_t key) const { return key / keys_per_region(); }
  std::shared_mutex& lock(uint64_t region) { return locks_[region]; }
  // The region's keys, without timestamps.
  std::pair<std::string, std::string> RangeOf(uint64_t region) const;

  // ---- Writes: tikv_raft.cc -----------------------------------------------

  // Appends the batch to the region's log, synced, and applies it. It gets the
  // apply state of the log, too.
  void Propose(uint64_t region, WriteBatch* batch);
  // Deletes the older part of the region's log.
  void CompactLog(uint64_t region);
  void CheckLog(uint64_t region, uint64_t index);

  // ---- Regions that move: tikv_moves.cc -----------------------------------

  // The region's peer is destroyed: its range is emptied. `strategy` draws how.
  void MoveOut(uint64_t region, uint64_t strategy);
  // A snapshot of the region arrives.
  void MoveIn(uint64_t region, uint64_t strategy);
  // Fails unless the range of a region is empty in all column families.
  void CheckEmpty(uint64_t region);

  // ---- GC -----------------------------------------------------------------

  // Moves the safe point on, up to so many timestamps behind now.
  void AdvanceSafePoint(uint64_t timestamps_behind);
  // Does what compaction filters have left to the GC worker.
  void RunGcWorker();

 private:
  void Replay();
  void ResolveInterrupted();
  // Removes locks that a kill has left, and writes rollbacks.
  void ResolveLocks(uint64_t region);
  void DeleteFiles(uint64_t region);
  void DeleteByRange(uint64_t region);
  void DeleteByKeys(uint64_t region, int family);
  // As a table of tombstones.
  void DeleteByIngestion(uint64_t region, int family);
  std::vector<std::string> KeysIn(uint64_t region, int family);

  const RunConfig run_;
  const TikvConfig config_;
  TikvModel model_;
  std::array<std::shared_mutex, kMaxRegions> locks_;
  GcQueue gc_queue_;
  TikvFilters filters_;
  std::unique_ptr<DB> kv_;
  std::unique_ptr<DB> raft_;
  std::vector<ColumnFamilyHandle*> handles_;
  std::atomic<uint64_t> sst_number_{0};
};

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
