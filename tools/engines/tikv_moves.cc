//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The part of TikvStore that moves regions away and back.

#include <map>
#include <mutex>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/tikv_store.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant destroyed_is_empty("ranges_of_destroyed_regions_are_empty");
OperationCount moves_out("regions_moved_out");
OperationCount moves_in("regions_moved_in");
OperationCount ingested("files_ingested");

constexpr int kDataFamilies[] = {kTikvDefault, kTikvLock, kTikvWrite};

}  // namespace

std::vector<std::string> TikvStore::KeysIn(uint64_t region, int family) {
  const auto range = RangeOf(region);
  const Slice end(range.second);
  ReadOptions options;
  options.total_order_seek = true;
  options.iterate_upper_bound = &end;
  std::unique_ptr<Iterator> it(kv_->NewIterator(options, handle(family)));
  std::vector<std::string> keys;
  for (it->Seek(range.first); it->Valid(); it->Next()) {
    keys.push_back(it->key().ToString());
  }
  Must(it->status(), "iterator over a region");
  return keys;
}

void TikvStore::CheckEmpty(uint64_t region) {
  for (const int family : kDataFamilies) {
    const auto keys = KeysIn(region, family);
    destroyed_is_empty.Check(keys.empty(), [&] {
      return "region " + std::to_string(region) + " in " +
             kTikvFamilyNames[family] + ": " + std::to_string(keys.size()) +
             " keys, first " + Slice(keys.front()).ToString(true);
    });
  }
  // Gets go another way than iterators.
  const uint64_t n =
      region * keys_per_region() + model_.NextTs() % keys_per_region();
  PinnableSlice value;
  for (uint64_t i = 0; i < kVersionsOfKey; i++) {
    const Status s = kv_->Get(
        ReadOptions(), handle(kTikvDefault),
        WithTimestamp(DataKey(n), model_.keys[n].versions[i].start_ts), &value);
    destroyed_is_empty.Check(s.IsNotFound(), [&] {
      return "Get of key " + std::to_string(n) + ": " + s.ToString();
    });
  }
}

// delete_files_in_range_cf(), for all column families.
void TikvStore::DeleteFiles(uint64_t region) {
  const auto range = RangeOf(region);
  const Slice start(range.first), end(range.second);
  const RangePtr ranges(&start, &end);
  for (const int family : kDataFamilies) {
    Must(DeleteFilesInRanges(kv_.get(), handle(family), &ranges, 1,
                             /*include_end=*/false),
         "DeleteFilesInRanges");
  }
}

void TikvStore::DeleteByRange(uint64_t region) {
  const auto range = RangeOf(region);
  WriteBatch batch;
  for (const int family : kDataFamilies) {
    Must(batch.DeleteRange(handle(family), range.first, range.second),
         "DeleteRange");
  }
  Must(kv_->Write(WriteOptions(), &batch), "DeleteRange");
}

void TikvStore::DeleteByKeys(uint64_t region, int family) {
  WriteBatch batch;
  for (const auto& key : KeysIn(region, family)) {
    Must(batch.Delete(handle(family), key), "Delete");
  }
  Must(kv_->Write(WriteOptions(), &batch), "delete a region by keys");
}

void TikvStore::DeleteByIngestion(uint64_t region, int family) {
  const auto keys = KeysIn(region, family);
  if (keys.empty()) {
    return;
  }
  const std::string file =
      run_.folder + "/delete-" + std::to_string(sst_number_++) + ".sst";
  SstFileWriter writer(EnvOptions(), kv_->GetOptions(handle(family)),
                       handle(family));
  Must(writer.Open(file), file);
  for (const auto& key : keys) {
    Must(writer.Delete(key), file);
  }
  Must(writer.Finish(), file);
  IngestExternalFileOptions options;
  options.move_files = true;
  Must(kv_->IngestExternalFile(handle(family), {file}, options),
       "ingest tombstones");
  ingested.Add();
}

void TikvStore::MoveOut(uint64_t region, uint64_t strategy) {
  const std::unique_lock<std::shared_mutex> guard(lock(region));
  RegionModel& model = model_.regions[region];
  model.phase = RegionModel::kMoving;
  model.present = 0;
  // unsafe_destroy_range() and destroy_peer(): DeleteStrategy::DeleteFiles,
  // then DeleteByRange, DeleteByKey, or DeleteByWriter. Files must not be
  // deleted afterwards, or older versions in files that stay would come back.
  DeleteFiles(region);
  if (strategy % 3 == 0) {
    DeleteByRange(region);
  } else {
    for (const int family : kDataFamilies) {
      if (strategy % 3 == 1 || family == kTikvLock) {
        DeleteByKeys(region, family);
      } else {
        DeleteByIngestion(region, family);
      }
    }
  }
  CheckEmpty(region);
  const uint64_t first = region * keys_per_region();
  for (uint64_t n = first; n < first + keys_per_region(); n++) {
    model_.keys[n].Clear();
  }
  model.phase = RegionModel::kStable;
  moves_out.Add();
}

void TikvStore::MoveIn(uint64_t region, uint64_t strategy) {
  const std::unique_lock<std::shared_mutex> guard(lock(region));
  RegionModel& model = model_.regions[region];
  model.phase = RegionModel::kMoving;
  CheckEmpty(region);

  // What the leader sends: all versions, by column family.
  std::map<std::string, std::string> records[kTikvFamilies];
  const uint64_t first = region * keys_per_region();
  for (uint64_t n = first; n < first + keys_per_region(); n++) {
    KeyModel& key = model_.keys[n];
    key.Clear();
    for (uint64_t version = 0; version < 1 + (n + strategy) % 3; version++) {
      const uint64_t start_ts = model_.NextTs(), commit_ts = model_.NextTs();
      WriteRecord record;
      record.start_ts = start_ts;
      record.type =
          (start_ts + n) % 11 == 0 ? WriteType::kDelete : WriteType::kPut;
      if (record.type == WriteType::kPut) {
        const std::string value = ValueOf(n, start_ts);
        record.has_short_value = value.size() <= kShortValueBytes;
        if (record.has_short_value) {
          record.short_value = value;
        } else {
          records[kTikvDefault][WithTimestamp(DataKey(n), start_ts)] = value;
        }
      }
      records[kTikvWrite][WithTimestamp(DataKey(n), commit_ts)] =
          EncodeWrite(record);
      key.Add(start_ts, commit_ts, record.type);
    }
  }

  std::vector<IngestExternalFileArg> args;
  for (const int family : {kTikvDefault, kTikvWrite}) {
    const std::string file =
        run_.folder + "/snapshot-" + std::to_string(sst_number_++) + ".sst";
    SstFileWriter writer(EnvOptions(), kv_->GetOptions(handle(family)),
                         handle(family));
    Must(writer.Open(file), file);
    for (const auto& record : records[family]) {
      Must(writer.Put(record.first, record.second), file);
    }
    Must(writer.Finish(), file);
    IngestExternalFileArg arg;
    arg.column_family = handle(family);
    arg.external_files = {file};
    arg.options.move_files = true;
    args.push_back(arg);
  }
  ingested.Add(args.size());
  if (strategy % 2 == 0) {
    Must(kv_->IngestExternalFiles(args), "ingest a snapshot");
  } else {
    for (const auto& arg : args) {
      Must(kv_->IngestExternalFile(arg.column_family, arg.external_files,
                                   arg.options),
           "ingest a snapshot");
    }
  }
  // TiKV flushes the region's state with a sync.
  WriteBatch batch;
  Propose(region, &batch);
  model.present = 1;
  model.phase = RegionModel::kStable;
  moves_in.Add();
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
