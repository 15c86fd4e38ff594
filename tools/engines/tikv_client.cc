//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/engines/tikv_client.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include "plugin/hotrap/tools/engines/invariant.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant locks_equal("locks_equal_the_model");
Invariant reads_equal("reads_at_timestamps_equal_the_model");
Invariant values_there("write_records_have_their_values");
Invariant records_equal("gets_of_write_records_equal_the_model");
OperationCount point_gets("point_gets");
OperationCount scans("scans");
OperationCount commits("commits");
OperationCount rollbacks("rollbacks");
OperationCount conflicts("conflicts");
OperationCount locked_reads("reads_of_locked_keys");

constexpr uint64_t kScanLength = 30;

}  // namespace

TikvClient::TikvClient(TikvStore* store, uint64_t seed, uint64_t hour,
                       uint64_t write_gets)
    : store_(store),
      model_(&store->model()),
      hour_(hour),
      write_gets_(write_gets),
      rng_(seed),
      zipf_(store->config().keys, /*theta=*/0.99),
      scrambler_(store->config().keys) {}

uint64_t TikvClient::DrawKey() const {
  const uint64_t keys = store_->config().keys;
  return scrambler_.IdOf((zipf_.Sample(&rng_) + hour_ * (keys / 8)) % keys);
}

uint64_t TikvClient::DrawTs() {
  const TikvClock& clock = model_->clock[0];
  const uint64_t safe_point = clock.safe_point;
  const uint64_t now = model_->NextTs();
  // Mostly now; otherwise a stale read.
  return Chance(10) ? safe_point + Draw(now - safe_point + 1) : now;
}

void TikvClient::Step() {
  const uint64_t dice = Draw(100);
  if (dice < 70) {
    PointGet();
  } else if (dice < 74) {
    Scan();
  } else if (dice < 86) {
    Transact();
  } else if (dice < 99) {
    RawStep();
  } else {
    const uint64_t region = Draw(store_->config().regions);
    const RegionModel& model = model_->regions[region];
    store_->CheckLog(region, model.last_index < 200
                                 ? Draw(model.last_index + 1)
                                 : model.last_index - Draw(200));
    store_->CompactLog(region);
  }
}

void TikvClient::Transact() {
  const uint64_t first = DrawKey();
  const uint64_t region = store_->RegionOf(first);
  std::set<uint64_t> keys = {first};
  for (uint64_t more = Draw(kMaxKeysOfTransaction); more > 0; more--) {
    keys.insert(region * store_->keys_per_region() +
                Draw(store_->keys_per_region()));
  }
  RegionModel& model = model_->regions[region];
  const uint64_t start_ts = model_->NextTs();
  const bool deletes = Chance(8);
  {
    const std::unique_lock<std::shared_mutex> guard(store_->lock(region));
    const uint64_t safe_point = model_->clock[0].safe_point;
    for (const uint64_t n : keys) {
      const KeyModel& key = model_->keys[n];
      const KeyModel::Version* const newest = key.At(UINT64_MAX);
      if (model.present == 0 || key.locked_by != 0 ||
          !key.HasRoom(safe_point) ||
          (newest != nullptr && newest->commit_ts > start_ts)) {
        conflicts.Add();
        return;
      }
    }
    WriteBatch batch;
    for (const uint64_t n : keys) {
      std::string lock(1, deletes ? 'D' : 'P');
      AppendBigEndian(start_ts, &lock);
      const std::string value = ValueOf(n, start_ts);
      if (!deletes && value.size() <= kShortValueBytes) {
        lock += "v" + value;
      } else if (!deletes) {
        Must(batch.Put(store_->handle(kTikvDefault),
                       WithTimestamp(DataKey(n), start_ts), value),
             "prewrite");
      }
      Must(batch.Put(store_->handle(kTikvLock), DataKey(n), lock), "prewrite");
      // Before the write: after a kill a lock may be there or not.
      model_->keys[n].locked_by = start_ts;
    }
    store_->Propose(region, &batch);
  }
  std::this_thread::yield();
  const std::unique_lock<std::shared_mutex> guard(store_->lock(region));
  if (model_->keys[first].locked_by != start_ts) {
    // The region moved away meanwhile.
    conflicts.Add();
    return;
  }
  const bool roll_back = Chance(20);
  const uint64_t commit_ts = roll_back ? start_ts : model_->NextTs();
  WriteBatch batch;
  WriteRecord record;
  record.type = roll_back ? WriteType::kRollback
                : deletes ? WriteType::kDelete
                          : WriteType::kPut;
  record.start_ts = start_ts;
  model.start_ts = start_ts;
  model.commit_ts = commit_ts;
  model.keys = 0;
  for (const uint64_t n : keys) {
    Must(batch.Delete(store_->handle(kTikvLock), DataKey(n)), "commit");
    const std::string value = ValueOf(n, start_ts);
    const bool short_value = value.size() <= kShortValueBytes;
    record.has_short_value = record.type == WriteType::kPut && short_value;
    record.short_value = record.has_short_value ? value : std::string();
    if (roll_back && !deletes && !short_value) {
      Must(batch.Delete(store_->handle(kTikvDefault),
                        WithTimestamp(DataKey(n), start_ts)),
           "rollback");
    }
    Must(batch.Put(store_->handle(kTikvWrite),
                   WithTimestamp(DataKey(n), commit_ts), EncodeWrite(record)),
         "commit");
    model.changes[model.keys++] = {n, static_cast<uint64_t>(record.type)};
  }
  if (!roll_back) {
    model.phase = RegionModel::kCommitting;
  }
  store_->Propose(region, &batch);
  for (const uint64_t n : keys) {
    if (!roll_back) {
      model_->keys[n].Add(start_ts, commit_ts, record.type);
    }
    model_->keys[n].locked_by = 0;
  }
  model.phase = RegionModel::kStable;
  (roll_back ? rollbacks : commits).Add();
}

MvccAnswer TikvClient::Get(uint64_t n, uint64_t ts) {
  MvccAnswer answer;
  const std::string key = DataKey(n);
  // PointGetter::get(): the lock, the write record, the value.
  PinnableSlice lock;
  Status s =
      store_->kv()->Get(ReadOptions(), store_->handle(kTikvLock), key, &lock);
  const uint64_t locked_by = model_->keys[n].locked_by;
  locks_equal.Check(
      s.ok() ? lock.size() >= 9 && ReadBigEndian(lock.data() + 1) == locked_by
             : s.IsNotFound() && locked_by == 0,
      [&] {
        return "key " + std::to_string(n) + ": " + s.ToString() +
               ", locked by " + std::to_string(locked_by);
      });
  if (locked_by != 0 && locked_by <= ts) {
    answer.locked = true;
    return answer;
  }
  ReadOptions options;
  options.prefix_same_as_start = true;
  const std::string end = WithTimestamp(key, 0);
  const Slice upper_bound(end);
  options.iterate_upper_bound = &upper_bound;
  std::unique_ptr<Iterator> it(
      store_->kv()->NewIterator(options, store_->handle(kTikvWrite)));
  WriteRecord record;
  for (it->Seek(WithTimestamp(key, ts));
       it->Valid() && WithoutTimestamp(it->key()) == Slice(key); it->Next()) {
    Must(DecodeWrite(it->value(), &record) ? Status::OK()
                                           : Status::Corruption("no record"),
         "decode a write record");
    if (record.type == WriteType::kPut) {
      answer.found = true;
      answer.start_ts = record.start_ts;
    }
    if (record.type == WriteType::kPut || record.type == WriteType::kDelete) {
      break;
    }
  }
  Must(it->status(), "iterator over write records");
  if (answer.found && record.has_short_value) {
    answer.value = record.short_value;
  } else if (answer.found) {
    s = store_->kv()->Get(ReadOptions(), store_->handle(kTikvDefault),
                          WithTimestamp(key, answer.start_ts), &answer.value);
    values_there.Check(s.ok() || model_->clock[0].safe_point > ts, [&] {
      return "key " + std::to_string(n) + " at " + std::to_string(ts) +
             ", started at " + std::to_string(answer.start_ts) + ": " +
             s.ToString();
    });
  }
  return answer;
}

void TikvClient::CheckAnswer(uint64_t n, uint64_t ts, const MvccAnswer& answer,
                             const char* how) {
  if (answer.locked) {
    locked_reads.Add();
    return;
  }
  if (model_->clock[0].safe_point > ts) {
    // The safe point has moved on past the read, which TiKV would refuse.
    return;
  }
  const KeyModel::Version* const version = model_->keys[n].At(ts);
  const bool expected =
      version != nullptr &&
      static_cast<WriteType>(version->type) == WriteType::kPut;
  reads_equal.Check(
      answer.found == expected &&
          (!expected || (answer.start_ts == version->start_ts &&
                         answer.value == ValueOf(n, version->start_ts))),
      [&] {
        return "key " + std::to_string(n) + " at " + std::to_string(ts) + ", " +
               how + ": " +
               (answer.found ? "started at " + std::to_string(answer.start_ts)
                             : std::string("nothing")) +
               "; expected " +
               (version == nullptr
                    ? std::string("nothing")
                    : std::string(1, static_cast<char>(version->type)) + " " +
                          std::to_string(version->start_ts) + " to " +
                          std::to_string(version->commit_ts)) +
               ", safe point " + std::to_string(model_->clock[0].safe_point);
      });
}

void TikvClient::CheckWriteRecord(uint64_t n, uint64_t ts) {
  const KeyModel::Version* const version = model_->keys[n].At(ts);
  if (version == nullptr ||
      static_cast<WriteType>(version->type) != WriteType::kPut) {
    return;
  }
  std::string value;
  const Status s =
      store_->kv()->Get(ReadOptions(), store_->handle(kTikvWrite),
                        WithTimestamp(DataKey(n), version->commit_ts), &value);
  WriteRecord record;
  records_equal.Check((s.ok() && DecodeWrite(value, &record) &&
                       record.start_ts == version->start_ts) ||
                          model_->clock[0].safe_point > ts,
                      [&] {
                        return "key " + std::to_string(n) + " committed at " +
                               std::to_string(version->commit_ts) + ": " +
                               s.ToString();
                      });
}

void TikvClient::PointGet() {
  const uint64_t n = DrawKey();
  const uint64_t region = store_->RegionOf(n);
  const std::shared_lock<std::shared_mutex> guard(store_->lock(region));
  if (model_->regions[region].present == 0) {
    return;
  }
  point_gets.Add();
  const uint64_t ts = DrawTs();
  CheckAnswer(n, ts, Get(n, ts), "point get");
  if (write_gets_ > 0 && Chance(write_gets_)) {
    CheckWriteRecord(n, ts);
  }
}

void TikvClient::Scan() {
  const uint64_t first = DrawKey();
  const uint64_t region = store_->RegionOf(first);
  const std::shared_lock<std::shared_mutex> guard(store_->lock(region));
  if (model_->regions[region].present == 0) {
    store_->CheckEmpty(region);
    return;
  }
  scans.Add();
  ScanRange(
      first,
      std::min(first + kScanLength, (region + 1) * store_->keys_per_region()),
      DrawTs());
}

// ForwardScanner: a cursor over write records, and one over values.
void TikvClient::ScanRange(uint64_t first, uint64_t last, uint64_t ts) {
  const std::string end = DataKey(last);
  const Slice upper_bound(end);
  ReadOptions options;
  options.total_order_seek = true;
  options.iterate_upper_bound = &upper_bound;
  std::unique_ptr<Iterator> writes(
      store_->kv()->NewIterator(options, store_->handle(kTikvWrite)));
  std::unique_ptr<Iterator> values(
      store_->kv()->NewIterator(options, store_->handle(kTikvDefault)));
  writes->Seek(DataKey(first));
  for (uint64_t n = first; n < last; n++) {
    MvccAnswer answer;
    answer.locked = model_->keys[n].locked_by != 0;
    const std::string key = DataKey(n);
    bool decided = false;
    for (; writes->Valid() && WithoutTimestamp(writes->key()) == Slice(key);
         writes->Next()) {
      WriteRecord record;
      if (decided || TimestampOf(writes->key()) > ts ||
          !DecodeWrite(writes->value(), &record)) {
        continue;
      }
      decided =
          record.type == WriteType::kPut || record.type == WriteType::kDelete;
      if (record.type == WriteType::kPut) {
        answer.found = true;
        answer.start_ts = record.start_ts;
        answer.value = record.short_value;
        if (!record.has_short_value) {
          const std::string value_key = WithTimestamp(key, record.start_ts);
          values->Seek(value_key);
          values_there.Check(
              (values->Valid() && values->key() == Slice(value_key)) ||
                  model_->clock[0].safe_point > ts,
              [&] {
                return "scan, key " + std::to_string(n) + " started at " +
                       std::to_string(record.start_ts);
              });
          if (values->Valid()) {
            answer.value = values->value().ToString();
          }
        }
      }
    }
    CheckAnswer(n, ts, answer, "scan");
  }
  Must(writes->status(), "scan of write records");
  Must(values->status(), "scan of values");
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
