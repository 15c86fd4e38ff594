//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

// The part of MyRocksEngine that creates and drops tables.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "plugin/hotrap/tools/engines/invariant.h"
#include "plugin/hotrap/tools/engines/myrocks_engine.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"

namespace ROCKSDB_NAMESPACE {
namespace hotrap_engines {

namespace {

Invariant dropped_becomes_empty("dropped_indexes_become_empty");
Invariant dropped_stays_empty("dropped_indexes_stay_empty");
OperationCount creates("tables_bulk_loaded");
OperationCount drops("tables_dropped");
OperationCount ingested_files("ingested_files");
OperationCount drop_rounds("drop_rounds");

// Entry types of the data dictionary, at the start of its keys.
constexpr uint32_t kTableEntry = 1;
constexpr uint32_t kFinishedEntry = 2;
constexpr uint32_t kCreating = 1, kLiveTable = 2, kDropOngoing = 3, kGone = 4;

// The end of an index's keys, or their start where the order is reverse.
std::string IndexEnd(uint32_t index) { return IndexStart(index + 1); }

std::pair<std::string, std::string> RangeOf(int family, uint32_t index) {
  return family == kReverseFamily
             ? std::make_pair(IndexEnd(index), IndexStart(index))
             : std::make_pair(IndexStart(index), IndexEnd(index));
}

}  // namespace

void MyRocksEngine::WriteDictionary(const MyRocksTable& table, uint32_t state) {
  std::string value = IndexStart(state) + IndexStart(table.primary_index);
  for (const auto& index : table.secondary) {
    value += IndexStart(index.index);
  }
  WriteBatch batch;
  ColumnFamilyHandle* const system = handle(kSystemFamily);
  Must(batch.Put(system, IndexStart(kTableEntry) + IndexStart(table.number),
                 value),
       "dictionary");
  if (state == kGone && table.number >= kFirstImport) {
    const auto finish = [&](int family, uint32_t index) {
      Must(batch.Put(system, IndexStart(kFinishedEntry) + IndexStart(index),
                     IndexStart(family)),
           "dictionary");
    };
    finish(table.primary_family, table.primary_index);
    for (const auto& index : table.secondary) {
      finish(index.family, index.index);
    }
  }
  WriteOptions options;
  options.sync = true;
  TransactionDBWriteOptimizations optimizations;
  optimizations.skip_concurrency_control = true;
  Must(db_->Write(options, optimizations, &batch), "dictionary");
}

void MyRocksEngine::LoadDictionary() {
  finished_.clear();
  std::unique_ptr<Iterator> it(
      db_->NewIterator(ReadOptions(), handle(kSystemFamily)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const uint32_t number = IndexOf(Slice(it->key().data() + 4, 4));
    const auto word = [&](size_t i) {
      return IndexOf(Slice(it->value().data() + 4 * i, 4));
    };
    if (IndexOf(it->key()) == kFinishedEntry) {
      finished_.emplace_back(static_cast<int>(word(0)), number);
      next_index_ = std::max(next_index_, number + 1);
      continue;
    }
    MyRocksTable* const table = tables_[number].get();
    table->primary_index = word(1);
    next_index_ = std::max(next_index_, word(1) + 1);
    for (size_t i = 0; i < table->secondary.size(); i++) {
      table->secondary[i].index = word(2 + i);
      next_index_ = std::max(next_index_, word(2 + i) + 1);
    }
    const uint32_t state = word(0);
    // MyRocks drops what was not created completely, too.
    table->SetState(state == kLiveTable ? MyRocksTable::kLive
                    : state == kGone    ? MyRocksTable::kAbsent
                                        : MyRocksTable::kDropping);
  }
  Must(it->status(), "dictionary");
}

void MyRocksEngine::CreateTable(MyRocksTable* table) {
  if (table->number >= kFirstImport) {
    table->primary_index = next_index_++;
    for (auto& index : table->secondary) {
      index.index = next_index_++;
    }
  }
  WriteDictionary(*table, kCreating);
  for (uint64_t row = 0; row < table->rows; row++) {
    table->model[row].pending = 1;
    table->model[row].acked = 1;
    // Not all expire at once.
    table->model[row].written_secs =
        table->ttl_secs > 0 ? NowSecs() - row % (table->ttl_secs / 2) : 0;
  }
  BulkLoad(table, table->primary_family, table->primary_index, nullptr);
  for (const auto& index : table->secondary) {
    BulkLoad(table, index.family, index.index, &index);
  }
  WriteDictionary(*table, kLiveTable);
  table->SetState(MyRocksTable::kLive);
  creates.Add();
}

void MyRocksEngine::BulkLoad(MyRocksTable* table, int family, uint32_t index,
                             const SecondaryIndex* secondary) {
  std::vector<std::pair<std::string, std::string>> records;
  records.reserve(table->rows);
  for (uint64_t row = 0; row < table->rows; row++) {
    const uint64_t secs = table->model[row].written_secs;
    if (secondary == nullptr) {
      records.emplace_back(table->PrimaryKey(row),
                           table->RowValue(row, 1, secs));
    } else {
      records.emplace_back(table->SecondaryKey(*secondary, row, 1),
                           table->SecondaryValue(secs));
    }
  }
  std::sort(records.begin(), records.end());
  if (family == kReverseFamily) {
    std::reverse(records.begin(), records.end());
  }
  const std::string folder = config_.folder + "/bulk";
  Must(Env::Default()->CreateDirIfMissing(folder), folder);
  // MyRocks ends a file at target_file_size_base.
  const Options options = db_->GetOptions(handle(family));
  std::vector<std::string> files;
  std::unique_ptr<SstFileWriter> writer;
  for (const auto& record : records) {
    if (writer == nullptr) {
      files.push_back(folder + "/" + std::to_string(index) + "-" +
                      std::to_string(files.size()) + ".sst");
      writer = std::make_unique<SstFileWriter>(EnvOptions(), options,
                                               handle(family));
      Must(writer->Open(files.back()), files.back());
    }
    Must(writer->Put(record.first, record.second), files.back());
    if (writer->FileSize() >= 4 * options.target_file_size_base) {
      Must(writer->Finish(), files.back());
      writer.reset();
    }
  }
  if (writer != nullptr) {
    Must(writer->Finish(), files.back());
  }
  // Rdb_sst_info::commit() and ha_rocksdb::finalize_bulk_load().
  IngestExternalFileOptions ingest;
  ingest.move_files = true;
  ingest.snapshot_consistency = false;
  ingest.allow_global_seqno = false;
  ingest.allow_blocking_flush = false;
  Must(db_->IngestExternalFile(handle(family), files, ingest), "bulk load");
  ingested_files.Add(files.size());
}

void MyRocksEngine::DropTable(MyRocksTable* table) {
  table->SetState(MyRocksTable::kDropping);
  WriteDictionary(*table, kDropOngoing);
  std::vector<std::pair<int, uint32_t>> indexes = {
      {table->primary_family, table->primary_index}};
  for (const auto& index : table->secondary) {
    indexes.emplace_back(index.family, index.index);
  }
  for (const auto& index : indexes) {
    dropped_.Add(index.second, index.second != table->primary_index);
  }
  for (const auto& index : indexes) {
    RemoveIndex(index.first, index.second);
  }
  WriteDictionary(*table, kGone);
  for (const auto& index : indexes) {
    // From here on the filter keeps what there is. There must be nothing.
    dropped_.Remove(index.second);
  }
  if (table->number >= kFirstImport) {
    const std::lock_guard<std::mutex> lock(finished_mutex_);
    finished_.insert(finished_.end(), indexes.begin(), indexes.end());
  }
  table->SetState(MyRocksTable::kAbsent);
  drops.Add();
}

void MyRocksEngine::RemoveIndex(int family, uint32_t index) {
  constexpr int kRounds = 50;
  const auto range = RangeOf(family, index);
  const Slice start(range.first), end(range.second);
  // Rdb_drop_index_thread::run(): until nothing is left.
  for (int round = 0; !IsEmpty(family, index); round++) {
    dropped_becomes_empty.Check(round < kRounds, [&] {
      return "index " + std::to_string(index) + " in " +
             kMyRocksFamilyNames[family] + " still has records after " +
             std::to_string(round) + " rounds";
    });
    drop_rounds.Add();
    Must(DeleteFilesInRange(db_->GetBaseDB(), handle(family), &start, &end),
         "DeleteFilesInRange");
    // rocksdb_manual_compaction_bottommost_level=kForce by default.
    CompactRangeOptions options;
    options.exclusive_manual_compaction = false;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    Must(db_->CompactRange(options, handle(family), &start, &end),
         "CompactRange over a dropped index");
    if (round > 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

bool MyRocksEngine::IsEmpty(int family, uint32_t index) {
  ReadOptions options;
  options.total_order_seek = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(options, handle(family)));
  it->Seek(RangeOf(family, index).first);
  Must(it->status(), "look for records of a dropped index");
  return !it->Valid() || IndexOf(it->key()) != index;
}

void MyRocksEngine::CheckDroppedIndexesAreEmpty() {
  std::vector<std::pair<int, uint32_t>> finished;
  {
    const std::lock_guard<std::mutex> lock(finished_mutex_);
    finished = finished_;
  }
  for (const auto& index : finished) {
    dropped_stays_empty.Check(IsEmpty(index.first, index.second), [&] {
      return "index " + std::to_string(index.second) + " in " +
             kMyRocksFamilyNames[index.first] + " has records again";
    });
  }
}

}  // namespace hotrap_engines
}  // namespace ROCKSDB_NAMESPACE
