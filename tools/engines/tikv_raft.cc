//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The part of TikvStore that writes through raft logs.

#include <mutex>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/tikv_store.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant log_is_whole("raft_logs_are_whole");
Invariant log_prefix_is_gone("compacted_raft_logs_stay_empty");
OperationCount proposals("proposals");
OperationCount replayed("raft_entries_replayed");
OperationCount compacted("raft_logs_compacted");

// raftstore.raft-log-gc-threshold is 50.
constexpr uint64_t kKeptEntries = 50;

}  // namespace

void TikvStore::Propose(uint64_t region, WriteBatch* batch) {
  RegionModel& model = model_.regions[region];
  const uint64_t index = model.last_index + 1;
  std::string state;
  AppendBigEndian(index, &state);
  Must(batch->Put(handle(kTikvRaft), ApplyStateKey(region), state),
       "apply state");
  WriteOptions log_options;
  // raftstore.sync-log
  log_options.sync = run_.sync;
  Must(raft_->Put(log_options, RaftLogKey(region, index), batch->Data()),
       "append to a raft log");
  model.last_index = index;
  // Writes to the kv DB are not synced: the log has them.
  Must(kv_->Write(WriteOptions(), batch), "apply");
  proposals.Add();
}

void TikvStore::Replay() {
  for (uint64_t region = 0; region < config_.regions; region++) {
    RegionModel& model = model_.regions[region];
    std::string state;
    Status s = kv_->Get(ReadOptions(), handle(kTikvRaft), ApplyStateKey(region),
                        &state);
    if (!s.IsNotFound()) {
      Must(s, "Get an apply state");
    }
    uint64_t applied = s.ok() ? ReadBigEndian(state.data()) : 0;
    for (;;) {
      std::string entry;
      s = raft_->Get(ReadOptions(), RaftLogKey(region, applied + 1), &entry);
      if (s.IsNotFound()) {
        break;
      }
      Must(s, "Get a raft log entry");
      WriteBatch batch(entry);
      Must(kv_->Write(WriteOptions(), &batch), "apply a raft log entry again");
      applied++;
      replayed.Add();
    }
    log_is_whole.Check(
        applied >= model.last_index && applied <= model.last_index + 1, [&] {
          return "region " + std::to_string(region) + " was at " +
                 std::to_string(model.last_index) + ", and is at " +
                 std::to_string(applied);
        });
    model.last_index = applied;
  }
}

void TikvStore::CompactLog(uint64_t region) {
  const std::unique_lock<std::shared_mutex> guard(lock(region));
  RegionModel& model = model_.regions[region];
  if (model.last_index < model.first_index + 2 * kKeptEntries) {
    return;
  }
  const uint64_t first = model.last_index - kKeptEntries;
  Must(raft_->DeleteRange(WriteOptions(), raft_->DefaultColumnFamily(),
                          RaftLogKey(region, 0), RaftLogKey(region, first)),
       "compact a raft log");
  model.first_index = first;
  compacted.Add();
}

void TikvStore::CheckLog(uint64_t region, uint64_t index) {
  const std::shared_lock<std::shared_mutex> guard(lock(region));
  const RegionModel& model = model_.regions[region];
  PinnableSlice entry;
  const Status s = raft_->Get(ReadOptions(), raft_->DefaultColumnFamily(),
                              RaftLogKey(region, index), &entry);
  const auto detail = [&] {
    return "region " + std::to_string(region) + ", index " +
           std::to_string(index) + " of " + std::to_string(model.first_index) +
           " to " + std::to_string(model.last_index) + ": " + s.ToString();
  };
  if (index < model.first_index) {
    log_prefix_is_gone.Check(s.IsNotFound(), detail);
  } else if (index <= model.last_index && index > 0) {
    log_is_whole.Check(s.ok() && WriteBatch(entry.ToString()).Count() > 0,
                       detail);
  }
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
