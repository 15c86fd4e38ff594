//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The part of TikvClient for raw keys, and the check of everything.

#include <array>
#include <mutex>
#include <set>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/tikv_client.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant raws_equal("raw_reads_equal_the_model");
Invariant nothing_lost("nothing_acknowledged_is_lost_by_a_kill");
Invariant no_orphans("values_have_their_write_records");
OperationCount raw_gets("raw_gets");
OperationCount raw_puts("raw_puts");
OperationCount raw_deletes("raw_deletes");
OperationCount verifications("full_verifications");
OperationCount orphans_of_kills("values_left_by_kills");

// Stripes: raw keys have no transactions.
std::mutex* RawLock(uint64_t n) {
  static std::array<std::mutex, 64> locks;
  return &locks[n % locks.size()];
}

}  // namespace

void TikvClient::CheckRaw(uint64_t n, const Status& s, const Slice& value) {
  if (!s.IsNotFound()) {
    Must(s, "raw get");
  }
  const RawModel& model = model_->raws[n];
  const uint64_t now_secs = NowSecs();
  const uint64_t version = model.acked, expire_secs = model.expire_secs;
  const bool found = s.ok() && RawExpireSecs(value) > now_secs;
  raws_equal.Check(
      found ? value == RawValue(n, version, expire_secs)
            : expire_secs <= now_secs,
      [&] {
        return "raw key " + std::to_string(n) + ": " +
               (s.ok() ? "version " + std::to_string(RawVersionOf(value)) +
                             " until " + std::to_string(RawExpireSecs(value))
                       : s.ToString()) +
               ", expected version " + std::to_string(version) + " until " +
               std::to_string(expire_secs) + ", now " +
               std::to_string(now_secs);
      });
}

void TikvClient::RawStep() {
  const uint64_t n = DrawKey() % store_->config().raws;
  const std::lock_guard<std::mutex> guard(*RawLock(n));
  RawModel& model = model_->raws[n];
  if (!Chance(8)) {
    raw_gets.Add();
    PinnableSlice value;
    const Status s = store_->kv()->Get(
        ReadOptions(), store_->handle(kTikvDefault), RawKey(n), &value);
    CheckRaw(n, s, value);
    return;
  }
  const uint64_t version = model.acked + 1;
  model.pending = version;
  const bool deletes = Chance(10);
  const uint64_t expire_secs =
      deletes ? 0 : NowSecs() + store_->config().raw_ttl_secs;
  if (deletes) {
    raw_deletes.Add();
    Must(store_->kv()->Delete(WriteOptions(), store_->handle(kTikvDefault),
                              RawKey(n)),
         "raw delete");
  } else {
    raw_puts.Add();
    Must(store_->kv()->Put(WriteOptions(), store_->handle(kTikvDefault),
                           RawKey(n), RawValue(n, version, expire_secs)),
         "raw put");
  }
  model.expire_secs = expire_secs;
  model.acked = version;
}

void TikvClient::ResolveRaw(uint64_t n) {
  RawModel& model = model_->raws[n];
  const uint64_t acked = model.acked, pending = model.pending;
  if (acked == pending) {
    return;
  }
  std::string value;
  const Status s = store_->kv()->Get(
      ReadOptions(), store_->handle(kTikvDefault), RawKey(n), &value);
  const uint64_t version = RawVersionOf(value);
  nothing_lost.Check(
      s.ok() ? version == acked || version == pending : s.IsNotFound(), [&] {
        return "raw key " + std::to_string(n) + ": " + s.ToString() +
               " version " + std::to_string(version) + ", acknowledged " +
               std::to_string(acked);
      });
  model.expire_secs = s.ok() ? RawExpireSecs(value) : 0;
  model.acked = s.ok() ? version : pending;
  model.pending = model.acked.load();
}

void TikvClient::VerifyRegion(uint64_t region, bool after_kill) {
  const uint64_t first = region * store_->keys_per_region();
  const uint64_t last = first + store_->keys_per_region();
  if (model_->regions[region].present == 0) {
    store_->CheckEmpty(region);
    return;
  }
  ScanRange(first, last, model_->NextTs());
  ScanRange(first, last, model_->clock[0].safe_point);

  // Each value belongs to a write record, or to a transaction under way. What
  // the GC worker was to delete is lost by a kill, as in TiKV.
  const auto range = store_->RangeOf(region);
  const Slice end(range.second);
  ReadOptions options;
  options.total_order_seek = true;
  options.iterate_upper_bound = &end;
  std::set<std::string> expected;
  std::unique_ptr<Iterator> it(
      store_->kv()->NewIterator(options, store_->handle(kTikvWrite)));
  for (it->Seek(range.first); it->Valid(); it->Next()) {
    WriteRecord record;
    if (DecodeWrite(it->value(), &record) && !record.has_short_value) {
      expected.insert(WithTimestamp(WithoutTimestamp(it->key()).ToString(),
                                    record.start_ts));
    }
  }
  Must(it->status(), "iterator over write records");
  it.reset(store_->kv()->NewIterator(options, store_->handle(kTikvDefault)));
  for (it->Seek(range.first); it->Valid(); it->Next()) {
    const KeyModel& key = model_->keys[NumberOf(it->key())];
    const bool belongs = expected.count(it->key().ToString()) > 0 ||
                         TimestampOf(it->key()) == key.locked_by;
    if (!belongs && after_kill) {
      orphans_of_kills.Add();
      Must(store_->kv()->Delete(WriteOptions(), store_->handle(kTikvDefault),
                                it->key()),
           "delete what a kill has left");
      continue;
    }
    no_orphans.Check(belongs, [&] {
      return "key " + std::to_string(NumberOf(it->key())) + " started at " +
             std::to_string(TimestampOf(it->key())) + ", safe point " +
             std::to_string(model_->clock[0].safe_point);
    });
  }
  Must(it->status(), "iterator over values");
}

void TikvClient::VerifyAll(bool after_kill) {
  verifications.Add();
  for (uint64_t region = 0; region < store_->config().regions; region++) {
    VerifyRegion(region, after_kill);
  }
  // Gets would count as accesses, and make all keys alike.
  ReadOptions options;
  options.total_order_seek = true;
  std::unique_ptr<Iterator> it(
      store_->kv()->NewIterator(options, store_->handle(kTikvDefault)));
  it->Seek(RawKey(0));
  for (uint64_t n = 0; n < store_->config().raws; n++) {
    if (after_kill) {
      ResolveRaw(n);
    }
    const std::string key = RawKey(n);
    if (it->Valid() && it->key() == Slice(key)) {
      CheckRaw(n, Status::OK(), it->value());
      it->Next();
    } else {
      CheckRaw(n, Status::NotFound(), Slice());
    }
  }
  Must(it->status(), "iterator over raw keys");
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
