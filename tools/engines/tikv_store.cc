//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/tikv_store.h"

#include <mutex>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/tikv_codec.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant atomic_after_kill("transactions_are_atomic_after_a_kill");
OperationCount gc_keys("keys_deleted_by_gc_worker");
OperationCount resolved_locks("locks_resolved_after_a_kill");

}  // namespace

TikvStore::TikvStore(const RunConfig& run, const TikvConfig& config)
    : run_(run),
      config_(config),
      model_(run.model_path(), config.keys, config.raws) {
  filters_.mvcc = std::make_shared<MvccFilterFactory>(
      &model_.clock[0].safe_point, &gc_queue_);
  if (config.raw_ttl) {
    filters_.raw_ttl = std::make_shared<RawTtlFilterFactory>();
  }
}

TikvStore::~TikvStore() {
  if (kv_ != nullptr) {
    Close();
  }
}

std::pair<std::string, std::string> TikvStore::RangeOf(uint64_t region) const {
  return {DataKey(region * keys_per_region()),
          DataKey((region + 1) * keys_per_region())};
}

void TikvStore::Open(bool hotrap) {
  Must(
      DB::Open(RaftDBOptions(run_, hotrap), run_.fast_path() + "/raft", &raft_),
      "open the raft DB");
  Must(DB::Open(KvDBOptions(run_, config_.write_mode), run_.fast_path() + "/kv",
                KvFamilies(run_, hotrap, filters_), &handles_, &kv_),
       "open the kv DB");
  filters_.mvcc->SetDB(kv_.get(), handle(kTikvDefault));
  Replay();
  ResolveInterrupted();
}

void TikvStore::Close() {
  // A filter that runs now leaves its deletions to the GC worker.
  filters_.mvcc->SetDB(nullptr, nullptr);
  for (ColumnFamilyHandle* handle : handles_) {
    Must(kv_->DestroyColumnFamilyHandle(handle), "close a column family");
  }
  handles_.clear();
  Must(kv_->Close(), "close the kv DB");
  kv_.reset();
  Must(raft_->Close(), "close the raft DB");
  raft_.reset();
}

void TikvStore::ResolveInterrupted() {
  for (uint64_t region = 0; region < config_.regions; region++) {
    RegionModel& model = model_.regions[region];
    if (model.phase == RegionModel::kMoving) {
      // TiKV destroys the peer, whose snapshot comes again.
      MoveOut(region, /*strategy=*/0);
      continue;
    }
    if (model.phase == RegionModel::kCommitting) {
      uint64_t there = 0;
      for (uint64_t i = 0; i < model.keys; i++) {
        PinnableSlice value;
        const Status s = kv_->Get(
            ReadOptions(), handle(kTikvWrite),
            WithTimestamp(DataKey(model.changes[i].key), model.commit_ts),
            &value);
        if (!s.IsNotFound()) {
          Must(s, "Get a write record");
          there++;
        }
      }
      atomic_after_kill.Check(there == 0 || there == model.keys, [&] {
        return "region " + std::to_string(region) + ", commit at " +
               std::to_string(model.commit_ts) + ": " + std::to_string(there) +
               " of " + std::to_string(model.keys) + " keys";
      });
      for (uint64_t i = 0; i < model.keys && there > 0; i++) {
        KeyModel& key = model_.keys[model.changes[i].key];
        const KeyModel::Version* newest = key.At(UINT64_MAX);
        if (newest == nullptr || newest->commit_ts != model.commit_ts) {
          key.Add(model.start_ts, model.commit_ts,
                  static_cast<WriteType>(model.changes[i].type));
        }
      }
      model.phase = RegionModel::kStable;
    }
    ResolveLocks(region);
  }
}

void TikvStore::ResolveLocks(uint64_t region) {
  const std::unique_lock<std::shared_mutex> guard(lock(region));
  const uint64_t first = region * keys_per_region();
  for (uint64_t n = first; n < first + keys_per_region(); n++) {
    KeyModel& key = model_.keys[n];
    if (key.locked_by == 0) {
      continue;
    }
    PinnableSlice lock_value;
    const Status s =
        kv_->Get(ReadOptions(), handle(kTikvLock), DataKey(n), &lock_value);
    if (s.ok()) {
      // As resolve_lock does for a transaction that has ended.
      WriteBatch batch;
      WriteRecord record;
      record.type = WriteType::kRollback;
      record.start_ts = key.locked_by;
      Must(batch.Delete(handle(kTikvLock), DataKey(n)), "rollback");
      Must(batch.Delete(handle(kTikvDefault),
                        WithTimestamp(DataKey(n), key.locked_by)),
           "rollback");
      Must(batch.Put(handle(kTikvWrite),
                     WithTimestamp(DataKey(n), key.locked_by),
                     EncodeWrite(record)),
           "rollback");
      Propose(region, &batch);
      resolved_locks.Add();
    } else if (!s.IsNotFound()) {
      Must(s, "Get a lock");
    }
    key.locked_by = 0;
  }
}

void TikvStore::AdvanceSafePoint(uint64_t timestamps_behind) {
  TikvClock& clock = model_.clock[0];
  const uint64_t now = clock.next_ts;
  if (now > timestamps_behind && now - timestamps_behind > clock.safe_point) {
    clock.safe_point = now - timestamps_behind;
  }
}

void TikvStore::RunGcWorker() {
  std::vector<std::string> keys, orphans;
  gc_queue_.Take(&keys, &orphans);
  WriteBatch batch;
  for (const auto& orphan : orphans) {
    Must(batch.Delete(handle(kTikvDefault), orphan), "GC");
  }
  const uint64_t safe_point = model_.clock[0].safe_point;
  for (const auto& key : keys) {
    // MvccReader and gc(): what the newest version at the safe point hides, and
    // that one too if it is a deletion.
    ReadOptions options;
    options.prefix_same_as_start = true;
    std::unique_ptr<Iterator> it(kv_->NewIterator(options, handle(kTikvWrite)));
    bool remove = false;
    for (it->Seek(WithTimestamp(key, safe_point));
         it->Valid() && WithoutTimestamp(it->key()) == Slice(key); it->Next()) {
      WriteRecord record;
      if (!DecodeWrite(it->value(), &record)) {
        continue;
      }
      remove = remove || record.type == WriteType::kDelete;
      if (!remove && record.type == WriteType::kPut) {
        break;
      }
      if (!remove) {
        continue;
      }
      gc_keys.Add();
      Must(batch.Delete(handle(kTikvWrite), it->key()), "GC");
      if (record.type == WriteType::kPut && !record.has_short_value) {
        Must(batch.Delete(handle(kTikvDefault),
                          WithTimestamp(key, record.start_ts)),
             "GC");
      }
    }
    Must(it->status(), "GC");
  }
  Must(kv_->Write(WriteOptions(), &batch), "GC");
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
